"""Counts the verdicts of kiln-bench on this machine: two identical variants, and a kernel with 3% more or less work.

usage: verdicts.py COUNT [KILN-BENCH [OPTION...]]

Starts a process for each comparison. Prints how many verdicts were right, unknown ("no difference found", at most so
much) and wrong.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).with_name("verdict.cl")
LENGTH = 1000  # of the chain


def label(command, length):
    """The verdict about a chain of this length, compared with the usual one."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "result.json"
        subprocess.run([*command, f"--source={SOURCE}", f"--options=-DN={LENGTH}", f"--source={SOURCE}",
                        f"--options=-DN={length}", f"--benchmark_out={out}"], check=True, capture_output=True)
        return json.loads(out.read_text())["benchmarks"][1]["label"]


def count(command, trials, length, right, wrong):
    found = {"right": 0, "unknown": 0, "wrong": 0}
    for _ in range(trials):
        words = label(command, length)
        kind = "right" if words.startswith(right) else "wrong" if words.startswith(wrong) else "unknown"
        found[kind] += 1
        if kind == "wrong":
            print(f"wrong: {words}")
    return found


def main():
    trials, command = int(sys.argv[1]), sys.argv[2:] or ["kiln-bench"]
    if not any(word.startswith("--size") for word in command):
        command += ["--size=65536"]
    for name, length, right, wrong in (("identical", LENGTH, "no difference", ("faster", "slower")),
                                       ("3% slower", LENGTH * 103 // 100, "slower", "faster"),
                                       ("3% faster", LENGTH * 97 // 100, "faster", "slower")):
        found = count(command, trials, length, right, wrong)
        print(f"{name}: {found['right']} of {trials} right, {found['unknown']} unknown, {found['wrong']} wrong",
              flush=True)


main()
