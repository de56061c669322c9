"""What goes wrong outside: processes killed, disks full or read-only, memory gone, two of everything."""
import json
import os
import resource
import signal
import subprocess
import time
import unittest

from programs import ENGINE, Place, SmallDisk, is_alive, wait_until


class Killed(Place):
    def test_a_killed_engine_is_lost_within_two_seconds_and_goes_on(self):
        started = self.start_training(400)
        run = started["folder"]
        self.wait_for_step(run, 25)
        os.kill(started["pid"], signal.SIGKILL)
        begin = time.monotonic()
        wait_until(lambda: self.status(run)["state"] == "lost", 2, "the run shows as lost")
        print(f"lost after {time.monotonic() - begin:.2f} s")
        committed = self.steps_of(run)
        self.assertEqual(committed, list(range(1, len(committed) + 1)))
        self.assertGreaterEqual(len(committed), 25)

        self.assertEqual(self.engine("run", "resume", run).returncode, 0)
        self.wait_for_step(run, len(committed) + 5)
        self.assertEqual(self.engine("run", "stop", run).returncode, 0)
        steps = self.steps_of(run)
        self.assertEqual(steps, list(range(1, len(steps) + 1)), "no step is doubled or missing")
        self.assertEqual(len(self.ask("run", "show", run)["attempts"]), 2)

    def test_training_outlives_a_killed_window(self):
        started = self.start_training(100000)
        self.wait_for_step(started["folder"], 1)
        window = self.start_window("--project", self.project)
        time.sleep(1.5)
        self.assertIsNone(window.poll(), (self.folder / "window.log").read_text())
        window.kill()
        window.wait()
        before = self.status(started["folder"])["step"]
        self.wait_for_step(started["folder"], before + 5)
        picture = self.folder / "again.png"
        again = self.start_window("--project", self.project, "--screenshot", picture)
        self.assertEqual(again.wait(timeout=60), 0, (self.folder / "window.log").read_text())
        self.assertTrue(picture.exists())
        self.assertTrue(is_alive(started["pid"]))

    def test_a_killed_starter_takes_no_run_with_it(self):
        study = subprocess.Popen([ENGINE, *map(str, self.training(100000))], env=self.environment, cwd=self.folder,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pids.append(study.pid)
        run = wait_until(lambda: (self.project / "runs").exists() and next((self.project / "runs").iterdir(), None), 60, "a run")
        wait_until((run / "run.db").exists, 60, "its store")
        self.wait_for_step(run, 12)
        study.kill()
        study.wait()
        self.assertEqual(self.status(run)["state"], "lost")
        self.assertEqual(self.ask("run", "list", "--project", self.project)[0]["status"]["state"], "lost")


class Two(Place):
    def test_two_engines_on_one_run(self):
        started = self.start_training(100000)
        self.wait_for_step(started["folder"], 1)
        second = self.engine("train", started["folder"])
        self.assertEqual(second.returncode, 1, second.stdout)
        self.assertIn(str(started["pid"]), second.stderr)
        before = self.status(started["folder"])["step"]
        self.wait_for_step(started["folder"], before + 3)

    def test_two_windows_on_one_project(self):
        started = self.start_training(100000)
        self.wait_for_step(started["folder"], 1)
        pictures = [self.folder / f"{name}.png" for name in "ab"]
        windows = [self.start_window("--project", self.project, "--screenshot", picture) for picture in pictures]
        self.assertEqual([window.wait(timeout=60) for window in windows], [0, 0])
        self.assertNotIn("locked", (self.folder / "window.log").read_text())
        self.assertTrue(all(picture.exists() for picture in pictures))


class Disk(Place):
    def test_a_full_disk_fails_the_run_and_loses_nothing(self):
        disk = SmallDisk(self, "3m")
        project = disk.folder / "Projekt"
        self.make_project(project)
        done = self.engine(*self.training(400, project=project))
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr.lower(), "no space|full")
        run = next((project / "runs").iterdir())
        kept = self.steps_of(run)
        self.assertEqual(kept, list(range(1, len(kept) + 1)))
        self.assertGreater(len(kept), 0)
        # Room again: the run goes on.
        self.assertTrue(disk.remount("size=200m"))
        more = self.engine("train", run)
        self.assertEqual(more.returncode, 0, more.stderr)
        self.assertEqual(self.steps_of(run), list(range(1, 401)))

    def test_a_read_only_folder_is_read_and_refused_for_writing(self):
        disk = SmallDisk(self, "50m")
        project = disk.folder / "Projekt"
        self.make_project(project)
        done = self.engine(*self.training(20, project=project))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(disk.remount("ro"))
        listed = self.ask("run", "list", "--project", project)
        self.assertEqual(listed[0]["status"]["state"], "finished")
        self.assertEqual(len(self.steps_of(listed[0]["id"] if os.path.isabs(listed[0]["id"]) else project / "runs" / listed[0]["id"])), 20)
        refused = self.engine(*self.training(20, project=project))
        self.assertEqual(refused.returncode, 1)
        self.assertRegex(refused.stderr.lower(), "read-only|cannot")
        picture = self.folder / "read-only.png"
        window = self.start_window("--project", project, "--screenshot", picture)
        self.assertEqual(window.wait(timeout=60), 0, (self.folder / "window.log").read_text())


class Memory(Place):
    def test_too_little_memory_is_said(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))

        done = subprocess.run([ENGINE, "train", "F x12", "--scale", "S4", "--data", "recall", "--device", "cpu", "--tokens", "1M",
                               "--project", str(self.project)], env=self.environment, cwd=self.folder, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120, preexec_fn=limit)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("memory", done.stderr.lower())
        run = self.ask("run", "list", "--project", self.project)[0]
        self.assertEqual(run["status"]["state"], "failed")


class Input(Place):
    def test_text_that_is_no_text(self):
        texts = self.folder / "Texte"
        texts.mkdir()
        (texts / "leer.txt").write_bytes(b"")
        (texts / "kaputt.txt").write_bytes(b"good \xff\xfe\xc3 text\n" * 200)
        (texts / "gut ü.txt").write_text("Grüße aus dem Korpus.\n" * 200, encoding="utf-8")
        built = self.engine("corpus", "build", texts, "--out", self.folder / "Korpus ü", "--json")
        self.assertEqual(built.returncode, 0, built.stderr)
        shown = json.loads(built.stdout)
        self.assertGreater(shown["train"]["tokens"] + shown["validation"]["tokens"], 5000)
        self.assertIn("leer.txt", built.stdout + built.stderr)
        self.assertEqual(self.engine("corpus", "build", texts / "leer.txt", "--out", self.folder / "nichts").returncode, 2)

    def test_forty_mistakes_are_forty_lines(self):
        spec = self.folder / "falsch.json"
        good = self.ask("arch", "show", "F x1", "--scale", "tiny")
        self.assertIn("params", good)
        pattern = "".join("S[w=-1]" for _ in range(40))
        done = self.engine("arch", "show", pattern, "--scale", "tiny")
        self.assertEqual(done.returncode, 2)
        self.assertGreaterEqual(done.stderr.count("w"), 40, done.stderr)
        spec.write_text('{"layers": [')
        self.assertEqual(self.engine("arch", "show", spec).returncode, 2)


if __name__ == "__main__":
    unittest.main()
