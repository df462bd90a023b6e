#!/usr/bin/env python3
"""Formats the man pages, and completes options in bash.

    test_manual.py BUILD
"""
import pathlib
import re
import shutil
import subprocess
import sys

PROGRAMS = {"kilnc": "--emit=", "kiln-clc": "--extensions=", "kiln-opt": "--pass-pipeline=", "kiln-doctor": "",
            "kiln-replay": "--launches=", "kiln-reduce": "--seconds", "kiln-bench": "--source=",
            "kiln-report": "--history"}


def check(right, sentence):
    if not right:
        sys.exit(f"test_manual.py: {sentence}")


def main():
    folder = pathlib.Path(sys.argv[1]) / "manual"
    pages = [folder / f"man1/{name}.1" for name in PROGRAMS] + [folder / "man7/kiln.7"]
    for page in pages:
        text = page.read_text()
        check(text.startswith(".TH ") and ".SH NAME" in text and ".SH SEE ALSO" in text, f"{page.name} lacks a section")
        check(not re.search(r"^\.(?!TH|SH|TP|B |nf|fi)", text, re.M), f"{page.name} has an unknown request")
        if shutil.which("groff"):
            made = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-z", str(page)], capture_output=True, text=True)
            warnings = [line for line in made.stderr.splitlines() if "can't break line" not in line
                        and "cannot adjust line" not in line and "cannot break line" not in line]
            check(not warnings and not made.returncode, f"{page.name}: {warnings[:3]}")
    check("KILN_CAPTURE" in pages[-1].read_text(), "kiln.7 lacks a switch")
    for name, option in PROGRAMS.items():
        if not option:
            continue
        script = (f"source {folder}/completions/{name}; compopt() {{ :; }}; COMP_WORDS=({name} {option[:6]}); COMP_CWORD=1;"
                  f" _{name.replace('-', '_')}; echo \"${{COMPREPLY[@]}}\"")
        found = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
        check(option in found.stdout.split(), f"bash completes {option[:6]} to {found.stdout} {found.stderr}")
    print("manual: all right")


main()
