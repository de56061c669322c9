"""Every header compiles alone.

A header whose own .cpp includes it first is proven by the build itself; the others are compiled here, with the
flags of a neighbour. Headers that need Torch take seconds each, so they are a test of their own (--torch).
Headers that need CUDA are left out where its plugin is not built.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import unittest

import tree

BUILD = pathlib.Path(os.environ.get("BRAID_BINARY_DIR", tree.ROOT / "build/release"))
CUDA_PLUGIN = pathlib.PurePath("core/engine/cuda")
TORCH_LAYERS = {"mixers_torch", "engine", "measure"}


def proven_by_the_build(header):
    source = header.with_suffix(".cpp")
    if not (tree.ROOT / source).exists():
        return False
    first = next(iter(tree.includes(source)), None)
    return first is not None and first[1] == str(header)


def needs_cuda(header):
    return any(needs_cuda(pathlib.PurePath(name)) if quoted and (tree.ROOT / name).exists()
               else name.startswith(("cuda", "cublas")) for _, name, quoted in tree.includes(header))


def flags_of(words):
    """The include paths, definitions and language options of a compile command."""
    kept = []
    for index, word in enumerate(words):
        if word in ("-isystem", "-idirafter"):
            kept += words[index:index + 2]
        elif word.startswith(("-I", "-D", "-std", "-m", "-f")):
            kept.append(word)
    return kept


def compile_commands():
    """folder -> compile command, without input and output, of the file there that needs the most flags"""
    commands = {}
    cache = [shutil.which("ccache")] if shutil.which("ccache") else []
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if path.is_relative_to(tree.ROOT) and path.suffix == ".cpp":
            words = shlex.split(entry["command"])
            command = [*cache, words[0], *flags_of(words)]
            folder = path.parent.relative_to(tree.ROOT)
            commands[folder] = max(command, commands.get(folder, []), key=len)
    return commands


def command_for(header, commands):
    """That of the nearest folder at or above the header's; else the fullest of its layer."""
    folder = header.parent
    while folder.parts:
        if folder in commands:
            return commands[folder]
        folder = folder.parent
    kin = [command for path, command in commands.items()
           if tree.layer_of(path / "any.cpp") == tree.layer_of(header)]
    return max(kin or commands.values(), key=len)


def compile_alone(header, commands):
    source = BUILD / "tests/headers" / header.with_suffix(".cpp")
    source.parent.mkdir(parents=True, exist_ok=True)
    wanted = f'#include "{header}"\n#include "{header}"\n'
    if not source.exists() or source.read_text() != wanted:
        source.write_text(wanted)
    # -c instead of -fsyntax-only, so that ccache can answer.
    done = subprocess.run([*command_for(header, commands), f"-I{tree.ROOT}", "-Wall", "-Wextra", "-Werror", "-O0", "-c", source,
                           "-o", source.with_suffix(".o")], capture_output=True, text=True)
    return None if done.returncode == 0 else f"{header}:\n{done.stderr[:1500]}"


class Headers(unittest.TestCase):
    longMessage = False
    torch = False

    def test_compile_alone(self):
        commands = compile_commands()
        headers = [header for header in tree.files(".h")
                   if header.parts[0] in ("core", "kernels", "widgets", "app")
                   and not proven_by_the_build(header)
                   and (tree.layer_of(header) in TORCH_LAYERS) == self.torch]
        if CUDA_PLUGIN not in commands:
            left_out = [header for header in headers if needs_cuda(header)]
            headers = [header for header in headers if header not in left_out]
            print(f"{len(left_out)} headers left out: no CUDA toolkit", file=sys.stderr)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = [fault for fault in pool.map(lambda header: compile_alone(header, commands), headers) if fault]
        print(f"{len(headers)} headers compiled", file=sys.stderr)
        self.assertFalse(faults, "\n" + "\n".join(faults))


if __name__ == "__main__":
    if "--torch" in sys.argv:
        sys.argv.remove("--torch")
        Headers.torch = True
    unittest.main()
