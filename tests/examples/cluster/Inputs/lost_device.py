"""Runs two ranks, of which the second one has GPUs of the fake driver. One is lost during the run, or its memory is used
by others. usage: lost_device.py BIN LIB FOLDER"""
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import common

binaries, libraries, folder = sys.argv[1:]
program = f"{binaries}/kiln-cholesky"
options = ["--size=256", "--tile=32"]
environment = common.environment(folder)
# StarPU's measurements are of one set of devices.
os.makedirs(f"{folder}/starpu-gpu", exist_ok=True)
gpu = ["KILN_DEVICES=cuda", f"KILN_CUDA_LIBRARY={libraries}/libkiln-fake-cuda.so", f"STARPU_HOME={folder}/starpu-gpu"]


def run(*variables):
    """Returns (exit status, output, seconds from the first error of the GPU to the end)."""
    command = ["timeout", "60", "mpirun", "--oversubscribe", "--bind-to", "none", "-n", "1", program, *options, ":", "-n", "1", "env",
               *gpu, *variables, program, *options]
    output, lost = [], None
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as done:
        for line in done.stdout:
            output.append(line)
            if " is lost" in line:
                lost = lost or time.monotonic()
    return done.returncode, "".join(output), time.monotonic() - lost if lost else None


# StarPU measures bandwidths and latencies. The fake runs no kernels, so the result is wrong.
status, output, _ = run()
common.check("WRONG" in output, f"the run without a loss does not end as usual:\n{output}")
# The first that notices the loss: the rank's check of its devices, a kernel's end, or StarPU, which aborts.
REASON = r"((kernel \w+ failed: OpenCL error -5; )?OpenCL device \d \(Fake GPU \d\) is lost|aborted; the reason is above)$"
for name, lose in (
        ("a launch", "cuLaunchKernel 20 719"),
        ("a copy to the device", "cuMemcpyHtoDAsync_v2 10 700"),
        ("a copy to the host", "cuMemcpyDtoHAsync_v2 5 214"),
        ("the end of commands", "cuStreamWriteValue32_v2 40 719"),
        ("an allocation", "cuMemAlloc_v2 8 46")):
    status, output, seconds = run(f"KILN_FAKE_LOSE={lose}")
    common.check(status != 0, f"{name}: mpirun returned 0")
    common.check(seconds is not None and re.search(r"device Fake GPU \d is lost for this process", output),
                 f"{name}: the log does not name the device:\n{output}")
    common.check(re.search(rf"^kiln-cholesky: rank 1 of 2 on \S+: {REASON}", output, re.M),
                 f"{name}: rank 1 does not name itself and the reason:\n{output}")
    common.check(seconds < 10, f"{name}: the run went on for {seconds} s")
    common.check_ended(environment, name)
    print(f"lost in {name}: named after {seconds:.1f} s")

start = time.monotonic()
status, output, _ = run("KILN_FAKE_ROOM=20000")
common.check(status != 0, "memory: mpirun returned 0")
common.check(re.search(r"^kiln-cholesky: rank 1 of 2 on \S+: OpenCL device \d \(Fake GPU \d\) has no memory for a task, "
                       r"which needs 24576 bytes", output, re.M), f"memory: rank 1 does not name the reason:\n{output}")
common.check(time.monotonic() - start < 15, "memory: the run went on for more than 15 s")
common.check_ended(environment, "memory")
print(f"no memory: named after {time.monotonic() - start:.1f} s")
