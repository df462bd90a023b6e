#!/usr/bin/env python3
"""Compares Kiln's code for AMD with Clang's: executed instructions of the kernels of the suite, counted by the emulator.

    bench/compare_amd.py build
    bench/compare_amd.py build --gpu gfx1100 --filter 'matmul|nbody' --libclc /usr/lib/clc
    bench/compare_amd.py build --small
    bench/compare_amd.py build --only nbody/512 --only sha256/1024/10

Both compilers get the same OpenCL C. The emulator runs kiln-bench twice, the second time with Clang's code objects in
place of Kiln's (KILN_EMULATOR_REPLACE), so both get the same arguments, and kiln-bench verifies the results of both.
Clang needs libclc (Debian's package libclc-22). Benchmarks with images are left out, because Clang has no images for AMD
without further libraries.

A ratio is Kiln's instructions divided by Clang's, per launch of a kernel. The last line is the geometric mean.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels")
WORK_ITEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "amd_work_items.h")
IMAGES = ("sample_bilinear", "sample_nearest", "convolution_5x5", "image_pyramid")
# Sizes with which a run takes at most a few seconds, instead of a few minutes for some kernels.
SMALL = ("""binomial_option/256/8 bitonic_sort/4096 black_scholes/10000 byte_filter/blend/100000
    byte_filter/lower_case/100000 byte_histogram/16/100000 chacha20/3000 dot_product/64/65500 dot_product/256/65500
    edit_distance/64/64 fft/512/16 floyd_warshall/64 group_sort/64/65536 halo_stencil/200/200 histogram/8192/65536 jacobi_2d/200/200 kmeans/4000/24/16
    lennard_jones/10/64 mandelbrot/128 matmul_naive/128 matmul_staged/128 matmul_tiled/128 matvec/500/500
    monte_carlo/circle/1024/100 monte_carlo/asian_call/1024/32 nbody/512 quantized_matvec/500/512 ray_tracing/96/72 reduction/64/65536
    reduction/256/65536 saxpy/100000 scan/64/65536 scan/256/65536 sha256/1024/20 spmv_csr/5000 stencil_3d/40
    string_search/50000 tone_curves/50000 transpose/240/336 tree_scan/64/65536 tree_scan/256/65536 triad/65536""").split()
UNITS = ("salu", "valu", "trans", "smem", "vmem", "scratch", "lds", "branch", "barrier", "wait")


def kernels_of(source):
    with open(source) as file:
        text = re.sub(r"//.*|/\*.*?\*/", "", file.read())
    return re.findall(r"\b(?:__)?kernel\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?void\s+(\w+)", text)


def without_target(options, folder):
    """libclc without the processor that it was compiled for, which keeps LLVM from inlining its functions."""
    library = os.path.join(options.libclc, options.gpu + "-amdgcn--.bc")
    text = subprocess.run([options.llvm_dis, library, "-o", "-"], capture_output=True, text=True, check=True).stdout
    target = os.path.join(folder, "libclc.ll")
    with open(target, "w") as file:
        file.write(re.sub(r'"(target-cpu|target-features|frame-pointer)"="[^"]*"', "", text))
    subprocess.run([options.llvm_as, target, "-o", target.replace(".ll", ".bc")], check=True)
    return target.replace(".ll", ".bc")


def compile_with_clang(options, source, folder):
    """Writes KERNEL.GPU.co for each kernel. Returns false if Clang cannot compile the file."""
    target = os.path.join(folder, "all.co")
    command = [options.clang, "-target", "amdgcn-amd-amdhsa", "-mcpu=" + options.gpu, "-O3", "-x", "cl", "-cl-std=CL1.2",
               "-Xclang", "-finclude-default-header", "-include", WORK_ITEMS, "-nogpulib", "-mcode-object-version=5", "-w",
               "-Xclang", "-mlink-builtin-bitcode", "-Xclang",
               options.library, source, "-o", target]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        print(f"{os.path.basename(source)}: {result.stderr.strip().splitlines()[0]}", file=sys.stderr)
        return False
    for kernel in kernels_of(source):
        os.link(target, os.path.join(folder, f"{kernel}.{options.gpu}.co"))
    return True


def count(options, benchmark, replace=""):
    """The counts of each kernel of a benchmark; None if it fails or takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counts.json")
        environment = dict(os.environ, KILN_DEVICES="hip", KILN_EMULATED_GPU=options.gpu, KILN_EMULATOR_COUNTS=path,
                           KILN_EMULATOR_CHECKS="off", KILN_EMULATOR_REPLACE=replace,
                           KILN_HIP_LIBRARY=os.path.join(options.build, "lib", "libkiln-hip-emulator.so"),
                           OCL_ICD_VENDORS=os.path.join(options.build, "api", ""))
        command = [os.path.join(options.build, "bin", "kiln-bench"), "--only=" + benchmark, "--benchmark_repetitions=1",
                   "--benchmark_min_time=0.000001"]
        try:
            result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=options.seconds)
        except subprocess.TimeoutExpired:
            print(f"{benchmark}: not ready after {options.seconds} s", file=sys.stderr)
            return None
        if result.returncode or not os.path.exists(path):
            print(f"{benchmark}: {(result.stderr.strip() or result.stdout.strip())[-300:]}", file=sys.stderr)
            return None
        with open(path) as file:
            return {row["kernel"]: row for row in json.load(file)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="Kiln's build folder")
    parser.add_argument("--gpu", default="gfx942")
    parser.add_argument("--filter", default="", help="regular expression of benchmarks")
    parser.add_argument("--only", action="append", metavar="KERNEL/SIZE", help="this benchmark with these sizes, instead of "
                        "all; may be repeated")
    parser.add_argument("--small", action="store_const", dest="only", const=SMALL, help="all benchmarks with smaller sizes")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--llvm-dis", default="llvm-dis-22")
    parser.add_argument("--llvm-as", default="llvm-as-22")
    parser.add_argument("--libclc", default="/usr/lib/clc", help="folder with GPU-amdgcn--.bc")
    parser.add_argument("--seconds", type=int, default=120, help="limit for a run of one benchmark")
    parser.add_argument("--units", action="store_true", help="also the instructions of each unit")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    with tempfile.TemporaryDirectory() as folder:
        options.library = without_target(options, folder)
        return compare(options)


