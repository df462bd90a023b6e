#!/usr/bin/env python3
"""Mutates SPIR-V modules, compiles those that are still valid, and saves the ones that crash kilnc.

    mutate_valid.py [--minutes M] [--seed S] [--target T] KILNC OUTPUT MODULE...

Each iteration chooses a module and changes a few words of it: it replaces an id by another id of the module, a literal
by a small or special number, an instruction by one of the same form, or swaps two instructions. If spirv-val accepts
the module, kilnc must compile it or print an error. If kilnc ends by a signal or takes more than 60 s, the module is
saved in OUTPUT under the iteration's number, with kilnc's standard error.

The last line gives the number of modules tried, valid ones, and saved ones.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import time

HEAD = 5  # words
SAME_FORM = [
    [128, 130, 132, 134, 135, 137, 138, 139, 194, 195, 196, 197, 198, 199],  # integers of two integers
    [129, 131, 133, 136, 140, 141],  # floats of two floats
    [170, 171, 172, 173, 174, 175, 176, 177, 178, 179],  # comparisons of integers
    [180, 181, 182, 183, 184, 185, 186, 187, 188, 189],  # comparisons of floats
    [109, 110, 111, 112, 113, 114, 115],  # conversions
]
LITERALS = [0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 255, 1 << 16, 1 << 31, (1 << 32) - 1]


def words_of(data):
    return [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data) - 3, 4)]


def bytes_of(words):
    return b"".join(word.to_bytes(4, "little") for word in words)


def instructions_of(words):
    """Returns the index of the first word of each instruction."""
    starts, at = [], HEAD
    while at < len(words) and words[at] >> 16:
        starts.append(at)
        at += words[at] >> 16
    return starts


def mutate(words, dice):
    words = list(words)
    starts = instructions_of(words)
    bound = words[3]
    functions = next((i for i, at in enumerate(starts) if words[at] & 0xFFFF == 54), len(starts))
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        at = starts[dice.randrange(functions, len(starts))] if functions < len(starts) and dice.random() < 0.9 \
            else dice.choice(starts)
        count, opcode = words[at] >> 16, words[at] & 0xFFFF
        kind = dice.random()
        if kind < 0.3:
            for form in SAME_FORM:
                if opcode in form:
                    words[at] = count << 16 | dice.choice(form)
        elif kind < 0.4 and len(starts) > 1:
            other = dice.choice(starts)
            if words[other] >> 16 == count:
                words[at:at + count], words[other:other + count] = words[other:other + count], words[at:at + count]
        elif count > 1:
            operand = at + dice.randrange(1, count)
            words[operand] = dice.choice(LITERALS) if dice.random() < 0.4 else dice.randrange(1, bound)
    return words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kilnc")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("modules", nargs="+", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=10, help="running time (10)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random numbers (1)")
    parser.add_argument("--target", default="cpu", help="kilnc's target (cpu)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * options.minutes
    candidate, code = options.output / "candidate.spv", options.output / "code"
    tried = valid = saved = 0
    while time.monotonic() < end:
        tried += 1
        dice = random.Random(f"{options.seed}/{tried}")
        module = dice.choice(options.modules)
        words = mutate(words_of(module.read_bytes()), dice)
        candidate.write_bytes(bytes_of(words))
        if subprocess.run(["spirv-val", candidate], capture_output=True).returncode:
            continue
        valid += 1
        command = [options.kilnc, f"--target={options.target}", candidate, "--emit=obj" if options.target == "cpu" else "--emit=so",
                   "-o", code]
        try:
            result = subprocess.run(command, capture_output=True, timeout=60)
            status, errors = result.returncode, result.stderr
        except subprocess.TimeoutExpired as expired:
            status, errors = "timeout", expired.stderr or b""
        if status in (0, 1):
            continue
        saved += 1
        name = options.output / f"{options.seed}-{tried}-{module.stem}"
        name.with_suffix(".spv").write_bytes(bytes_of(words))
        name.with_suffix(".txt").write_bytes(f"{module}: status {status}\n".encode() + errors)
        print(f"{name}.spv: status {status}", flush=True)
    candidate.unlink(missing_ok=True)
    code.unlink(missing_ok=True)
    print(f"{tried} modules tried, {valid} valid, {saved} saved")
    return 1 if saved else 0


if __name__ == "__main__":
    sys.exit(main())
