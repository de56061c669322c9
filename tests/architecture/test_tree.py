"""Rules that hold for every file: allowed edges, what may be included where, length, form."""
import re
import unittest

import tree

MAX_LINES = 600
# Torch's fat umbrella header costs 36 s and 1.3 GB a file.
FORBIDDEN_EVERYWHERE = ("torch/torch.h", "torch/all.h")
TORCH = ("torch/", "ATen/", "c10/", "caffe2/")
WITHOUT_TORCH = {"base", "spec", "mixers", "data", "record", "analysis", "attention", "launch", "kernels", "widgets",
                 "app_workbench"}
WITHOUT_SQLITE = {"base", "spec", "mixers", "kernels"}


def is_qt(name):
    return re.fullmatch(r"Q[A-Z]\w*|Qt\w*(/\w+)?|q[a-z]\w*\.h", name) is not None


class Tree(unittest.TestCase):
    longMessage = False

    def check(self, faults):
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_includes_follow_the_allowed_edges(self):
        edges, faults = tree.allowed_edges(), []
        self.assertGreater(len(edges), 10, "the table of allowed edges was not found")
        for path in tree.files(*tree.CODE):
            layer = tree.layer_of(path)
            if layer is None:
                continue
            if layer not in edges:
                faults.append(f"{path}: its folder is no layer of braid_library.cmake")
                continue
            for line, name, quoted in tree.includes(path):
                top = name.split("/")[0]
                if not quoted or top not in ("core", "kernels", "widgets", "app"):
                    continue
                if not (tree.ROOT / name).exists():
                    faults.append(f"{path}:{line}: there is no {name}")
                    continue
                other = tree.layer_of(tree.pathlib.PurePath(name))
                if other != layer and other not in edges[layer]:
                    faults.append(f"{path}:{line}: {layer} may not use {other} ({name})")
        self.check(faults)

    def test_qt_stays_in_the_window(self):
        self.check([f"{path}:{line}: <{name}> in {path.parts[0]}/, which has no Qt"
                    for path in tree.files(*tree.CODE)
                    if path.parts[0] in ("core", "kernels") or path.parts[:2] == ("app", "engine")
                    for line, name, _ in tree.includes(path) if is_qt(name)])

    def test_torch_stays_in_the_engine(self):
        self.check([f"{path}:{line}: <{name}> in {tree.layer_of(path)}, which has no Torch"
                    for path in tree.files(*tree.CODE) if tree.layer_of(path) in WITHOUT_TORCH
                    for line, name, _ in tree.includes(path) if name.startswith(TORCH)])

    def test_values_know_no_database(self):
        self.check([f"{path}:{line}: <{name}> in {tree.layer_of(path)}"
                    for path in tree.files(*tree.CODE) if tree.layer_of(path) in WITHOUT_SQLITE
                    for line, name, _ in tree.includes(path) if "sqlite" in name.lower()])

    def test_no_umbrella_header(self):
        self.check([f"{path}:{line}: <{name}>" for path in tree.files(*tree.CODE)
                    for line, name, _ in tree.includes(path) if name in FORBIDDEN_EVERYWHERE])

    def test_includes_name_the_path_from_the_root(self):
        self.check([f'{path}:{line}: "{name}"' for path in tree.files(*tree.CODE)
                    for line, name, _ in tree.includes(path) if ".." in name])

    def test_files_are_short(self):
        self.check([f"{path}: {count} lines, at most {MAX_LINES}"
                    for path in tree.files(*tree.CODE, ".py", ".sh", ".cmake")
                    if (count := tree.text(path).count("\n")) > MAX_LINES])

    def test_headers_say_pragma_once(self):
        self.check([str(path) for path in tree.files(".h", ".cuh") if "#pragma once" not in tree.text(path)])

    def test_every_test_folder_is_run(self):
        listed = re.findall(r"^add_subdirectory\((\w+)\)", tree.text("tests/CMakeLists.txt"), re.MULTILINE)
        folders = {path.parts[1] for path in tree.files(".txt") if path.match("tests/*/CMakeLists.txt")}
        self.check([f"tests/CMakeLists.txt does not name {folder}" for folder in sorted(folders - {"fuzz"} - set(listed))])
        self.assertEqual(len(listed), len(set(listed)), "a folder is named twice")

    def test_nothing_is_left_for_later(self):
        marks = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
        self.check([f"{path}:{number}: {line.strip()}"
                    for path in tree.files(*tree.CODE, ".py", ".sh", ".cmake", ".md")
                    for number, line in enumerate(tree.text(path).splitlines(), 1) if marks.search(line)])


if __name__ == "__main__":
    unittest.main()
