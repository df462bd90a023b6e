"""Runs two ranks of which the second cannot work. usage: failing_rank.py BIN FOLDER"""
import sys

sys.dont_write_bytecode = True
import common

environment = common.environment(sys.argv[2])
program = f"{sys.argv[1]}/kiln-cholesky"
cases = {
    "no device": (["env", "OCL_ICD_VENDORS=/nonexistent/"], ["--size=64", "--tile=32"], "StarPU finds no OpenCL device"),
    "no memory": (["env", "KILN_CPU_MEMORY=4M"], ["--size=512", "--tile=512"],
                  " has 4194304 bytes of memory, a task needs 6291456"),
}
for name, (variables, options, reason) in cases.items():
    status, output, _ = common.mpirun(environment, "-n", "1", program, *options, ":", "-n", "1", *variables, program,
                                      *options)
    common.check(status != 0, f"{name}: mpirun returned 0")
    line = next((line for line in output.splitlines() if line.startswith("kiln-cholesky: rank 1 of 2 on ")), "")
    common.check(line.endswith(reason), f"{name}: rank 1 does not name itself and the reason:\n{output}")
    common.check_ended(environment, name)
    print(f"{name}: named")
