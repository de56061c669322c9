"""The two programs as a user starts them, each test in a folder of its own with spaces and umlauts in its path."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ.get("BRAID_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("BRAID_BINARY_DIR", SOURCE / "build/release"))
ENGINE = BUILD / "bin/braid-engine"
COMPUTE = BUILD / "bin/braid-compute"  # what the engine becomes where it needs LibTorch
WINDOW = BUILD / "bin/braid"


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds, what):
    """The condition's first true value; fails the test after so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s: {what}")


class Place(unittest.TestCase):
    """A home, a data folder and a project that nobody else knows; what was started there is ended afterwards."""

    longMessage = False

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="braid Prüfung "))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.project = self.folder / "mein Projekt ß"
        self.environment = {**os.environ, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder / "data"),
                            "XDG_CONFIG_HOME": str(self.folder / "config"), "LANG": "C.UTF-8"}
        self.environment.pop("XDG_CACHE_HOME", None)
        self.make_project(self.project)
        self.pids = []
        self.addCleanup(self.end_all)

    @staticmethod
    def make_project(folder):
        folder.mkdir()
        (folder / "project.json").write_text(
            '{"schema_version": 1, "title": "Prüfung", "created": "2026-01-01T00:00:00Z"}', encoding="utf-8")

    def end_all(self):
        for pid in self.pids:
            if is_alive(pid):
                os.kill(pid, 9)

    def engine(self, *arguments, **options):
        return subprocess.run([ENGINE, *map(str, arguments)], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, cwd=options.pop("cwd", self.folder), **options)

    def ask(self, *arguments):
        """The JSON document of a verb that has to succeed."""
        done = self.engine(*arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def training(self, steps, *more, project=None):
        """The words of a small training."""
        words = ["train", "FS[w=4] x1", "--data", "recall", "--device", "cpu", "--seed", "3",
                 "--project", project or self.project]
        for setting in (f"steps={steps}", "batch=4", "evaluate_every=10", "checkpoint_every=10", "threads=1"):
            words += ["--set", setting]
        return [*words, *more]

    def start_training(self, steps, *more, project=None):
        """Starts a training that outlives its starter; returns its last line."""
        done = self.engine(*self.training(steps, "--detach", *more, project=project))
        self.assertEqual(done.returncode, 0, done.stderr)
        started = json.loads(done.stdout.splitlines()[-1])
        self.pids.append(started["pid"])
        return started

    def status(self, run):
        return self.ask("run", "show", run)["status"]

    def wait_for_step(self, run, step, seconds=60):
        return wait_until(lambda: self.status(run)["step"] >= step and self.status(run), seconds, f"step {step} of {run}")

    def steps_of(self, run, metric="loss"):
        return self.ask("run", "metrics", run)["series"][metric]["step"]

    def start_window(self, *arguments, **environment):
        """The window on Qt's offscreen platform, with its messages in a file."""
        log = open(self.folder / "window.log", "a")
        self.addCleanup(log.close)
        process = subprocess.Popen([WINDOW, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   env={**self.environment, "QT_QPA_PLATFORM": "offscreen", **environment})
        self.pids.append(process.pid)
        self.addCleanup(process.wait)
        self.addCleanup(self.end_all)
        return process


def mount(*arguments):
    """True where a file system could be mounted; only root can."""
    return os.geteuid() == 0 and subprocess.run(["mount", *map(str, arguments)], capture_output=True).returncode == 0


class SmallDisk:
    """A file system of its own of so many bytes, or None where none can be mounted."""

    def __init__(self, test, size):
        self.folder = test.folder / "Platte"
        self.folder.mkdir()
        if not mount("-t", "tmpfs", "-o", f"size={size}", "none", self.folder):
            test.skipTest("a small file system can only be mounted by root")
        test.addCleanup(subprocess.run, ["umount", "-l", str(self.folder)], capture_output=True)

    def remount(self, *options):
        return mount("-o", "remount," + ",".join(options), self.folder)
