#!/usr/bin/env python3
"""Generates the table of docs/switches.md from base/support/Options.def.

    switches.py --check     fails if the table differs
    switches.py --write     writes the table, between the two marks
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIRST, LAST = "<!-- switches: made by tests/tools/switches.py -->\n", "<!-- end of switches -->\n"
ROW = re.compile(r'^KILN_OPTION\((\w+), (\w+), (\w+), (.*?), "(.*)"\)$')


def spell(kind, initial):
    """Returns a default as a user would write it."""
    if kind == "Text":
        return initial.strip('"')
    if kind == "Flag":
        return {"true": "on", "false": "off"}[initial]
    size = re.fullmatch(r"(\d+)u?l*( << (\d+))?", initial)
    number = int(size[1]) << int(size[3] or 0)
    for letter, shift in (("G", 30), ("M", 20), ("K", 10)):
        if kind == "Size" and number and number % (1 << shift) == 0:
            return f"{number >> shift}{letter}"
    return str(number)


def lines(file):
    """Yields the lines of a table and of the tables that it includes."""
    for line in (ROOT / file).read_text(encoding="utf-8").splitlines():
        included = re.match(r'#include "(.+?)"', line)
        yield from lines(included[1]) if included else [line]


def table():
    rows = ["| switch | default | what it does |\n|---|---|---|\n"]
    for line in lines("base/support/Options.def"):
        if not line.startswith("KILN_OPTION("):
            continue
        row = ROW.match(line)
        if not row:
            sys.exit(f"Options.def: cannot parse the row: {line}")
        default = spell(row[3], row[4])
        rows.append(f"| `KILN_{row[2]}` | {f'`{default}`' if default else ''} | {row[5].replace('|', chr(92) + '|')} |\n")
    return "".join(rows)


def main():
    document = ROOT / "docs/switches.md"
    text = document.read_text(encoding="utf-8")
    before, first, rest = text.partition(FIRST)
    old, last, after = rest.partition(LAST)
    if not first or not last:
        sys.exit("docs/switches.md: the marks around the table of switches are missing")
    if sys.argv[1:] == ["--write"]:
        document.write_text(before + first + table() + last + after, encoding="utf-8")
    elif sys.argv[1:] != ["--check"]:
        sys.exit(__doc__)
    elif old != table():
        sys.exit("docs/switches.md: the table of switches differs from Options.def; run tests/tools/switches.py --write")


if __name__ == "__main__":
    main()
