"""LibTorch's cache: filled whole or not at all, adopted, repaired, shared by two launchers."""
import os
import shutil
import subprocess
import unittest

from sandbox import Sandbox


class LibTorch(unittest.TestCase):
    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.remove)

    def assert_whole(self):
        self.assertEqual((self.box.cache / "torch/lib/libtorch_cpu.so").read_bytes(), b"cpu" * 1000)
        self.assertEqual((self.box.cache / "torch/lib/libc10.so").read_bytes(), b"c10" * 1000)
        self.assertTrue((self.box.cache / "nvidia/cu13/lib/libcudart.so.13").exists())
        self.assertFalse((self.box.cache.parent / (self.box.cache.name + ".part")).exists())

    def fetch(self, **environment):
        done = self.box.fetch(**environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_announces_fetches_then_stays_silent(self):
        first = self.fetch()
        self.assertIn("to download", first.stderr)
        self.assertIn("on disk", first.stderr)
        self.assertEqual(first.stdout, f"{self.box.cache}\n")
        self.assert_whole()
        self.assertEqual(self.fetch().stderr, "")

    def test_a_truncated_and_a_missing_library_are_named_and_repaired(self):
        self.fetch()
        os.truncate(self.box.cache / "torch/lib/libc10.so", 10)
        (self.box.cache / "nvidia/cu13/lib/libcudart.so.13").unlink()
        again = self.fetch()
        self.assertIn("torch/lib/libc10.so: 10 bytes, should have 3000", again.stderr)
        self.assertIn("libcudart.so.13: No such file", again.stderr)
        self.assert_whole()
        self.assertEqual(self.fetch().stderr, "")

    def test_a_changed_library_is_found_when_the_cache_is_adopted(self):
        self.fetch()
        shutil.rmtree(self.box.cache / ".braid")
        self.assertNotIn("Fetching", self.fetch().stderr)  # sound: adopted as it is
        shutil.rmtree(self.box.cache / ".braid")
        (self.box.cache / "torch/lib/libc10.so").write_bytes(b"xxx" * 1000)
        again = self.fetch()
        self.assertIn("libc10.so: its content has changed", again.stderr)
        self.assert_whole()

    def test_a_wheel_with_another_hash_is_refused(self):
        wheel = next(self.box.wheels.glob("torch-*.whl"))
        wheel.write_bytes(wheel.read_bytes() + b" ")
        done = self.box.fetch()
        self.assertEqual(done.returncode, 1)
        self.assertIn("DO NOT MATCH THE HASHES", done.stderr)
        self.assertFalse(self.box.cache.exists())

    def test_without_the_wheels_it_says_how_to_go_on(self):
        shutil.rmtree(self.box.wheels)
        self.box.wheels.mkdir()
        done = self.box.fetch()
        self.assertEqual(done.returncode, 1)
        self.assertIn("Nothing is half done", done.stderr)
        self.assertIn("BRAID_WHEELS", done.stderr)
        self.assertIn("BRAID_TORCH_DIR", done.stderr)
        self.assertFalse(self.box.cache.exists())

    def test_what_an_interrupted_fetch_left_is_cleared(self):
        part = self.box.cache.parent / (self.box.cache.name + ".part")
        (part / "new/torch/lib").mkdir(parents=True)
        (part / "new/torch/lib/libtorch_cpu.so").write_bytes(b"half")
        self.fetch()
        self.assert_whole()

    def test_a_gpu_gained_later_adds_its_libraries(self):
        self.fetch()
        cpu = os.stat(self.box.cache / "torch/lib/libtorch_cpu.so").st_ino
        more = self.fetch(BRAID_GPU="yes")
        self.assertIn("libtorch-cuda", more.stderr)
        self.assertTrue((self.box.cache / "nvidia/cu13/lib/libcublas.so.13").exists())
        self.assertEqual(os.stat(self.box.cache / "torch/lib/libtorch_cpu.so").st_ino, cpu)
        self.assert_whole()
        self.assertEqual(self.fetch(BRAID_GPU="yes").stderr, "")

    def test_two_launchers_fetch_once(self):
        command = [self.box.installed_libtorch()]
        both = [subprocess.Popen(command, env=self.box.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True) for _ in range(2)]
        messages = [process.communicate(timeout=120)[1] for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0], messages)
        self.assertEqual(sum("Fetching LibTorch" in message for message in messages), 1, messages)
        self.assert_whole()

    def test_too_little_space_is_said_before_anything_is_fetched(self):
        self.box.tool("df", "printf 'Avail\\n1000000\\n'\n")
        done = self.box.fetch()
        self.assertEqual(done.returncode, 1)
        self.assertIn("not enough space", done.stderr)
        self.assertIn("has 1 MB left", done.stderr)
        self.assertFalse(self.box.cache.exists())

    def test_a_folder_that_cannot_be_made_is_named(self):
        blocked = self.box.folder / "file"
        blocked.write_text("")
        done = self.box.fetch(XDG_CACHE_HOME=str(blocked))
        self.assertEqual(done.returncode, 1)
        self.assertIn("XDG_CACHE_HOME", done.stderr)

    def test_a_folder_that_cannot_be_written_is_named(self):
        # A folder in the lock's place: root may write anywhere, but not into that.
        (self.box.cache.parent / (self.box.cache.name + ".lock")).mkdir(parents=True)
        done = self.box.fetch()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("cannot write to", done.stderr)
        self.assertIn("XDG_CACHE_HOME", done.stderr)

    def test_a_given_folder_must_hold_the_right_torch(self):
        wrong = self.box.fetch(BRAID_TORCH_DIR=str(self.box.folder))
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("does not hold torch/lib/libtorch_cpu.so", wrong.stderr)
        self.fetch()
        right = self.fetch(BRAID_TORCH_DIR=str(self.box.cache), XDG_CACHE_HOME="/nowhere")
        self.assertEqual(right.stdout, f"{self.box.cache}\n")
        (self.box.cache / "torch/version.py").write_text("__version__ = '2.9.1'\n")
        older = self.box.fetch(BRAID_TORCH_DIR=str(self.box.cache))
        self.assertEqual(older.returncode, 1)
        self.assertIn("is not PyTorch 2.11.0", older.stderr)


if __name__ == "__main__":
    unittest.main()
