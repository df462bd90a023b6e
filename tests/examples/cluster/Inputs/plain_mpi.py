"""Compares kiln-plain-stencil's results with kiln-stencil's, and loses a rank's GPU.
usage: plain_mpi.py BIN LIB FOLDER"""
import re
import sys

sys.dont_write_bytecode = True
import common

binaries, libraries, folder = sys.argv[1:]
problem = ["--nx=20", "--ny=12", "--nz=16", "--steps=5"]


def result(ranks, program, *options):
    path = f"{folder}/{program}-{ranks}"
    status, output, _ = common.mpirun(common.environment(folder), "-n", str(ranks), f"{binaries}/{program}", *problem,
                                      f"--result={path}", *options)
    common.check(status == 0, f"{program} with {ranks} ranks returned {status}:\n{output}")
    with open(path, "rb") as file:
        return file.read()


expected = result(1, "kiln-stencil", "--slabs=8")
common.check(len(expected) == 20 * 12 * 16 * 4, f"the result has {len(expected)} bytes")
for ranks in (1, 2, 4):
    common.check(result(ranks, "kiln-plain-stencil") == expected, f"{ranks} ranks: other bytes")
    print(f"{ranks} ranks: the same bytes")

program = [f"{binaries}/kiln-plain-stencil", *problem]
status, output, seconds = common.mpirun(
    common.environment(folder), "-n", "1", *program, ":", "-n", "1", "env", "KILN_DEVICES=cuda",
    f"KILN_CUDA_LIBRARY={libraries}/libkiln-fake-cuda.so", "KILN_FAKE_LOSE=cuLaunchKernel 3 719", *program)
common.check(status != 0 and seconds < 30, f"the run with a lost GPU returned {status} after {seconds} s")
common.check(re.search(r"^kiln-plain-stencil: rank 1 of 2 on \S+: a command of the step failed: OpenCL error -14$", output,
                       re.M), f"rank 1 does not name itself:\n{output}")
print("lost GPU: named")
