#!/usr/bin/env python3
"""Divides the output of mlir-tblgen into one file per pass. KeepCalls.pass.inc contains the options and the base class of
KeepCalls. The script does not write a file whose content is unchanged, so after an edit of Passes.td ninja compiles only
the passes that the edit changed.

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
