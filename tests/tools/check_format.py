#!/usr/bin/env python3
"""Checks that every C++ file is formatted as clang-format formats it. With --fix, formats the files.

usage: check_format.py SOURCE CLANG_FORMAT [--fix]
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys


FOLDERS = ("api", "backends", "base", "bench", "cmake", "dialects", "doctor", "emulator", "examples", "packaging", "passes",
           "runtime", "tests")


def cpp_files(root):
    return sorted(str(file.relative_to(root)) for folder in FOLDERS for file in (root / folder).rglob("*")
                  if file.suffix in (".cpp", ".h"))


def main():
    root, program, fix = pathlib.Path(sys.argv[1]), sys.argv[2], "--fix" in sys.argv[3:]
    files = cpp_files(root)
    if not files:
        sys.exit("format: found no C++ file")
    mode = ["-i"] if fix else ["--dry-run", "--Werror"]

    def run(chunk):
        return subprocess.run([program, *mode, *chunk], cwd=root, capture_output=True, text=True)

    jobs = len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = list(pool.map(run, (files[i::jobs] for i in range(jobs))))
    for result in runs:
        sys.stderr.write(result.stderr)
    if any(result.returncode for result in runs):
        sys.exit(f"format: to format the files, run: python3 tests/tools/check_format.py . {program} --fix")
    print(f"format: {len(files)} files are all right")


main()
