#!/usr/bin/env python3
"""Compiles kernels by Kiln's default passes and by the pipeline of the documents, and compares the assembly.

    same-code.py PIPELINE OUTPUT KILNC-WORD... -- KERNEL.cl...
"""
import pathlib
import subprocess
import sys

split = sys.argv.index("--")
pipeline, output, words, kernels = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:split], sys.argv[split + 1:]


def differs(kernel):
    module = output.with_suffix(".spv")
    subprocess.run(["kiln-clc", "-cl-std=CL3.0", kernel, "-o", module], check=True)
    code = []
    for more in ([], [f"--pipeline={pipeline}"]):
        subprocess.run(["kilnc", *words, *more, "--emit=asm", module, "-o", output], check=True)
        code.append(output.read_text())
    return code[0] != code[1]


different = [kernel for kernel in kernels if differs(kernel)]
print(f"{len(kernels)} kernels, {len(different)} differ: {' '.join(different)}")
sys.exit(bool(different))
