#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) on the C++ files that changed: those of the branch's commits that origin/main does not
have, or else of the last commit, and those that are not committed. A file takes up to 10 s, so of more than LIMIT files
only the first LIMIT by name are checked. A file is checked as a target that is built compiles it: a target that is not
built has no precompiled header. With --all, checks every file of the tree; those after FILE with --after=FILE.

usage: check_tidy.py SOURCE BUILD CLANG_TIDY [--all [--after=FILE]]
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile


LIMIT = 8


def git(root, *arguments):
    return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True).stdout.strip()


def changed_files(root):
    base = git(root, "merge-base", "HEAD", "origin/main")
    if not base or base == git(root, "rev-parse", "HEAD"):
        base = git(root, "rev-parse", "--verify", "--quiet", "HEAD^")
    names = git(root, "diff", "--name-only", base or "HEAD").split()
    return {str((root / name).resolve()) for name in names if name.endswith(".cpp") and (root / name).exists()}


def commands_of_built_targets(build):
    """One compile command a file, of a target whose object file exists."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        if (pathlib.Path(entry["directory"]) / words[words.index("-o") + 1]).exists():
            commands.setdefault(entry["file"], entry)
    return commands


def main():
    root, build, program = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    compiled = commands_of_built_targets(build)
    if "--all" in sys.argv:
        after = next((str((root / arg[8:]).resolve()) for arg in sys.argv if arg.startswith("--after=")), "")
        files = sorted(file for file in compiled if not file.startswith(str(build.resolve())) and file > after)
    else:
        changed = sorted(changed_files(root) & compiled.keys())
        files = changed[:LIMIT]
        if len(changed) > LIMIT:
            print(f"tidy: {len(changed)} files changed, the first {LIMIT} are checked")

    def run(file):
        return file, subprocess.run([program, "--quiet", "--warnings-as-errors=*", "-p", database, file],
                                    capture_output=True, text=True)

    failed = []
    with (tempfile.TemporaryDirectory() as database,
          concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool):
        (pathlib.Path(database) / "compile_commands.json").write_text(json.dumps(list(compiled.values())))
        for file, result in pool.map(run, files):
            if result.returncode:
                failed.append(file)
                print(result.stdout, flush=True)
    print(f"tidy: {len(files)} files, {len(failed)} with warnings")
    sys.exit(bool(failed))


main()
