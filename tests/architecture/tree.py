"""The tree as the tests see it: its files, which layer each belongs to, and which edges are allowed."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = (".h", ".cpp", ".cu", ".cuh", ".mm")


def files(*suffixes):
    """Tracked and new files, relative to the root; without git, everything outside build folders."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "-c", f"safe.directory={ROOT}", "ls-files", "-co", "--exclude-standard", "-z"],
        capture_output=True, text=True)
    if listed.returncode == 0:
        names = listed.stdout.split("\0")
    else:
        names = (str(path.relative_to(ROOT)) for path in ROOT.rglob("*"))
    paths = (pathlib.PurePath(name) for name in names if name)
    return sorted(path for path in paths
                  if (not suffixes or path.suffix in suffixes) and path.parts[0] not in ("build", "dist")
                  and (ROOT / path).is_file())


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def allowed_edges():
    """layer -> layers it may use, from the table that configuration enforces too."""
    table = {}
    pattern = r"set\(BRAID_ALLOWED_EDGES_(\w+)\s+\"([^\"]*)\"\)"
    for layer, edges in re.findall(pattern, text("resources/cmake/braid_library.cmake")):
        table[layer] = {edge for edge in edges.split(";") if edge}
    return table


def layer_of(path):
    """The layer of a file of the product, None for tests and everything else."""
    parts = path.parts
    if parts[0] == "core" and parts[1] == "mixers":
        is_torch_side = "torch" in parts or path.stem.endswith("_mixer")
        return "mixers_torch" if is_torch_side else "mixers"
    if parts[0] == "core":
        return parts[1]
    if parts[0] == "app":
        return f"app_{parts[1]}"
    if parts[0] in ("kernels", "widgets"):
        return parts[0]
    return None


def includes(path):
    """[(line number, name, quoted?)]"""
    found = []
    for number, line in enumerate(text(path).splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if match:
            found.append((number, match[2], match[1] == '"'))
    return found
