"""The window never loads Torch, the engine never loads Qt, and both start fast."""
import os
import re
import shutil
import subprocess
import time
import unittest

from programs import COMPUTE, ENGINE, WINDOW, Place


def needed_libraries(program):
    done = subprocess.run(["ldd", program], capture_output=True, text=True)
    return [line.split()[0] for line in done.stdout.splitlines() if line.strip()]  # as they are loaded


class Separation(Place):
    def test_the_window_never_loads_torch(self):
        libraries = needed_libraries(WINDOW)
        self.assertTrue(any("Qt6Widgets" in name for name in libraries), "ldd shows nothing")
        self.assertEqual([name for name in libraries if re.search("torch|libc10|libcuda|libcudart", name)], [])

    def test_the_engine_never_loads_qt_nor_cuda(self):
        libraries = needed_libraries(COMPUTE)
        self.assertTrue(any("torch_cpu" in name for name in libraries), "ldd shows nothing")
        self.assertEqual([name for name in libraries if re.search("Qt|torch_cuda|libcuda.so", name)], [])

    def test_no_blas_comes_before_torchs_own(self):
        # liblinear brings one; a name is looked up in the order of loading.
        libraries = needed_libraries(COMPUTE)
        torch = next(i for i, name in enumerate(libraries) if "torch_cpu" in name)
        self.assertEqual([name for name in libraries[:torch] if re.search("blas|lapack|atlas", name)], [])

    def test_records_need_no_torch(self):
        libraries = needed_libraries(ENGINE)
        self.assertTrue(any("sqlite3" in name for name in libraries), "ldd shows nothing")
        self.assertEqual([name for name in libraries if re.search("torch|libc10|Qt|libcuda|libcudart", name)], [])
        seconds = []
        for _ in range(5):
            begin = time.monotonic()
            self.assertEqual(self.ask("run", "list", "--project", self.project), [])
            seconds.append(time.monotonic() - begin)
        print(f"an empty list of runs: {min(seconds):.3f} s")
        self.assertLess(min(seconds), 0.15 * max(2.0, os.getloadavg()[0]))

    def test_records_are_read_where_no_torch_was_found(self):
        self.environment["BRAID_NO_LIBTORCH"] = "no PyTorch for this user"
        self.assertEqual(self.ask("run", "list", "--project", self.project), [])
        done = self.engine(*self.training(1))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "braid-engine: no PyTorch for this user\n")

    def test_both_programs_of_the_engine_say_the_same(self):
        for words in (["run", "list"], ["run", "stop"], ["study", "fit"], ["study", "show"], ["corpus", "build"], ["arch", "show"]):
            said = [subprocess.run([program, *words, "--help"], capture_output=True, text=True, env=self.environment)
                    for program in (ENGINE, COMPUTE)]
            self.assertEqual([done.returncode for done in said], [0, 0])
            self.assertEqual(said[0].stdout, said[1].stdout)
            self.assertIn("Example:", said[0].stdout)

    def test_an_engine_without_its_other_half_says_so(self):
        alone = self.folder / "braid-engine"
        shutil.copy(ENGINE, alone)
        done = subprocess.run([alone, "train", "F"], capture_output=True, text=True, env=self.environment)
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(self.folder / "braid-compute"), done.stderr)

    def test_the_engine_trains_within_a_moment(self):
        begin = time.monotonic()
        done = self.engine(*self.training(1))
        seconds = time.monotonic() - begin
        self.assertEqual(done.returncode, 0, done.stderr)
        print(f"start to the end of one training step: {seconds:.2f} s")
        # 1.5 s on an idle machine; the rest is what a busy one may add.
        self.assertLess(seconds, 1.5 * max(2.0, os.getloadavg()[0]))

    def test_the_window_paints_soon(self):
        process = subprocess.run([WINDOW, "--measure-startup", "--screenshot", self.folder / "window.png"],
                                 env={**self.environment, "QT_QPA_PLATFORM": "offscreen"}, capture_output=True,
                                 text=True, timeout=60)
        self.assertEqual(process.returncode, 0, process.stderr)
        painted = re.search(r"(\d+(\.\d+)?) ?ms", process.stdout + process.stderr)
        self.assertIsNotNone(painted, process.stdout + process.stderr)
        print(f"window painted after {painted[1]} ms")
        self.assertLess(float(painted[1]), 1000 * max(2.0, os.getloadavg()[0]))
        self.assertGreater((self.folder / "window.png").stat().st_size, 10000)


if __name__ == "__main__":
    unittest.main()
