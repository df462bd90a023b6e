#!/usr/bin/env python3
"""Compiles the suite's kernels with nvcc, and the OpenCL platform "Twins" that runs them.

    twins.py [--arch sm_90] FOLDER [KERNEL...]

Writes to FOLDER, for each kernel (all of bench/kernels): the source NAME.cl, its form in CUDA C++ NAME.cu and the code
NAME.cubin; and the platform: libtwins.so, and twins.icd with its path for OpenCL's loader. Then

    OCL_ICD_VENDORS=FOLDER/ kiln-bench --platform=Twins --suite=yes

Needs nvcc (on PATH or in /usr/local/cuda/bin), a C++ compiler, and the headers of OpenCL and of CUDA.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# Kernels that are not compiled, and why.
IMAGES = "images: CUDA's textures and surfaces are other operations"
LEFT_OUT = {
    "convolution_5x5": IMAGES,
    "image_pyramid": IMAGES,
    "sample_bilinear": IMAGES,
    "sample_nearest": IMAGES,
    "mariani_silver": "device queues",
    "nested": "device queues",
    "quicksort": "device queues",
    "pipe": "pipes",
}

# OpenCL's defaults: multiplications and additions may be fused; a quotient is within 2.5 ulp and a root within 3 ulp;
# denormal numbers are kept.
FLAGS = ["-O3", "-std=c++17", "-fmad=true", "-prec-div=false", "-prec-sqrt=false", "-ftz=false"]

# OpenCL C and CUDA C++, applied in this order.
REWRITES = [
    # A vector literal looks like a cast to CUDA.
    (r"\(float([234])\)\(", r"makeFloat\1("),
    (r"\b(\w+(?:\[\w+\])?)\.xyz\b", r"xyz(\1)"),
    # Arrays in local and constant memory; an argument in local memory. Other pointers are generic. Constant memory does
    # not change during a launch, so its pointers are __restrict__.
    (r"__local (\w+ \w+\[)", r"__shared__ \1"),
    (r"(?<=[(,])(\s*)__local (\w+) \*(?=\w+[,)])", r"\1Local<\2> "),
    (r"__local (\w+) \*", r"\1 *"),
    (r"__constant (\w+ \w+\[)", r"__constant__ \1"),
    (r"__constant (\w+) \*", r"const \1 *__restrict__ "),
    (r"__global ", ""),
    (r"(?m)^__kernel void ", 'extern "C" __global__ void '),
    # Functions that are not kernels start a line with their type.
    (r"(?m)^((?:float|int|uint)\d? \w+\()", r"static __device__ \1"),
]


def rewritten(source):
    for pattern, replacement in REWRITES:
        source = re.sub(pattern, replacement, source)
    return source


def find_nvcc():
    found = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if not found:
        sys.exit("twins.py: nvcc is neither on PATH nor in /usr/local/cuda/bin")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="sm_90", help="the GPU's architecture (sm_90)")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("kernels", nargs="*", metavar="kernel", help="names without .cl (all)")
    options = parser.parse_args()
    nvcc = find_nvcc()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    names = options.kernels or sorted(path.stem for path in HERE.parent.glob("kernels/*.cl"))
    for name in names:
        kernel = HERE.parent / "kernels" / f"{name}.cl"
        if name in LEFT_OUT:
            print(f"{name}: left out ({LEFT_OUT[name]})")
            continue
        shutil.copy(kernel, folder)
        twin = folder / f"{name}.cu"
        twin.write_text(rewritten(kernel.read_text()))
        subprocess.run([nvcc, *FLAGS, f"-arch={options.arch}", "-include", HERE / "OpenCl.cuh", "-cubin", "-o",
                        folder / f"{name}.cubin", twin], check=True)
    library = folder / "libtwins.so"
    headers = pathlib.Path(nvcc).resolve().parent.parent / "include"
    subprocess.run(["c++", "-std=c++20", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", f"-isystem{headers}",
                    HERE / "Platform.cpp", "-o", library, "-ldl"], check=True)
    (folder / "twins.icd").write_text(f"{library}\n")


if __name__ == "__main__":
    main()
