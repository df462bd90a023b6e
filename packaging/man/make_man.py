#!/usr/bin/env python3
"""Makes man pages and bash completions from what the programs print with --help, so that they cannot differ from it.

    make_man.py FOLDER VERSION switches OPTIONS_DEF              FOLDER/man7/kiln.7, the switches
    make_man.py FOLDER VERSION program NAME PROGRAM SUMMARY      FOLDER/man1/NAME.1, FOLDER/completions/NAME
"""
import os
import pathlib
import re
import subprocess
import sys

# The programs and what each is for, for the pages that name one another.
PROGRAMS = ("kilnc", "kiln-clc", "kiln-opt", "kiln-doctor", "kiln-replay", "kiln-reduce",
            "kiln-bench", "kiln-report")


def escaped(text):
    """Text for troff: no line is a request, and dashes stay dashes."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.splitlines())


def page(name, section, version, summary, parts):
    lines = [f'.TH "{name.upper()}" {section} "" "Kiln {version}"', ".SH NAME", f"{name} \\- {escaped(summary)}"]
    for title, body in parts:
        lines += [f".SH {title}", body]
    others = [f"{other}(1)" for other in PROGRAMS if other != name] + ([] if name == "kiln" else ["kiln(7)"])
    return "\n".join(lines + [".SH SEE ALSO", escaped(", ".join(others))]) + "\n"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def switches(folder, version, table):
    rows = re.findall(r'^KILN_OPTION\(\w+, (\w+), (\w+), (.*?), "(.*)"\)$', pathlib.Path(table).read_text(), re.M)
    if not rows:
        sys.exit(f"make_man.py: {table} has no switch")
    body = "\n".join(f".TP\n.B KILN_{name}\n{escaped(sentence)} ({kind.lower()})" for name, kind, _, sentence in rows)
    about = ("Kiln is an OpenCL platform. Applications find it through the OpenCL loader. These environment variables "
             "change what it does; a program with the rights of another user does not read them. "
             "kiln-doctor says what is missing on a machine.")
    write(folder / "man7/kiln.7", page("kiln", 7, version, "OpenCL platform built on MLIR",
                                       [("DESCRIPTION", escaped(about)), ("ENVIRONMENT", body)]))


def program(folder, version, name, path, summary):
    # One column width for every terminal, and no library of the user.
    environment = {"PATH": os.environ.get("PATH", ""), "COLUMNS": "100", "LC_ALL": "C"}
    result = subprocess.run([path, "--help"], capture_output=True, text=True, env=environment)
    text = result.stdout.strip()
    if result.returncode or not text:
        sys.exit(f"make_man.py: {name} --help ended with {result.returncode} and printed {len(text)} bytes")
    options = sorted(set(re.findall(r"(?<![\w-])--[a-z][\w-]*=?", text)))
    if name == "kiln-opt":  # mlir-opt's options and passes are more than a page is good for
        parts = [("DESCRIPTION", escaped("kiln-opt is mlir-opt with Kiln's dialects, passes and pipelines. "
                                         "kiln-opt --help prints all options and passes."))]
    else:
        parts = [("DESCRIPTION", ".nf\n" + escaped(text) + "\n.fi")]
    write(folder / f"man1/{name}.1", page(name, 1, version, summary, parts))
    function = "_" + name.replace("-", "_")
    write(folder / f"completions/{name}", f"""# Completion of {name}'s options for bash; other words are files.
{function}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}}
  COMPREPLY=()
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '{' '.join(options)}' -- "$word")
    [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace
  fi
}}
complete -o default -F {function} {name}
""")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    folder, version, kind, rest = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    {"switches": switches, "program": program}[kind](folder, version, *rest)


main()
