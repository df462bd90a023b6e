#!/usr/bin/env python3
"""Runs generated kernels through each variant of the CPU's pipeline.

    variants.py BUILD [--seeds=1:101] [--style=operators] [--variants=default,none,no-cse] [--jobs=2]

The variants:
  default      the default pipeline
  unoptimised  -cl-opt-disable
  mixed        two forms of a kernel in each launch: the generic variant, that for the local size, the scalar form
  no-PASS      without one optional pass
  none         without all optional passes
  lanes-N      machine width N, vectorized even if the cost model advises against
  permute-N    as lanes-N, with permute loads (only if this machine supports them)
  interleave-1 interleave count 1
They are made from the pipeline that kiln-opt prints. To add an optional pass, add its name to OPTIONAL.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

# Passes that improve code. Kernels compile without them.
OPTIONAL = ["canonicalize", "cse", "mem2reg", "ocl-lower-dynamic-index", "ocl-mark-argument-access",
            "ocl-promote-variables", "ocl-promote-arrays", "ocl-infer-address-spaces", "ocl-scalarize-vectors", "sroa", "wg-merge-regions",
            "wg-unroll-barrier-loops", "wg-vectorize"]


def set_target(lanes, registers, features=""):
    """The pass that describes a processor with vector registers of so many 32-bit elements."""
    return (f"ocl-set-target{{target=cpu,machine_width={lanes},register_bits={32 * lanes},vector_registers={registers},"
            f"features=[{features}]}}")


# Targets and options of wg-vectorize: other widths than this machine's, even if the cost model advises against; no
# interleaving.
VECTORIZE = {f"lanes-{lanes}": (set_target(lanes, 16), "wg-vectorize{force=true}") for lanes in (2, 4, 16)}
VECTORIZE["interleave-1"] = (set_target(8, 16), "wg-vectorize{max-interleave=1}")
# Permute loads, where this machine has the instructions.
FLAGS = set(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
if "avx2" in FLAGS:
    VECTORIZE["permute-8"] = (set_target(8, 16, "permutes"), "wg-vectorize{force=true}")
if "avx512f" in FLAGS:
    VECTORIZE["permute-16"] = (set_target(16, 32, "mask_registers,permutes"), "wg-vectorize{force=true}")
CHUNK = 50  # seeds per process


def split(text):
    """Splits a pass list at its top-level commas."""
    passes, depth, current = [], 0, ""
    for letter in text:
        depth += (letter in "({") - (letter in ")}")
        if letter == "," and depth == 0:
            passes.append(current)
            current = ""
        else:
            current += letter
    return [each for each in passes + [current] if each]


def without(passes, names):
    kept = []
    for each in passes:
        if each.startswith("func.func("):
            inner = without(split(each[len("func.func("):-1]), names)
            if inner:
                kept.append(f"func.func({','.join(inner)})")
        elif each.split("{")[0] not in names:
            kept.append(each)
    return kept


def pipeline(build):
    named = "--pass-pipeline=builtin.module(" + set_target(8, 16) + ",kiln-common,kiln-group,kiln-cpu)"
    printed = subprocess.run([build / "bin" / "kiln-opt", named, "--dump-pass-pipeline"], input="module {}", text=True,
                             capture_output=True, check=True)
    text = printed.stderr[printed.stderr.index("builtin.module("):].strip()
    text = "".join(line.strip() for line in text.splitlines())
    text = re.sub(r"[\w-]+=(?=[ }])", "", text)  # kiln-opt does not parse an empty option
    return without(split(text[len("builtin.module("):-1]), ["ocl-set-target"])


def variants(build):
    passes = pipeline(build)
    result = {"default": ({}, []), "unoptimised": ({}, ["--options=-cl-opt-disable"]),
              "mixed": ({"KILN_VARIANTS": "mixed"}, [])}
    for name in OPTIONAL + [None]:
        kept = without(passes, OPTIONAL if name is None else [name])
        if kept == passes:
            sys.exit(f"variants.py: the pipeline has no {name}")
        result[f"no-{name}" if name else "none"] = ({"KILN_PIPELINE_CPU": f"builtin.module({','.join(kept)})"}, [])
    for name, (target, vectorize) in VECTORIZE.items():
        wide = [target] + [vectorize if one.startswith("wg-vectorize") else one for one in passes]
        result[name] = ({"KILN_PIPELINE_CPU": f"builtin.module({','.join(wide)})"}, [])
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seeds", default="1:101", help="first seed, and the one after the last (1:101)")
    parser.add_argument("--style", choices=["operators", "people"], default="operators")
    parser.add_argument("--variants", help="comma-separated variants (all)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes at a time (all processors)")
    options = parser.parse_args()
    known = variants(options.build.resolve())
    chosen = options.variants.split(",") if options.variants else list(known)
    first, end = map(int, options.seeds.split(":"))

    def run(task):
        name, start = task
        environment, words = known[name]
        seeds = f"--seeds={start}:{min(start + CHUNK, end)}"
        done = subprocess.run([options.build / "bin" / "kiln-differential", f"--style={options.style}", seeds, *words],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=dict(os.environ, KILN_CACHE="off", **environment))
        return name, seeds, done

    wrong = dict.fromkeys(chosen, 0)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, seeds, done in pool.map(run, [(name, start) for name in chosen for start in range(first, end, CHUNK)]):
            if done.returncode:
                wrong[name] += 1
                print(f"--- {name} {seeds}, exit status {done.returncode}\n{done.stdout}", flush=True)
    for name in chosen:
        print(f"{name}: {end - first} kernels, {'no failure' if not wrong[name] else 'FAILED'}")
    return any(wrong.values())


if __name__ == "__main__":
    sys.exit(main())
