#!/usr/bin/env python3
"""Compares two sets of benchmark results.

    compare.py A.json B.json                    one run each
    compare.py A1.json,A2.json B1.json,B2.json  alternating runs (A B A B ...): each pair gives a ratio, the median of
                                                the ratios counts
    compare.py --native A.json                  compares benchmarks with their native/ twins of the same run

A ratio is B's time divided by A's: above 1, A is faster. The exit status is 1 if a ratio is below the R of --floor=R,
if a benchmark of A ended with an error, or if A and B have no benchmark in common.
"""
import argparse
import json
import math
import statistics
import sys

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def read(path):
    """Returns a dictionary from name to median real time in seconds; None for a benchmark that ended with an error."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    times, repetitions = {}, {}
    for row in document["benchmarks"]:
        name = row.get("run_name", row["name"]).removesuffix("/manual_time").removesuffix("/real_time")
        if row.get("error_occurred"):
            times[name] = None
        elif row.get("aggregate_name") == "median":
            times.setdefault(name, row["real_time"] * UNITS[row["time_unit"]])
        elif row.get("run_type") == "iteration":
            repetitions.setdefault(name, []).append(row["real_time"] * UNITS[row["time_unit"]])
    for name, seconds in repetitions.items():
        times.setdefault(name, statistics.median(seconds))
    context = document.get("context", {})
    return times, context.get("platform", path)


def spell(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.4g} {unit}"
    return f"{seconds / 1e-9:.4g} ns"


def beside_native(run):
    """Splits a run into two sides: the benchmarks with a native/ twin, and the twins under the same names."""
    times, title = run
    twins = {name.removeprefix("native/"): seconds for name, seconds in times.items() if name.startswith("native/")}
    return ({name: times[name] for name in twins if name in times}, title), (twins, "native/")


def without_native(run):
    """Removes the native/ twins: they run on the host, so they do not compare platforms."""
    times, title = run
    return {name: seconds for name, seconds in times.items() if not name.startswith("native/")}, title


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a")
    parser.add_argument("b", nargs="?")
    parser.add_argument("--native", action="store_true", help="compare A with the native/ loops of the same runs")
    parser.add_argument("--floor", type=float, help="fail if a ratio is below R", metavar="R")
    options = parser.parse_args()
    if options.native == bool(options.b):
        parser.error("exactly one of B and --native is required")
    if options.native:
        runs = list(zip(*(beside_native(read(path)) for path in options.a.split(","))))
    else:
        runs = [[without_native(read(path)) for path in paths.split(",")] for paths in (options.a, options.b)]
    if len(runs[0]) != len(runs[1]):
        parser.error(f"A has {len(runs[0])} files, B has {len(runs[1])}, must be equal")
    titles = [side[0][1] for side in runs]
    pairs = [(a[0], b[0]) for a, b in zip(*runs)]

    names = list(dict.fromkeys(name for pair in pairs for times in pair for name in times))
    width = max([len(name) for name in names] + [9])
    print(f"A: {titles[0]}\nB: {titles[1]}\n\n{'benchmark':{width}}  {'A':>10}  {'B':>10}  {'B/A':>6}")
    ratios, slow, broken = [], [], False
    for name in names:
        sides = [[times[name] for times in side if name in times] for side in zip(*pairs)]
        broken |= None in sides[0]
        shown = ["-" if not side else "error" if None in side else spell(statistics.median(side)) for side in sides]
        line = f"{name:{width}}  {shown[0]:>10}  {shown[1]:>10}"
        both = [b[name] / a[name] for a, b in pairs if a.get(name) and b.get(name)]
        if both:
            ratios.append(statistics.median(both))
            below = options.floor is not None and ratios[-1] < options.floor
            slow += [name] if below else []
            line += f"  {ratios[-1]:6.2f}" + ("  below the floor" if below else "")
        print(line)
    if ratios:
        mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
        print(f"\n{'geometric mean':{width}}  {'':>10}  {'':>10}  {mean:6.2f}")
    if slow:
        print(f"{len(slow)} of {len(ratios)} below {options.floor}")
    return 1 if broken or slow or not ratios else 0


if __name__ == "__main__":
    sys.exit(main())
