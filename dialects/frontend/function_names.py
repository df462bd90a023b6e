#!/usr/bin/env python3
"""Writes the names of OpenCL C's built-in functions, which Clang's opencl-c.h declares, as a list of strings for C++.

usage: function_names.py OPENCL_C_H OUTPUT
"""
import pathlib
import re
import sys

text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
names = sorted(set(re.findall(r"^[^#\n]*\b__ovld\b[^(\n]*?\b([a-z]\w*)\(", text, re.MULTILINE)))
pathlib.Path(sys.argv[2]).write_text("".join(f'"{name}",\n' for name in names), encoding="utf-8")
