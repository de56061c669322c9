"""What other tools check: formatting, shell scripts, desktop and AppStream files, JSON."""
import json
import shutil
import subprocess
import unittest

import tree


def tool(name):
    return unittest.skipUnless(shutil.which(name), f"{name} is not installed")


def run(*command):
    return subprocess.run(command, cwd=tree.ROOT, capture_output=True, text=True)


def is_script(path):
    return path.suffix == ".sh" or path.suffix == "" and tree.ROOT.joinpath(path).read_bytes()[:11] == b"#!/bin/bash"


class Form(unittest.TestCase):
    longMessage = False

    @tool("clang-format-14")
    def test_sources_are_formatted(self):
        done = run("clang-format-14", "--dry-run", "-Werror", *map(str, tree.files(*tree.CODE)))
        wrong = sorted({line.split(":")[0] for line in done.stderr.splitlines() if "clang-format-violations" in line})
        self.assertEqual(done.returncode, 0, "\nclang-format-14 -i " + " ".join(wrong) + "\n" + done.stderr[-500:])

    @tool("shellcheck")
    def test_scripts_are_clean(self):
        scripts = [str(path) for path in tree.files() if is_script(path)]
        self.assertIn("braid", scripts)
        done = run("shellcheck", "-x", *scripts)
        self.assertEqual(done.returncode, 0, done.stdout)

    @tool("desktop-file-validate")
    def test_desktop_files_are_valid(self):
        for path in tree.files(".desktop"):
            done = run("desktop-file-validate", str(path))
            self.assertEqual(done.returncode, 0, done.stdout)

    @tool("appstreamcli")
    def test_appstream_metadata_is_valid(self):
        for path in tree.files(".xml"):
            if path.name.endswith(".metainfo.xml"):
                done = run("appstreamcli", "validate", "--no-net", str(path))
                self.assertEqual(done.returncode, 0, done.stdout)

    def test_json_files_parse(self):
        for path in tree.files(".json"):
            with self.subTest(path=str(path)):
                if path.parts[0] != "tests":  # there are wrong ones there, on purpose
                    json.loads(tree.text(path))


if __name__ == "__main__":
    unittest.main()
