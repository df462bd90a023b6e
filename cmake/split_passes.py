#!/usr/bin/env python3
"""Writes what mlir-tblgen generated for each pass to a file of its own: KeepCalls.pass.inc has the options and the base
class of KeepCalls. A file whose content is the same is not written, so an edit of Passes.td compiles only the passes
that it changed.

usage: split_passes.py PASSES_H_INC FOLDER PASS...
"""
import pathlib
import re
import sys


def section(text, kind, name):
    guard = f"GEN_PASS_{kind}_{name.upper()}"
    found = re.search(rf"^#ifdef {guard}\n(.*?)^#undef {guard}\n#endif", text, re.M | re.S)
    return found.group(1) if found else sys.exit(f"no section {guard}")


def main():
    text = pathlib.Path(sys.argv[1]).read_text()
    for name in sys.argv[3:]:
        file = pathlib.Path(sys.argv[2]) / f"{name}.pass.inc"
        content = section(text, "DECL", name) + section(text, "DEF", name)
        if not file.exists() or file.read_text() != content:
            file.write_text(content)


main()
