"""Runs progress.py with its errors on a terminal and in a pipe, and checks what it shows.

usage: check-progress.py PROGRESS_PY
"""
import os
import pty
import re
import subprocess
import sys

STEPS = "import time, sys\nfor n in range(4):\n  time.sleep(0.05)\n  print(f'step {n} done', flush=True)\nsys.exit(3)"


def run(errors):
    return subprocess.run([sys.executable, sys.argv[1], "--label=piece", "4", "^step", sys.executable, "-c", STEPS],
                          stdout=subprocess.PIPE, stderr=errors, text=True)


def check(right, sentence):
    if not right:
        sys.exit(f"check-progress.py: {sentence}")


leader, follower = pty.openpty()
result = run(follower)
os.close(follower)
shown = os.read(leader, 1 << 16).decode()
check(result.returncode == 3, f"the status is {result.returncode}, must be the command's")
check(result.stdout.splitlines() == [f"step {n} done" for n in range(4)], f"the output is {result.stdout!r}")
check("\r\x1b[Kpiece 0 of 4" in shown and re.search(r"piece 2 of 4, about \d+ s left", shown), f"a terminal shows {shown!r}")
check(shown.endswith("\r\x1b[K"), "the line is still there at the end")

plain = run(subprocess.PIPE).stderr
check("\x1b" not in plain and "\r" not in plain, f"a pipe gets {plain!r}")
check(plain.splitlines()[-1] == "piece 4 of 4" and len(plain.splitlines()) == 4, f"a pipe gets {plain!r}")

sys.path.insert(0, os.path.dirname(sys.argv[1]))
sys.dont_write_bytecode = True
import progress
for seconds, words in ((5.4, "5 s"), (61, "1 min 01 s"), (3660, "1 h 01 min")):
    check(progress.spell(seconds) == words, f"{seconds} s are spelled {progress.spell(seconds)}")
print("progress is right")
