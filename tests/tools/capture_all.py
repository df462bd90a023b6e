#!/usr/bin/env python3
"""Captures launches of every kernel that a program launches on the CPU, and repeats each in another process.

usage: capture_all.py REPLAY FOLDER PROGRAM [ARGUMENT...]

Runs the program twice: with KILN_TRACE, which names the kernels, and with KILN_CAPTURE for the first and the last launch of
each. REPLAY is kiln-replay, and FOLDER is made for the bundles. Prints the launches
that cannot be captured or repeated, with the reason, and fails if a replay has other bits without a reason: the order of
atomics is one.
"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys

IMPOSSIBLE = 2  # the exit status of kiln-replay for a launch that cannot be repeated


def launches(trace):
    """How often each kernel was launched, from the trace of a process. Spans of commands are named after the kernel. Those of copies are
    counted as well: KILN_CAPTURE says that no such kernel was launched."""
    events = json.loads(trace.read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    return collections.Counter(event["name"] for event in events if event.get("cat") == "command" and event["ph"] in "XB")


def main():
    replay, folder, program = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = {**os.environ, "KILN_DEVICES": "cpu"}
    subprocess.run(program, env={**environment, "KILN_TRACE": str(folder / "trace-%p")}, check=True, stdout=subprocess.DEVNULL)
    counts = sum((launches(trace) for trace in folder.glob("trace-*")), collections.Counter())
    if not counts:
        sys.exit("capture_all.py: the program launched no kernel")
    wanted = [f"{kernel}#{number}" for kernel, count in counts.items() for number in sorted({1, count})]
    bundles = folder / "bundles"
    bundles.mkdir()
    said = subprocess.run(program, env={**environment, "KILN_CAPTURE": ",".join(wanted), "KILN_CAPTURE_DIR": str(bundles)},
                          check=True, capture_output=True, text=True).stderr
    for line in said.splitlines():
        if "cannot be captured" in line or "cannot be written" in line or "KILN_CAPTURE names" in line and "launched 0 times" not in line:
            print(line)
    same, free, refused, wrong = 0, 0, 0, 0
    for bundle in sorted(bundles.iterdir()):
        done = subprocess.run([replay, bundle], capture_output=True, text=True)
        if done.returncode == 0:
            same += 1
        elif "as they may" in done.stdout:
            free += 1
        else:
            print(f"{bundle.name}: {(done.stdout + done.stderr).strip()}")
            refused += done.returncode == IMPOSSIBLE
            wrong += done.returncode != IMPOSSIBLE
    print(f"{same} launches have the same bits, {free} may differ, {refused} are refused, {wrong} are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
