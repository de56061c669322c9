"""Python's torch from the LibTorch that the build uses: a PyTorch wheel without NVIDIA's libraries.

`import torch` asks for a few functions of libtorch_cuda, cuDNN and cuFile as it is loaded, and calls none of them on
a CPU. Where those libraries are not there, small ones with the same names and functions stand in, so that nothing
more has to be downloaded.
"""
import ctypes
import os
import subprocess
import sys

NAMES = {"libtorch_cuda.so": None, "libcudnn.so.9": "libcudnn.so.9", "libcufile.so.0": None}


def symbols(file, kind):
    out = subprocess.run(["nm", "-D", "--" + kind + "-only", file], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines() if line.split()}


def missing_functions(lib):
    wanted = symbols(os.path.join(lib, "libtorch_python.so"), "undefined")
    cuda = set().union(*(symbols(os.path.join(lib, name), "defined")
                         for name in ("libtorch_cuda.so", "libtorch_nvshmem.so")))
    return {"libtorch_cuda.so": wanted & cuda,
            "libcudnn.so.9": {name for name in wanted if name.startswith("cudnn")},
            "libcufile.so.0": {name for name in wanted if name.startswith("cuFile")}}


def build(folder, lib):
    os.makedirs(folder, exist_ok=True)
    for name, functions in missing_functions(lib).items():
        source = os.path.join(folder, name + ".s")
        with open(source, "w") as file:
            file.write('.section .note.GNU-stack,"",@progbits\n.text\n')
            for function in sorted(functions):
                if not function.startswith("_ZT"):
                    file.write(".globl {0}\n{0}:\n".format(function))
            # A place to write to, for what returns a reference; its low bits are those of false.
            file.write("lea room(%rip), %rax\nret\n.bss\n.balign 4096\nroom: .zero 65536\n.data\n.balign 16\n")
            for data in sorted(functions):
                if data.startswith("_ZTI"):  # what typeid() reads: the table of std::type_info, and a name
                    file.write(".globl {0}\n{0}:\n.quad _ZTVN10__cxxabiv117__class_type_infoE + 16, 1f\n"
                               '1: .asciz "{0}"\n.balign 16\n'.format(data))
                elif data.startswith("_ZTV"):
                    file.write(".globl {0}\n{0}:\n.zero 1024\n".format(data))
        command = ["cc", "-shared", "-Wl,-soname," + name, "-o", os.path.join(folder, name), source, "-lstdc++"]
        if NAMES[name]:
            version = os.path.join(folder, name + ".map")
            with open(version, "w") as file:
                file.write(NAMES[name] + " { global: *; };\n")
            command.insert(1, "-Wl,--version-script=" + version)
        subprocess.run(command, check=True)


def load(torch_dir, cache):
    """torch, or raises ImportError."""
    sys.path.append(torch_dir)
    try:
        import torch
        return torch
    except ImportError:
        for name in [name for name in sys.modules if name == "torch" or name.startswith("torch.")]:
            del sys.modules[name]
    lib = os.path.join(torch_dir, "torch", "lib")
    folder = os.path.join(cache, "stand-in")
    try:
        build(folder, lib)
        for name in NAMES:
            ctypes.CDLL(os.path.join(folder, name), mode=ctypes.RTLD_GLOBAL)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ImportError(str(error))
    import torch
    return torch
