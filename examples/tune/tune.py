#!/usr/bin/env python3
"""Tunes one kernel on Kiln with Kernel Tuner: its local size, and the passes that compile it.

    tune.py [--kilnc PATH] [--rounds N] FOLDER

Each configuration has a schedule (docs/schedules.md), which the script writes to FOLDER before the kernel is built. At the
end, FOLDER has the best schedule, and the kernel with it is compared with the kernel that Kiln's own passes compile.
Needs the packages kernel_tuner, pyopencl and numpy. The kernel is string_search of Kiln's benchmarks.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time
import warnings

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "bench/kernels/string_search.cl"
KERNEL, PATTERN, ITEMS = "count_pattern", b"gattacag", 1 << 22
CONFIGURATIONS = {"block_size_x": [64, 256], "machine_width": [8, 16, 32, 64, 128], "interleave": [1, 4]}


class Schedules:
    """Writes schedules: Kiln's own passes with other options of wg-vectorize."""

    def __init__(self, folder, kilnc):
        self.path = folder / f"{KERNEL}.cpu.pipeline"
        self.passes = subprocess.run([kilnc, "--emit=pipeline", SOURCE], check=True, capture_output=True,
                                     text=True).stdout

    def write(self, configuration):
        text = self.passes
        for option, parameter in (("machine-width", "machine_width"), ("max-interleave", "interleave")):
            text = re.sub(rf"\b{option}=\d+", f"{option}={configuration[parameter]}", text)
        self.path.write_text(text)

    def remove(self):
        self.path.unlink(missing_ok=True)


class Problem:
    """A random text of four letters with copies of the pattern, and how often it has the pattern."""

    def __init__(self, numpy):
        text = numpy.frombuffer(b"acgt", numpy.uint8)[numpy.random.default_rng(1).integers(0, 4, ITEMS)].copy()
        for at in range(1000, ITEMS - len(PATTERN), 9973):
            text[at:at + len(PATTERN)] = numpy.frombuffer(PATTERN, numpy.uint8)
        self.found = len(re.findall(b"(?=" + PATTERN + b")", text.tobytes()))
        self.arguments = [text, numpy.uint32(ITEMS - len(PATTERN) + 1), numpy.frombuffer(PATTERN, numpy.uint8),
                          numpy.uint32(len(PATTERN)), numpy.zeros(1, numpy.uint32)]


def tune(problem, schedules, platform):
    """The best configuration. Kernel Tuner calls `source` before it builds a configuration."""
    import kernel_tuner

    def source(configuration):
        schedules.write(configuration)
        return SOURCE.read_text()

    # Launches before the one that is verified add to the count, so Kernel Tuner verifies the first one only.
    results, _ = kernel_tuner.tune_kernel(
        KERNEL, source, ITEMS, problem.arguments, CONFIGURATIONS, lang="OpenCL", platform=platform,
        answer=[None] * 4 + [[problem.found]], compiler_options=["-cl-std=CL1.2"], iterations=15, verbose=True)
    return min((one for one in results if isinstance(one["time"], float)), key=lambda one: one["time"])


def built(cl, context, problem, buffers):
    program = cl.Program(context, SOURCE.read_text()).build("-cl-std=CL1.2")
    kernel = cl.Kernel(program, KERNEL)
    kernel.set_args(*(buffers.get(number, argument) for number, argument in enumerate(problem.arguments)))
    return kernel


def compare(cl, problem, schedules, best, device, rounds):
    """Kiln's own passes and the best schedule in turn, A B B A. Returns the median ratios of their wall times and of their
    processor times, which other programs on the machine disturb less."""
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = {number: cl.Buffer(context, flags, hostbuf=problem.arguments[number]) for number in (0, 2, 4)}
    schedules.remove()
    own = built(cl, context, problem, buffers)
    schedules.write(best)
    scheduled = built(cl, context, problem, buffers)

    def times(kernel, local):
        wall, processor = time.perf_counter(), time.process_time()
        for _ in range(5):
            cl.enqueue_nd_range_kernel(queue, kernel, (ITEMS,), (local,))
        queue.finish()
        return time.perf_counter() - wall, time.process_time() - processor

    def ratios():
        runs = [times(kernel, local) for kernel, local in ((own, 256), (scheduled, best["block_size_x"]),
                                                           (scheduled, best["block_size_x"]), (own, 256))]
        return [(runs[0][clock] + runs[3][clock]) / (runs[1][clock] + runs[2][clock]) for clock in (0, 1)]

    for _ in range(3):
        ratios()  # compiles variants of Kiln's own passes
    time.sleep(1)
    return [statistics.median(clock) for clock in zip(*(ratios() for _ in range(rounds)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--kilnc", default="kilnc", help="the compiler; prints its default passes")
    parser.add_argument("--rounds", type=int, default=40, help="of the comparison (40)")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ["KILN_SCHEDULES"] = str(options.folder.resolve())  # before Kiln is loaded
    os.environ["PYOPENCL_NO_CACHE"] = "1"
    import numpy
    import pyopencl as cl

    warnings.filterwarnings("ignore", category=cl.CompilerWarning)  # the build log names each schedule
    platforms = [platform.name for platform in cl.get_platforms()]
    if "Kiln" not in platforms:
        sys.exit(f"tune.py: the platforms are {platforms}, Kiln is not among them")
    platform = platforms.index("Kiln")
    device = cl.get_platforms()[platform].get_devices(cl.device_type.CPU)[0]
    schedules, problem = Schedules(options.folder, options.kilnc), Problem(numpy)
    best = tune(problem, schedules, platform)
    wall, processor = compare(cl, problem, schedules, best, device, options.rounds)
    print(f"best: local size {best['block_size_x']}, machine-width={best['machine_width']}, "
          f"max-interleave={best['interleave']}; {wall:.2f} times as fast as Kiln's own passes, "
          f"with {processor:.2f} times less processor time")
    print(f"its schedule is {schedules.path}")


main()