def compare(options):
    listed = subprocess.run([os.path.join(options.build, "bin", "kiln-bench"), "--suite=yes",
                             "--benchmark_list_tests=true"], capture_output=True, text=True,
                            env=dict(os.environ, OCL_ICD_VENDORS=os.path.join(options.build, "api", "")))
    names = options.only or [line.rsplit("/manual_time", 1)[0] for line in listed.stdout.split()
             if "/manual_time" in line and not line.startswith(("native/",) + IMAGES)]
    if not names:
        print("kiln-bench lists no benchmarks: " + listed.stderr, file=sys.stderr)
    print(f"{'benchmark':28} {'kernel':22} {'Kiln':>12} {'Clang':>12} {'ratio':>6} {'VGPRs':>9} {'SGPRs':>9} "
          f"{'occupancy':>9} {'lines':>6} {'conflicts':>9}")
    ratios = []
    for name in names:
        if not re.search(options.filter, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(SOURCES, name.split("/")[0] + ".cl")
            if not compile_with_clang(options, source, folder):
                continue
            ours = count(options, name)
            theirs = ours and count(options, name, folder)
        if not theirs:
            continue
        for kernel, a in ours.items():
            if kernel not in kernels_of(source):
                continue  # of Kiln's runtime
            b = theirs[kernel]
            per_launch = [row["instructions"] / row["launches"] for row in (a, b)]
            ratio = per_launch[0] / per_launch[1]
            ratios.append(ratio)
            lines = [(row["lines_read"] + row["lines_written"]) / row["launches"] for row in (a, b)]
            conflicts = [row["bank_conflicts"] / row["launches"] for row in (a, b)]
            print(f"{name:28} {kernel:22} {per_launch[0]:12.0f} {per_launch[1]:12.0f} {ratio:6.3f} "
                  f"{a['vector_registers']:4}/{b['vector_registers']:<4} {a['scalar_registers']:4}/{b['scalar_registers']:<4} "
                  f"{a['occupancy']:4}/{b['occupancy']:<4} {lines[0] / lines[1] if lines[1] else 1:6.2f} "
                  f"{conflicts[0]:.0f}/{conflicts[1]:.0f}", flush=True)
            if options.units:
                print("    " + "  ".join(f"{unit} {a[unit] / a['launches']:.0f}/{b[unit] / b['launches']:.0f}"
                                         for unit in UNITS if a[unit] or b[unit]), flush=True)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{len(ratios)} kernels, geometric mean of the ratios {mean:.3f}")
    return 0 if ratios else 1


if __name__ == "__main__":
    sys.exit(main())
