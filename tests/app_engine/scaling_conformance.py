"""Fits of braid-engine against an independent one: numpy and scipy, written from the formula.

Where neither this Python, nor the system's, nor PyPI has scipy, the test is skipped, visibly (exit code 77).
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

PACKAGES = ["numpy", "scipy"]
SKIPPED = 77
LIMIT = 1e-3
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "braid",
                     "test-scipy-%d.%d" % sys.version_info[:2])


def enter_environment():
    """Goes on in a Python that has scipy."""
    def has_scipy(python):
        return os.path.exists(python) and subprocess.run([python, "-c", "import numpy, scipy.optimize"],
                                                         capture_output=True).returncode == 0
    made = os.path.join(CACHE, "bin", "python")
    for python in (sys.executable, "/usr/bin/python3", made):
        if has_scipy(python):
            break
    else:
        python = made
        fine = subprocess.run([sys.executable, "-m", "venv", CACHE]).returncode == 0 and subprocess.run(
            [made, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--timeout", "15", "--retries", "1",
             *PACKAGES]).returncode == 0
        if not fine or not has_scipy(made):
            print("SKIPPED: no scipy, and PyPI cannot be reached")
            sys.exit(SKIPPED)
    os.execv(python, [python, os.path.abspath(__file__), "--inside"])


if "--inside" not in sys.argv:
    enter_environment()

import numpy as np  # noqa: E402
import scipy.optimize  # noqa: E402
import scipy.special  # noqa: E402

DELTA = 1e-3
TRUTH = {"a": 482.01, "alpha": 0.3478, "b": 2085.43, "beta": 0.3658, "E": 1.8172}


def sample(form, scales, budgets, noise, seed):
    random = np.random.default_rng(seed)
    n = np.repeat(15e6 * 2.0 ** np.arange(scales), budgets)
    d = n * np.tile(20 * 2.0 ** np.arange(budgets), scales)
    loss = TRUTH["a"] * n ** -TRUTH["alpha"] + TRUTH["b"] * d ** -TRUTH["beta"]
    if form == "chinchilla":
        loss = loss + TRUTH["E"]
    return n, d, loss * np.exp(noise * random.standard_normal(len(n)))


def reference(form, n, d, loss):
    """The best of a coarse grid of starts, by BFGS and then by the simplex, which needs no gradient."""
    log_n, log_d, log_loss = np.log(n), np.log(d), np.log(loss)

    def objective(x):
        terms = [x[0] - x[1] * log_n, x[2] - x[3] * log_d]
        if form == "chinchilla":
            terms.append(np.full_like(log_n, x[4]))
        r = scipy.special.logsumexp(terms, axis=0) - log_loss
        return scipy.special.huber(DELTA, r).sum() / DELTA

    best = None
    for alpha in (0.25, 0.75):
        for beta in (0.25, 0.75):
            for a in (5, 10):
                for b in (5, 10):
                    start = [a, alpha, b, beta] + ([0.5] if form == "chinchilla" else [])
                    end = scipy.optimize.minimize(objective, start, method="BFGS", options={"maxiter": 400})
                    if best is None or end.fun < best.fun:
                        best = end
    x = best.x
    for _ in range(12):  # a fresh simplex where the last one has shrunk
        end = scipy.optimize.minimize(objective, x, method="Nelder-Mead",
                                      options={"xatol": 1e-12, "fatol": 1e-14, "maxiter": 20000, "maxfev": 20000})
        moved, x = np.max(np.abs(end.x - x)), end.x
        if moved < 1e-9:
            break
    found = {"a": np.exp(x[0]), "alpha": x[1], "b": np.exp(x[2]), "beta": x[3],
             "E": np.exp(x[4]) if form == "chinchilla" else 0.0}
    return found, end.fun * DELTA


def braid(form, n, d, loss):
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "points.csv")
        with open(table, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["parameters", "tokens", "loss"])
            writer.writerows([repr(float(x)) for x in row] for row in zip(n, d, loss))
        program = os.path.join(os.environ["BRAID_BINARY_DIR"], "bin", "braid-engine")
        done = subprocess.run([program, "fit", table, "--form", form, "--resamples", "0", "--json", "-q"],
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def main():
    failures = 0
    for form, scales, budgets, noise in (("power2", 4, 6, 0.0), ("power2", 4, 6, 5e-4), ("power2", 3, 6, 5e-3),
                                         ("power2", 6, 10, 2e-2), ("chinchilla", 6, 8, 0.0),
                                         ("chinchilla", 8, 8, 1e-3), ("chinchilla", 12, 20, 5e-3)):
        n, d, loss = sample(form, scales, budgets, noise, seed=scales)
        expected, value = reference(form, n, d, loss)
        got = braid(form, n, d, loss)
        errors = {name: abs(got[name] / expected[name] - 1) for name in TRUTH if expected[name] != 0}
        r2 = 1 - np.sum((loss - (expected["E"] + expected["a"] * n ** -expected["alpha"] +
                                 expected["b"] * d ** -expected["beta"])) ** 2) / np.sum((loss - loss.mean()) ** 2)
        errors["R2"] = abs(got["r2_train"] - r2)
        worst = max(errors, key=errors.get)
        # A smaller sum is a better answer to the same question, and then it is scipy that stopped early.
        better = got["objective"] < value - 1e-6 * value - 1e-15
        fine = errors[worst] < LIMIT or better
        failures += not fine
        print("  %-6s %-10s %3d points, noise %-6g  largest difference %.1e (%s), sum %.9g against %.9g%s" %
              ("ok" if fine else "FAILED", form, len(n), noise, errors[worst], worst, got["objective"], value,
               ", which is less" if better else ""), flush=True)
    sys.exit(1 if failures else 0)


main()
