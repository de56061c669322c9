"""./braid itself: its verbs, the packages it asks for, and what it says where it cannot go on."""
import os
import subprocess
import unittest

from sandbox import Sandbox

# dpkg-query that knows only the packages listed in $INSTALLED
DPKG = """
for name in "${@:4}"; do grep -qx -- "$name" "$INSTALLED" && printf '%s ii \\n' "$name"; done; exit 0
"""


class Braid(unittest.TestCase):
    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.remove)
        self.installed = self.box.folder / "installed.txt"
        self.installed.write_text("cmake\n")
        self.log = self.box.folder / "apt.log"
        self.box.environment.update(INSTALLED=str(self.installed), LOG=str(self.log))
        self.box.tool("dpkg-query", DPKG)
        self.box.tool("sudo", "exit 1\n")

    def test_help_lists_every_verb(self):
        done = self.box.braid("--help")
        self.assertEqual(done.returncode, 0)
        for verb in ("example", "engine", "figure", "build", "test", "bundle", "deb", "wheels", "clean"):
            self.assertIn(f"./braid {verb}", done.stdout)

    def test_an_unknown_word_is_refused(self):
        done = self.box.braid("biuld")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'biuld' is neither a verb nor a project folder", done.stderr)

    def test_without_root_it_prints_the_one_command(self):
        done = self.box.braid("build", as_user=True)
        self.assertEqual(done.returncode, 1)
        lines = [line for line in done.stderr.splitlines() if "apt-get install --no-install-recommends" in line]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn(" ninja-build ", lines[0])
        self.assertNotIn(" cmake ", lines[0])  # installed already
        self.assertNotIn(" xvfb", lines[0])    # for tests only
        self.assertEqual(done.stdout, "")

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_as_root_it_installs_exactly_what_is_missing(self):
        # Succeeds at the second try, as on a machine whose lists have to be fetched first.
        self.box.tool("apt-get", """
printf '%s\\n' "$*" >> "$LOG"
case "$*" in
    *update*) touch "$LOG.updated" ;;
    *install*) [[ -e "$LOG.updated" ]] || exit 100
        printf '%s\\n' "$@" >> "$INSTALLED" ;;
esac
""")
        self.box.tool("cmake", "echo reached cmake; exit 1\n")
        done = self.box.braid("build")
        self.assertIn("could not be configured", done.stderr)  # past packages and LibTorch
        install = self.log.read_text().splitlines()[-1]
        self.assertIn("--no-install-recommends", install)
        self.assertIn(" mold", install)
        self.assertNotIn(" cmake", install)
        self.assertTrue((self.box.cache / "torch/lib/libtorch_cpu.so").exists())

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_a_failing_apt_get_is_explained(self):
        self.box.tool("apt-get", "echo 'E: Temporary failure resolving' >&2; exit 100\n")
        done = self.box.braid("build")
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not be installed", done.stderr)
        self.assertIn("Without network", done.stderr)
        self.assertNotIn("Fetching", done.stderr)

    def test_another_system_is_told_what_is_needed(self):
        for name in ("dirname", "readlink", "bash", "id", "fmt", "cat", "env", "realpath"):
            self.box.tools.joinpath(name).symlink_to(f"/usr/bin/{name}")
        self.box.tools.joinpath("dpkg-query").unlink()
        done = self.box.braid("build", PATH=str(self.box.tools))
        self.assertEqual(done.returncode, 1)
        self.assertIn("qt6-base-dev", done.stderr)
        self.assertIn("BRAID_NO_PACKAGES=1", done.stderr)

    def test_without_a_display_the_example_runs(self):
        done = self.box.braid(as_user=True)
        self.assertIn("training the example study", done.stderr)
        self.assertNotIn("training the example", self.box.braid("--safe-mode", as_user=True).stderr)
        self.assertNotIn("training the example", self.box.braid(as_user=True, DISPLAY=":0").stderr)

    def test_the_example_refuses_a_folder_that_holds_something_else(self):
        (self.box.home / "notes.txt").write_text("mine")
        script = "source ./common.sh; source ./example.sh; copy_example \"$1\""
        done = subprocess.run(["bash", "-ec", script, "-", self.box.home], cwd=self.box.launcher,
                              env=self.box.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("neither empty nor a Braid project", done.stderr)
        self.assertEqual((self.box.home / "notes.txt").read_text(), "mine")

    def test_works_through_a_link_and_without_a_home(self):
        link = self.box.folder / "link"
        link.symlink_to(self.box.tree / "braid")
        environment = {key: value for key, value in self.box.environment.items() if key != "HOME"}
        done = subprocess.run([link, "--help"], env=environment, cwd="/", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_clean_removes_the_build_and_keeps_libtorch(self):
        (self.box.tree / "build/release").mkdir(parents=True)
        self.box.fetch()
        self.assertEqual(self.box.braid("clean").returncode, 0)
        self.assertFalse((self.box.tree / "build").exists())
        self.assertTrue(self.box.cache.exists())
        self.assertEqual(self.box.braid("clean", "--libtorch").returncode, 0)
        self.assertFalse(self.box.cache.exists())


class EngineScript(unittest.TestCase):
    """bin/braid-engine of a bundle or package: finds LibTorch, then starts the program."""

    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.remove)
        self.box.fetch()
        root = self.box.folder / "bundle"
        (root / "bin").mkdir(parents=True)
        (root / "lib/braid").mkdir(parents=True)
        self.script = root / "bin/braid-engine"
        self.script.write_bytes((self.box.launcher / "braid-engine.sh").read_bytes())
        self.script.chmod(0o755)
        program = root / "lib/braid/braid-engine"
        program.write_text('#!/bin/bash\nprintf "%s\\n" "$LD_LIBRARY_PATH" "$@"\necho "$BRAID_NO_LIBTORCH" >&2\n')
        program.chmod(0o755)
        self.elsewhere = self.box.folder / "else where"
        self.box.cache.rename(self.elsewhere)

    def test_takes_the_folder_given(self):
        for argument in (["--torch", self.elsewhere], [f"--torch={self.elsewhere}"], ["--torch", self.elsewhere / "torch"]):
            done = self.box.run(self.script, *argument, "run", "list --all")
            self.assertEqual(done.returncode, 0, done.stderr)
            path, *arguments = done.stdout.splitlines()
            self.assertEqual(arguments, ["run", "list --all"])
            self.assertIn(f"{self.elsewhere}/torch/lib", path)
            self.assertIn(f"{self.elsewhere}/nvidia/cu13/lib", path)
            self.assertTrue(path.startswith(str(self.script.parents[1] / "lib/braid")))

    def test_finds_the_cache_and_what_python_would_import(self):
        done = self.box.run(self.script, "x", PYTHONPATH=str(self.elsewhere))
        # A namespace without __init__.py is not importable as torch.
        self.assertNotIn("torch/lib", done.stdout)
        (self.elsewhere / "torch/__init__.py").write_text("raise SystemExit('must not be imported')\n")
        done = self.box.run(self.script, "x", PYTHONPATH=str(self.elsewhere))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{self.elsewhere}/torch/lib", done.stdout)
        self.elsewhere.rename(self.box.cache)
        self.assertIn(f"{self.box.cache}/torch/lib", self.box.run(self.script, "x").stdout)

    def test_says_what_is_missing(self):
        # The program starts, for records need none, and says so itself where it does need one.
        none = self.box.run(self.script, "x")
        self.assertEqual(none.stdout.splitlines()[1:], ["x"])
        self.assertIn("no PyTorch 2.11.0 for this user", none.stderr)
        self.assertIn("pip install torch==2.11.0", none.stderr)
        neighbour = self.script.with_name("braid-libtorch")  # as in the Debian package
        neighbour.write_text("")
        neighbour.chmod(0o755)
        self.assertIn("Fetch it with braid-libtorch", self.box.run(self.script, "x").stderr)
        wrong = self.box.run(self.script, "--torch", self.box.folder, "x")
        self.assertIn("no torch/lib/libtorch_cpu.so in it", wrong.stderr)
        (self.elsewhere / "torch/version.py").write_text("__version__ = '2.9.1'\n")
        older = self.box.run(self.script, "--torch", self.elsewhere, "x")
        self.assertEqual(older.returncode, 1)
        self.assertIn("holds PyTorch 2.9.1", older.stderr)


if __name__ == "__main__":
    unittest.main()
