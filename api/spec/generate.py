#!/usr/bin/env python3
"""Generates the linker's version script from Entries.def, and checks the rows against CL/cl_icd.h.

The preprocessor generates the C++ tables from Entries.def (Dispatch.cpp). This script generates the version script and
checks that every slot of the dispatch table has one row, in the table's order. A missing slot would be null and crash
in the loader.

usage: generate.py Entries.def path/to/CL/cl_icd.h Kiln.exports
"""
import re
import sys


def slots_of(header):
    # Remove comments, and preprocessor lines, which newer headers have between the slots.
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^[ \t]*#[^\n]*", "", open(header).read(), flags=re.S | re.M)
    table = re.search(r"typedef struct _cl_icd_dispatch\s*\{(.*?)\}\s*cl_icd_dispatch;", text, re.S)
    if not table:
        sys.exit(f"{header}: struct _cl_icd_dispatch was not found")
    # A slot is `cl_api_name name;` or, for entries of other systems, `void *name;`. Newer headers have both.
    declarations = (d.replace("*", " ").split() for d in table.group(1).split(";"))
    return list(dict.fromkeys(words[-1] for words in declarations if words))


def rows_of(table):
    rows = re.findall(r"^KILN_(ENTRY|TAGGED|NO_ENTRY|EXTRA|ALIAS)\((\w+)(?:, (\w+))?\)$", open(table).read(), re.M)
    return [(kind, name) for kind, name, _ in rows]


def main():
    table, header, exports = sys.argv[1:]
    rows, slots = rows_of(table), slots_of(header)
    listed = [name for kind, name in rows if kind in ("ENTRY", "TAGGED", "NO_ENTRY")]
    problems = [f"slot {name} has no row" for name in slots if name not in listed]
    problems += [f"row {name} is not a slot of the table" for name in listed if name not in slots]
    names = [name for _, name in rows]
    problems += [f"{name} is listed twice" for name in sorted(set(names)) if names.count(name) > 1]
    if not problems and listed != slots:
        problems.append("the rows are not in the table's order")
    if problems:
        sys.exit("\n".join(f"{table}: {problem}" for problem in problems))
    shown = sorted(name for kind, name in rows if kind in ("ENTRY", "TAGGED", "EXTRA"))
    with open(exports, "w") as out:
        out.write("# Generated from api/spec/Entries.def.\n{\nglobal:\n")
        out.writelines(f"  {name};\n" for name in shown)
        out.write("local:\n  *;\n};\n")


main()
