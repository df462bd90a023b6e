#!/usr/bin/env python3
"""Compares the emulator's instructions with the pseudo-code of AMD's manuals, on random and special operands.

The pseudo-code comes from the Python package tinygrad, which is needed for development only; without it, the script
says so and exits with 77 (skipped). Results are equal bit for bit, except that any NaN equals any NaN.

usage: compare_with_pseudo_code.py EMULATE_LINES [PROCESSOR] [COUNT]
"""
import importlib.util
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from pseudo_code import Program, Unsupported  # noqa: E402

MANUALS = {"gfx90a": "cdna", "gfx942": "cdna", "gfx1100": "rdna3", "gfx1201": "rdna4"}
ROOT = pathlib.Path(__file__).resolve().parents[4]

# Approximations; instructions that use other lanes or the program counter; and those of which the pseudo-code leaves
# cases out: the steps of a division, rounding of -0, and v_frexp_exp of zero and denormal numbers.
EXCLUDED = re.compile(r"v_div_|[sv]_rndne_|v_frexp_exp_|v_(rcp|rsq|sqrt|exp|log|sin|cos)_|v_cvt_(rpi|nearest)|readlane|readfirst|writelane|_pk_|mix"
                      r"|movrel|permlane|swap|mbcnt|saveexec|wrexec|pc_b64|^s_load|_legacy_|_cmpk_|cmovk|addk|mulk|movk|gpr_idx|s_(c?branch|nop|sleep|trap|waitcnt|[gs]etreg)")
SPECIAL = {
    32: [0, 1, 2, 31, 32, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
         0x7fc00000, 0x7f800001, 0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x3f000000, 0x40200000, 0x4f000000,
         0x00003c00, 0x00007c00, 0x0000fc01, 0x00008001, 0x0000ffff],
    64: [0, 1, 63, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x3ff0000000000000,
         0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
         0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0x41e0000000000000, 0x4004000000000000],
}


def pseudo_code(manual):
    """Mnemonic -> text."""
    spec = importlib.util.find_spec("tinygrad")
    if not spec or not spec.submodule_search_locations:
        print("skipped: the Python package tinygrad is not installed")
        sys.exit(77)
    path = pathlib.Path(spec.submodule_search_locations[0]) / f"runtime/autogen/amd/{manual}/str_pcode.py"
    found = {}
    for match in re.finditer(r"^\s+\w+\.(\w+): ((['\"]).*\3),?$", path.read_text(), re.M):
        name = re.sub(r"_e(32|64)$", "", match.group(1).lower())
        found.setdefault(name, eval(match.group(2)))  # a string literal
    return found


def emulated():
    """The mnemonics in the emulator's tables."""
    names = set()
    for file in (ROOT / "emulator/instructions").glob("*.cpp"):
        for match in re.finditer(r'\{"((?:[vs]_\w+ ?)+)"', file.read_text()):
            names.update(match.group(1).split())
    for kind in ("i16", "u16", "i32", "u32", "i64", "u64"):
        names.update(f"v_cmp_{name}_{kind}" for name in ("lt", "eq", "le", "gt", "ne", "ge"))
    for kind in ("f16", "f32", "f64"):
        names.update(f"v_cmp_{name}_{kind}" for name in "lt eq le gt lg ge o u nge nlg ngt nle neq nlt".split())
    return sorted(names)


def width_of(text, register):
    widths = [int(w) for w in re.findall(rf"\b{register}\.[a-z](\d+)", text)]
    return 64 if max(widths, default=32) == 64 else 32


class Case:
    """One instruction: its line of assembly, and the registers that its pseudo-code reads and writes."""

    def __init__(self, name, text):
        self.name, self.text = name, text
        self.file = name[0]
        self.is_compare = name.startswith(("v_cmp_", "s_cmp_", "s_bitcmp"))
        self.sources = [i for i in range(3) if re.search(rf"\bS{i}\b", text)]
        self.widths = [width_of(text, f"S{i}") for i in self.sources]
        self.result_width = 32 if re.search(r"_i32_[biu]64$", name) else width_of(text, "D0")
        operands = [self.place(2 + 2 * i, width) for i, width in zip(self.sources, self.widths)]
        if name.startswith("v_cmp_"):
            operands.insert(0, "vcc")
        elif not self.is_compare:
            operands.insert(0, self.place(0, self.result_width))
            if (self.file == "v" and "_co_" in name) or "D1" in text:
                operands.insert(1, "vcc")
        if name.startswith("v_cndmask") or re.search(r"v_(addc|subb|subbrev)_co|v_\w+_co_ci_", name):
            operands.append("vcc")
        self.line = f"{name} {', '.join(operands)}"

    def place(self, index, width):
        return f"{self.file}[{index}:{index + 1}]" if width == 64 else f"{self.file}{index}"

    def operands(self):
        return [random.choice(SPECIAL[w]) if random.random() < 0.6 else random.getrandbits(w) >> random.randrange(w)
                for w in self.widths]


