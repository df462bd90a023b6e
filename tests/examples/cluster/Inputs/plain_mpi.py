"""Compares kiln-plain-stencil's results with kiln-stencil's. usage: plain_mpi.py BIN FOLDER"""
import sys

sys.dont_write_bytecode = True
import common

binaries, folder = sys.argv[1:]
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
