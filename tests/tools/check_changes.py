#!/usr/bin/env python3
"""Applies example changes to copies of the files that they touch, and checks that they are few.

The number of files that a usual addition touches is a property of the design: tests/tools/changes/ has such additions as
patches. A patch that no longer applies is made anew; one that needs more files than LIMITS says is a step back. Nothing is
built.

usage: check_changes.py SOURCE
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LIMITS = {"gpu-feature": 3, "cpu-feature": 2}  # files


def problem_of(root, patch, most):
    files = re.findall(r"^\+\+\+ b/(.+)$", patch.read_text(), re.M)
    if not files or len(files) > most:
        return f"touches {len(files)} files, must touch 1 to {most}"
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            copy = pathlib.Path(folder, file)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / file, copy)
        done = subprocess.run(["patch", "-p1", "--batch", "--fuzz=0", "-i", patch], cwd=folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return f"does not apply:\n{done.stdout}" if done.returncode else None


def main():
    if not shutil.which("patch"):
        sys.exit(77)
    root = pathlib.Path(sys.argv[1]).resolve()
    folder = root / "tests/tools/changes"
    found = {patch.stem: patch for patch in sorted(folder.glob("*.patch"))}
    problems = [f"{name}: is in only one of LIMITS and {folder}" for name in sorted(found.keys() ^ LIMITS.keys())]
    for name in sorted(found.keys() & LIMITS.keys()):
        if problem := problem_of(root, found[name], LIMITS[name]):
            problems.append(f"{name}.patch {problem}")
    print("\n".join(problems) or f"changes: {len(found)} apply")
    sys.exit(bool(problems))


main()