def is_nan(bits, width):
    mantissa, exponent = {16: (10, 0x1f), 32: (23, 0xff), 64: (52, 0x7ff)}[width]
    return bits >> mantissa & exponent == exponent and bits & ((1 << mantissa) - 1) != 0


def same(case, expected, got):
    match = re.search(r"D0\.f(\d+)", case.text)
    if match and is_nan(expected & ((1 << int(match.group(1))) - 1), int(match.group(1))):
        return is_nan(got & ((1 << int(match.group(1))) - 1), int(match.group(1)))
    bits = [int(w) for w in re.findall(r"\bD0\.[a-z](\d+)", case.text)]
    mask = (1 << max([16 if bits and max(bits) <= 16 else case.result_width])) - 1
    return expected & mask == got & mask


def main():
    program, processor, count = sys.argv[1], (sys.argv[2:] or ["gfx942"])[0], int((sys.argv[3:] or ["60"])[0])
    texts = {name: text.replace("WAVE_MODE.IEEE", "1") for name, text in pseudo_code(MANUALS[processor]).items()}
    random.seed(7)
    tests, skipped = [], {}
    for name in emulated():
        if name not in texts or EXCLUDED.search(name):
            continue
        text = texts[name]
        case = Case(name, text)
        try:
            for _ in range(count):
                operands = case.operands()
                before = {"D0": random.getrandbits(case.result_width), "SCC": random.getrandbits(1), "VCC": random.getrandbits(1)}
                registers = {f"S{i}": value for i, value in zip(case.sources, operands)}
                after = Program(text, texts).run({**before, **registers, "D1": 0})
                settings = [f"{case.file}0={before['D0'] & 0xffffffff:x}", f"{case.file}1={before['D0'] >> 32:x}",
                            f"scc={before['SCC']}", f"vcc={before['VCC']}"]
                for i, value in zip(case.sources, operands):
                    settings += [f"{case.file}{2 + 2 * i}={value & 0xffffffff:x}", f"{case.file}{3 + 2 * i}={value >> 32:x}"]
                tests.append((case, f"{case.line} ; {' '.join(settings)}", after))
        except (Unsupported, KeyError, TypeError, AttributeError, ValueError, OverflowError, IndexError,
                ZeroDivisionError) as error:
            tests = [t for t in tests if t[0] is not case]
            skipped[name] = f"{type(error).__name__} {error}"
    output = subprocess.run([program, processor], input="\n".join(t[1] for t in tests) + "\n", check=True,
                            capture_output=True, text=True).stdout.splitlines()
    wrong, compared = {}, set()
    for (case, line, after), got in zip(tests, output, strict=True):
        compared.add(case.name)
        if got.startswith("fault"):
            wrong.setdefault(case.name, f"{line}: {got}")
            continue
        v0, v1, s0, s1, vcc, scc = (int(word, 16) for word in got.split())
        low, high = (v0, v1) if case.file == "v" else (s0, s1)
        result = low | high << 32 if case.result_width == 64 else low
        problems = []
        if case.name.startswith("v_cmp_"):
            if after["D0"] & 1 != vcc:
                problems.append(f"vcc is {vcc}")
        elif not case.is_compare and not same(case, after["D0"], result):
            problems.append(f"the result is {result:x}, expected {after['D0']:x}")
        if "SCC" in case.text and int(after["SCC"]) & 1 != scc:
            problems.append(f"scc is {scc}")
        if re.search(r"VCC\.u64\[laneId\] =", case.text) and int(after["VCC"]) & 1 != vcc:
            problems.append(f"vcc is {vcc}")
        if "D1" in case.text and after["D1"] & 1 != vcc:
            problems.append(f"the carry is {vcc}")
        if problems:
            wrong.setdefault(case.name, f"{line}: {', '.join(problems)}")
    for name, message in sorted(wrong.items()):
        print(f"{name}: {message}")
    print(f"not evaluated: {len(skipped)}:", ", ".join(f"{n} ({why})" for n, why in sorted(skipped.items())))
    print(f"{len(compared)} instructions of {processor} compared, {len(wrong)} differ")
    sys.exit(bool(wrong))


main()
