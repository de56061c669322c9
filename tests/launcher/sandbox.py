"""A copy of the launcher with small wheels of its own, stand-ins for apt-get and friends, and an empty home."""
import base64
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def wheel(folder, name, version, tags, files):
    """A wheel that pip accepts; returns its requirement line."""
    info = f"{name}-{version}.dist-info"
    files = dict(files)
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: {tags}\n".encode()

    def row(path, data):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        return f"{path},sha256={digest},{len(data)}\n"

    record = "".join(row(path, data) for path, data in files.items()) + f"{info}/RECORD,,\n"
    path = pathlib.Path(folder) / f"{name}-{version}-{tags}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inner, data in files.items():
            archive.writestr(inner, data)
        archive.writestr(f"{info}/RECORD", record)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    size = sum(map(len, files.values()))
    return f"{name.replace('_', '-')}=={version} --hash=sha256:{digest}  # {path.stat().st_size} {size}\n"


class Sandbox:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="braid launcher ü "))  # spaces and umlauts, always
        os.chmod(self.folder, 0o755)
        self.tree = self.folder / "tree"
        self.launcher = self.tree / "resources/launcher"
        self.tools = self.folder / "tools"
        self.wheels = self.folder / "wheels"
        self.home = self.folder / "home"
        self.cache = self.home / ".cache/braid/torch-2.11.0-cu130"
        shutil.copytree(ROOT / "resources/launcher", self.launcher)
        shutil.copy(ROOT / "braid", self.tree / "braid")
        for folder in (self.tools, self.wheels, self.home):
            folder.mkdir()
        os.chmod(self.home, 0o777)
        self.make_wheels()
        self.environment = {"PATH": f"{self.tools}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8",
                            "BRAID_WHEELS": str(self.wheels), "BRAID_GPU": "no", "PYTHONDONTWRITEBYTECODE": "1"}

    def make_wheels(self):
        tags = "cp311-cp311-manylinux_2_28_x86_64"
        base = wheel(self.wheels, "torch", "2.11.0", tags, {
            "torch/version.py": b"__version__ = '2.11.0+cu130'\n", "torch/lib/libtorch_cpu.so": b"cpu" * 1000,
            "torch/lib/libc10.so": b"c10" * 1000, "torch/include/ATen/ATen.h": b"#pragma once\n"})
        base += wheel(self.wheels, "nvidia_cuda_runtime", "13.0.96", "py3-none-manylinux_2_17_x86_64",
                      {"nvidia/cu13/lib/libcudart.so.13": b"rt" * 1000})
        cuda = wheel(self.wheels, "nvidia_cublas", "13.1.0.3", "py3-none-manylinux_2_27_x86_64",
                     {"nvidia/cu13/lib/libcublas.so.13": b"blas" * 1000})
        (self.launcher / "libtorch.txt").write_text("# test\n" + base)
        (self.launcher / "libtorch-cuda.txt").write_text("# test\n" + cuda)

    def tool(self, name, script):
        path = self.tools / name
        path.write_text("#!/bin/bash\n" + script)
        path.chmod(0o755)

    def run(self, *command, as_user=False, **environment):
        prefix = []
        if as_user and os.geteuid() == 0:
            prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        return subprocess.run([*prefix, *map(str, command)], env={**self.environment, **environment}, cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    def braid(self, *arguments, **options):
        return self.run(self.tree / "braid", *arguments, **options)

    def installed_libtorch(self):
        """braid-libtorch in the layout of an installed Braid: bin/ and share/braid/launcher/."""
        installed = self.folder / "installed"
        if not installed.exists():
            shutil.copytree(self.launcher, installed / "share/braid/launcher")
            (installed / "bin").mkdir()
            shutil.copy(self.launcher / "braid-libtorch.sh", installed / "bin/braid-libtorch")
        return installed / "bin/braid-libtorch"

    def fetch(self, **environment):
        return self.run(self.installed_libtorch(), **environment)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)
