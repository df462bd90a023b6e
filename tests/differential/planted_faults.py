#!/usr/bin/env python3
"""Disables the runtime checks of each assumption in turn, and counts the kernels until a wrong result.

    planted_faults.py BUILD [--faults=one-tile,window] [--most=2000] [--styles=people,operators] [--lanes=8]

The faults are rows of base/abi/Assumptions.def, which wg-vectorize{skip-checks=...} can disable. If no kernel detects a
fault, the exit status is 1: the generator does not reach that assumption. The same kernels run first without a fault,
and must all pass.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

from variants import FLAGS, pipeline, set_target

FAULTS = ["guarded-lanes", "one-tile", "one-side", "no-wrap", "small-ids", "no-alias", "access-order", "window", "quads",
          "lane-order", "active-lane", "whole-vectors"]
CHUNK = 25  # seeds per process
FOUND = re.compile(r"^seed (\d+)", re.MULTILINE)


def first_seed(build, passes, style, start, end):
    done = subprocess.run([build / "bin" / "kiln-differential", f"--style={style}", f"--seeds={start}:{end}"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=dict(os.environ, KILN_CACHE="off", KILN_PIPELINE_CPU=f"builtin.module({','.join(passes)})"))
    if done.returncode == 0:
        return None
    seeds = [int(seed) for seed in FOUND.findall(done.stdout)]
    if not seeds:
        sys.exit(f"planted_faults.py: kiln-differential ended with status {done.returncode}:\n{done.stdout}")
    return min(seeds), done.stdout.splitlines()[0]


def search(build, passes, styles, most):
    """Returns the style and seed of the first failing kernel, and its message; None if there is no failure."""
    for style in styles:
        for start in range(1, most + 1, CHUNK):
            found = first_seed(build, passes, style, start, min(start + CHUNK, most + 1))
            if found:
                return style, *found
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--faults", default=",".join(FAULTS), help="comma-separated faults (all)")
    parser.add_argument("--most", type=int, default=2000, help="maximum number of kernels of each style (2000)")
    parser.add_argument("--styles", default="people,operators", help="comma-separated styles, in order")
    parser.add_argument("--lanes", type=int, default=8, help="machine width (8)")
    options = parser.parse_args()
    build = options.build.resolve()
    lanes = options.lanes
    has_permutes = "avx512f" in FLAGS if lanes >= 16 else lanes >= 8 and "avx2" in FLAGS
    usual = [set_target(lanes, 16, "permutes" if has_permutes else "")] + pipeline(build)

    def passes_with(more):
        options_text = f"wg-vectorize{{force=true{more}}}"
        return [options_text if one.startswith("wg-vectorize") else one for one in usual]

    styles = options.styles.split(",")
    if found := search(build, passes_with(""), styles, options.most):
        sys.exit(f"planted_faults.py: kernel {found[1]} of style {found[0]} fails without a fault: {found[2]}")
    missed = 0
    for fault in options.faults.split(","):
        found = search(build, passes_with(f" skip-checks={fault}"), styles, options.most)
        if found:
            print(f"{fault}: found by kernel {found[1]} of style {found[0]}: {found[2]}", flush=True)
        else:
            print(f"{fault}: NOT FOUND in {options.most} kernels of each style", flush=True)
            missed += 1
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
