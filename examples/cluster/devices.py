#!/usr/bin/env python3
"""Compares the factorisation on several kinds of devices together with each kind alone.

    devices.py BUILD [--devices=cpu,cuda] [--rounds=3] [--floor=0.9] [-- OPTIONS]

One rank. StarPU's scheduler dmda divides the tasks by the measured time of each kernel on each device. Prints the
rates, and the rate of all together over the sum of the rates alone; fails if the median of that ratio is below the
floor. OPTIONS go to kiln-cholesky (--size=12288 --tile=768).
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
import run


def rate(build, folder, devices, options, calibrate):
    """GFLOP/s of one run, which verifies its result."""
    environment = {**run.environment(build, folder), "KILN_DEVICES": devices, "STARPU_SCHED": "dmda",
                   "STARPU_CALIBRATE": str(int(calibrate))}
    command = ["mpirun", "--bind-to", "none", "-n", "1", str(build / "bin" / "kiln-cholesky"), *options]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    found = re.search(r"([\d.]+) GFLOP/s.* verified", done.stdout)
    if done.returncode or not found:
        sys.exit(f"devices.py: the run with KILN_DEVICES={devices} failed: {done.stdout}")
    return float(found[1])


def main():
    own, options = sys.argv[1:], []
    if "--" in own:
        own, options = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--devices", default="cpu,cuda", help="kinds of devices, as in KILN_DEVICES (cpu,cuda)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--floor", type=float, default=0.9)
    arguments = parser.parse_args(own)
    build = arguments.build.resolve()
    folder = build / "cluster"
    kinds = arguments.devices.split(",")
    sets = list(dict.fromkeys([*kinds, arguments.devices]))
    options = options or ["--size=12288", "--tile=768"]
    for devices in sets:  # dmda needs ten measurements of each kernel on each device
        rate(build, folder, devices, options, calibrate=True)
    ratios = []
    for number in range(arguments.rounds):
        rates = {devices: rate(build, folder, devices, options, calibrate=False) for devices in sets}
        ratios.append(rates[arguments.devices] / sum(rates[kind] for kind in kinds))
        text = ", ".join(f"{devices}: {value:.2f} GFLOP/s" for devices, value in rates.items())
        print(f"round {number + 1}: {text}, together / sum: {ratios[-1]:.2f}", flush=True)
    median = statistics.median(ratios)
    print(f"median of together / sum: {median:.2f}, must be at least {arguments.floor}")
    return 0 if median >= arguments.floor else 1


if __name__ == "__main__":
    sys.exit(main())
