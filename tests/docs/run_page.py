#!/usr/bin/env python3
"""Runs the commands of a page, and compares what they print with what the page prints.

    run_page.py PAGE [--path FOLDER]... [--set NAME=VALUE]... [--replace FROM=TO]... [--vendor FILE.icd]...
                     [--needs PROGRAM]... [--may-fail]

A page has three kinds of code blocks that count, by the word after the three backticks:

    ```console              lines that start with `$ ` are commands, those with `> ` continue them; others are the output
    ```python file=add.py   the content of a file
    anything else           not looked at: commands that install packages, and pictures of code

All commands of a page run in one shell, in an empty folder, so `cd` and `export` have an effect on later ones. The output
is standard output and error together. In a page's output `...` stands for any text, a line of `...` for any lines. A
command without output in the page may print anything. A command that fails is an error, except with --may-fail.

--path puts a folder in front of PATH, --set sets a variable, --replace changes the commands' text, as an installation in
another folder needs it. --vendor names the .icd files that the OpenCL loader reads; the first must exist. Without a program of --needs, the result is 77: skipped.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SECONDS = 600  # limit of one command, on a busy machine


class Step:
    """A command with the lines that it must print, or a file with its content."""

    def __init__(self, line, command=None, file=None):
        self.line, self.command, self.file, self.lines = line, command, file, []


def steps_of(text):
    steps, kind = [], None
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"```(.*)", line)
        if fence and kind is None:
            name = re.search(r"\bfile=(\S+)", fence[1])
            kind = "file" if name else fence[1].split()[0] if fence[1].split() else "other"
            if name:
                steps.append(Step(number, file=name[1]))
        elif fence:
            kind = None
        elif kind == "file":
            steps[-1].lines.append(line)
        elif kind == "console" and line.startswith("$ "):
            steps.append(Step(number, command=line[2:]))
        elif kind == "console" and line.startswith("> ") and steps[-1].command and not steps[-1].lines:
            steps[-1].command += "\n" + line[2:]
        elif kind == "console":
            if not steps or steps[-1].command is None:
                sys.exit(f"run_page.py: line {number} is output without a command")
            steps[-1].lines.append(line)
    return steps


def pattern(lines):
    """A regular expression of expected lines."""
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(r"[^\n]*?".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ \t]*\n")
    return re.compile("".join(parts))


class Shell:
    """One bash for all commands of a page."""
    END = "run_page.py: end of the command, status"

    def __init__(self, folder, environment):
        self.process = subprocess.Popen(["bash", "--norc", "--noprofile"], cwd=folder, env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        errors="replace")

    def run(self, command):
        """Status and output. The command reads nothing from the shell's input."""
        # A watcher, because the shell itself must go on to have the variables that the command sets.
        watcher = subprocess.Popen(["sh", "-c", f"sleep {SECONDS}; kill -9 {self.process.pid}"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            self.process.stdin.write(f"{{ {command}\n}} < /dev/null\nprintf '\\n{self.END} %d\\n' $?\n")
            self.process.stdin.flush()
            printed = []
            for line in self.process.stdout:
                end = re.match(re.escape(self.END) + r" (\d+)$", line)
                if end:
                    return int(end[1]), "".join(printed).removesuffix("\n")
                printed.append(line)
            return 137, "".join(printed) + f"run_page.py: the shell ended, or the command ran for {SECONDS} seconds\n"
        finally:
            os.killpg(watcher.pid, 9)
            watcher.wait()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--path", action="append", default=[])
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--replace", action="append", default=[])
    parser.add_argument("--vendor", action="append", default=[], type=pathlib.Path)
    parser.add_argument("--needs", action="append", default=[])
    parser.add_argument("--may-fail", action="store_true")
    options = parser.parse_args()
    for needed in options.needs:  # a program, or a module of Debian's Python as python:numpy
        module = needed.removeprefix("python:")
        if module != needed:
            missing = subprocess.run(["/usr/bin/python3", "-c", f"import {module}"], capture_output=True).returncode
        else:
            missing = not shutil.which(needed)
        if missing:
            print(f"run_page.py: {needed} is not installed")
            return 77
    steps = steps_of(options.page.read_text())
    if not any(step.command for step in steps):
        sys.exit(f"run_page.py: {options.page} has no command")
    problems = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        # Debian's Python, which has Debian's pyopencl, before others of the user.
        environment = {"PATH": ":".join([*options.path, "/usr/bin", os.environ["PATH"]]), "HOME": f"{name}/home",
                       "LC_ALL": "C.UTF-8", "COLUMNS": "120"}
        environment.update(pair.split("=", 1) for pair in options.set)
        work, vendors = pathlib.Path(name, "work"), pathlib.Path(name, "vendors")
        for folder in (work, vendors, pathlib.Path(name, "home")):
            folder.mkdir()
        for file in options.vendor[:1] + [file for file in options.vendor[1:] if file.exists()]:
            shutil.copy(file, vendors)
        if options.vendor:
            environment["OCL_ICD_VENDORS"] = f"{vendors}/"
        shell = Shell(work, environment)
        for step in steps:
            if step.file:
                target = work / step.file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text("\n".join(step.lines) + "\n")
                continue
            command = step.command
            for pair in options.replace:
                command = command.replace(*pair.split("=", 1))
            status, printed = shell.run(command)
            lines = step.lines
            while lines and not lines[-1].strip():
                lines = lines[:-1]
            text = "\n".join(line.rstrip() for line in printed.rstrip().splitlines()) + "\n"
            wrong = bool(lines) and not pattern(lines).fullmatch(text)
            failed = status and not options.may_fail
            if wrong or failed:
                problems += 1
                print(f"{options.page}:{step.line}: `{step.command}` ended with {status} and printed\n{printed}")
            if wrong:
                print("instead of\n" + "\n".join(lines) + "\n")
            if failed or shell.process.poll() is not None:
                break
        shell.close()
    print(f"{options.page.name}: {sum(bool(step.command) for step in steps)} commands, {problems} wrong")
    return bool(problems)


sys.exit(main())
