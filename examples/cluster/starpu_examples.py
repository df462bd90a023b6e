#!/usr/bin/env python3
"""Runs StarPU's own OpenCL examples, and SOCL's, with one OpenCL platform after the other, and compares the outcomes.

    starpu_examples.py SOURCE VENDORS [VENDORS...] [--cpu-workers=1]

SOURCE is StarPU's source (apt-get source starpu): Debian's packages lack some of its kernels and SOCL's examples. VENDORS
is a folder with the .icd file of a platform: build/api for Kiln. Needs starpu-examples, libsocl-1.3-0 and a C compiler.
Fails if an example passes with the last platform and not with the first. --cpu-workers=0 leaves only OpenCL to StarPU.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path("/usr/lib/x86_64-linux-gnu/starpu/examples")
USES_OPENCL = ("starpu_opencl_load", "clEnqueue", "clSetKernel")  # functions that such an example calls
SOCL = "libsocl-1.3.so.0"
SKIPPED = 77


def opencl_examples():
    for program in sorted(EXAMPLES.iterdir()):
        symbols = subprocess.run(["nm", "-D", program], capture_output=True, text=True, check=False).stdout
        if any(name in symbols for name in USES_OPENCL):
            yield program.name, [str(program)]


def socl_examples(source, folder):
    for file in sorted(source.glob("socl/examples/*/*.c")):
        program = folder / f"socl-{file.stem}"
        subprocess.run(["cc", "-w", "-DCL_TARGET_OPENCL_VERSION=120", file, "-o", program, "-lOpenCL", "-lm"], check=True)
        yield program.name, [str(program)]


def run(command, environment):
    try:
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120,
                              check=False, cwd=environment["STARPU_HOME"])
    except subprocess.TimeoutExpired:
        return "hangs"
    return {0: "passes", SKIPPED: "skips"}.get(done.returncode, "fails")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("vendors", type=pathlib.Path, nargs="+")
    parser.add_argument("--cpu-workers", type=int, default=1, help="StarPU's workers besides OpenCL's (1)")
    arguments = parser.parse_args()
    outcomes = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = [*opencl_examples(), *socl_examples(arguments.source, folder)]
        for number, vendors in enumerate(arguments.vendors):
            home, below_socl = folder / f"home-{number}", folder / f"socl-{number}"
            home.mkdir()
            below_socl.mkdir()
            for file in vendors.glob("*.icd"):
                shutil.copy(file, below_socl)
            (below_socl / "socl.icd").write_text(SOCL + "\n")
            for program, command in programs:
                visible = below_socl if program.startswith("socl-") else vendors
                environment = {**os.environ, "OCL_ICD_VENDORS": f"{visible.resolve()}/", "STARPU_HOME": str(home),
                               "STARPU_OPENCL_PROGRAM_DIR": str(arguments.source.resolve()), "STARPU_SILENT": "1",
                               "STARPU_NCPU": str(arguments.cpu_workers), "STARPU_OPENCL_ON_CPUS": "1",
                               "STARPU_OPENCL_ONLY_ON_CPUS": "1"}
                outcomes.setdefault(program, []).append(run(command, environment))
    worse = 0
    for program, each in outcomes.items():
        worse += each[-1] == "passes" != each[0]
        print(f"{program:20} " + " ".join(f"{outcome:8}" for outcome in each))
    for number, vendors in enumerate(arguments.vendors):
        counts = [each[number] for each in outcomes.values()]
        print(f"{vendors}: " + ", ".join(f"{counts.count(kind)} {kind}" for kind in dict.fromkeys(counts)))
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
