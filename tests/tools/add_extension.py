#!/usr/bin/env python3
"""Checks what a new extension with a macro and a function touches: at most two files, from which devices report it and the
front end defines its macro.

Applies add-extension.patch to a copy of the files that it changes, and looks for the extension in the tables that the
preprocessor makes of the copy.

usage: add_extension.py SOURCE BUILD COMPILER FRONT_END_INCLUDE
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MOST_FILES = 2
# A source that has a table of extensions -> the row that it has for cl_kiln_example.
ROWS = {
    "backends/CommonInfo.h": r'\{"cl_kiln_example", .*?, Needs::All\}',
    "dialects/frontend/Extensions.cpp": r'\{"cl_kiln_example", 200\}',
}


def preprocessed(compiler, file, folders):
    includes = [word for folder in folders for word in ("-I", str(folder))]
    command = [compiler, "-std=c++20", "-E", "-P", "-x", "c++", *includes, str(file)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main(source, build, compiler, front_end):
    patch = pathlib.Path(__file__).resolve().with_name("add-extension.patch")
    files = re.findall(r"^\+\+\+ b/(.+)$", patch.read_text(), re.M)
    problems = [] if len(files) <= MOST_FILES else [f"the patch changes {len(files)} files, must be at most {MOST_FILES}"]
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for file in files:
            (copy / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / file, copy / file)
        # The folder is no repository, so `git apply` changes files below the working folder.
        environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(copy.parent)}
        subprocess.run(["git", "apply", str(patch)], check=True, cwd=copy, env=environment)
        for file, row in ROWS.items():
            text = preprocessed(compiler, source / file, (copy, source, build, front_end))
            if not re.search(row, text):
                problems.append(f"{file} has no row for the extension that the patch adds")
    print("\n".join(problems) or f"an extension touches {len(files)} files: {', '.join(files)}")
    sys.exit(bool(problems))


main(pathlib.Path(sys.argv[1]).resolve(), *sys.argv[2:])
