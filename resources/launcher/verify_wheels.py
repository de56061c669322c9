"""Compares an unpacked set of wheels with the wheels' own records.

usage: verify_wheels.py DIR REQUIREMENTS

Every file of each package named in REQUIREMENTS must have the size its RECORD says, and every library its
SHA-256 too. Prints "size path" of each library; lists what is wrong on stderr and exits 1 otherwise.
"""
import base64
import csv
import hashlib
import pathlib
import re
import sys


def packages(requirements):
    for line in pathlib.Path(requirements).read_text().splitlines():
        found = re.match(r"([A-Za-z0-9._-]+)==([^ ]+)", line)
        if found:
            yield re.sub(r"[-_.]+", "_", found[1]), found[2]


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode()


def faults_of(path, name, digest, size):
    is_library = ".so" in pathlib.PurePath(name).name
    try:
        found = path.stat().st_size
    except OSError as error:
        return f"{name}: {error.strerror}"
    if found != size:
        return f"{name}: {found} bytes, should have {size}"
    if is_library and sha256(path) != digest:
        return f"{name}: its content has changed"
    return None


def main(folder, requirements):
    root = pathlib.Path(folder)
    faults, libraries = [], []
    for package, version in packages(requirements):
        record = root / f"{package}-{version}.dist-info" / "RECORD"
        if not record.exists():
            faults.append(f"{package} {version}: not there")
            continue
        with open(record, newline="") as file:
            for name, digest, size in csv.reader(file):
                # Scripts beside the tree and byte code are no part of LibTorch.
                if not size or name.startswith("..") or name.endswith(".pyc"):
                    continue
                fault = faults_of(root / name, name, digest.removeprefix("sha256="), int(size))
                if fault:
                    faults.append(fault)
                elif ".so" in pathlib.PurePath(name).name:
                    libraries.append(f"{size} {name}")
    for fault in faults[:10]:
        print(f"  {fault}", file=sys.stderr)
    if len(faults) > 10:
        print(f"  and {len(faults) - 10} more", file=sys.stderr)
    if faults:
        return 1
    print("\n".join(libraries))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
