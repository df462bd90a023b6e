#!/usr/bin/env python3
"""Checks that Kiln's two halves, libkiln and the compiler, stay separate.

Includes: libkiln is `api -> runtime -> backends/Device.h <- */driver`, the compiler is `kilnc -> */codegen -> passes ->
dialects`; they share only `base/`, which includes nothing of them. Inside of a part,
folders include only lower folders.
Words: no file of api/ or runtime/ names a vendor's driver or target, and no file of backends/llvm tests for a target.
Numbers: no source has an opcode of SPIR-V as a number; base/spirv has them.
The built libkiln.so needs no LLVM library and no C++ library, exports exactly the entries of api/spec/Entries.def, and
cannot be unloaded.

usage: check_layers.py SOURCE [LIBKILN NM READELF]
"""
import pathlib
import re
import subprocess
import sys

# Folder -> the project includes that its files may have. The first row that matches a file counts.
RULES = [
    (r"base/abi/", r"base/abi/|base/support/Wire\.h"),
    (r"base/support/", r"base/support/|KilnBuildId\.h"),
    (r"base/", r"base/|KilnBuildId\.h"),
    (r"api/", r"api/|runtime/|base/|backends/(Device|DeviceInfo)\.h|KilnBuildId\.h"),
    (r"doctor/", r"doctor/|runtime/(cache|compiler)/|base/"),
    (r"runtime/", r"runtime/|base/|backends/(Device|DeviceInfo|Registry)\.h|KilnBuildId\.h"),
    (r"backends/(\w+/driver|null)/", r"backends/|base/|KilnBuildId\.h"),
    # TripleParameter.h only says how this version of LLVM takes a triple.
    (r"emulator/", r"emulator/|base/support/|backends/llvm/TripleParameter\.h"),
    (r"backends/[A-Z]", r"backends/|base/|KilnBuildId\.h"),
    (r"backends/cpu/math/pack/", r"backends/llvm/StripTarget\.h"),
    (r"backends/cpu/math/", r"backends/cpu/math/|base/abi/MathFunctions\.def"),
    (r"backends/gpu/math/", r"backends/(cpu|gpu)/math/"),
    (r"backends/(\w+/codegen|llvm|kilnc)/", r"backends/|passes/|dialects/|base/"),
    (r"passes/", r"passes/|dialects/|base/abi/"),
    (r"dialects/", r"dialects/|base/"),
]
# The folders of a part, the lowest first. A file includes its own folder and lower ones; folders of one row do not include
# each other. Files of the part itself (passes/Pass.h, passes/Pipelines.cpp) are not bound.
ROOMS = {
    "runtime": [["cache"], ["compiler"], ["explore"], ["platform"], ["memory"], ["program"], ["capture"], ["check"], ["crosscheck"],
                ["enqueue"], ["queue"]],
    "dialects": [["ocl", "spirv"], ["wg", "library", "frontend", "import"]],
    "passes": [["target"], ["analysis"], ["lowering"], ["ocl"], ["wg"], ["simd/decide"], ["simd/prepare"], ["simd/emit"], ["simd"],
               ["cpu", "gpu"], ["kiln-opt", "lift-library"]],
    "backends": [["llvm", "cpu/driver", "gpu/driver", "null"], ["cuda/driver", "hip/driver"], ["cpu/math"], ["gpu/math"],
                 ["cpu/codegen", "gpu/codegen"], ["cuda/codegen", "hip/codegen"], ["kilnc/explorer"], ["kilnc/compiler"],
                 ["kilnc"]],
}
NO_LLVM = r"(api|base|doctor|runtime|backends/(\w+/driver|null))/|backends/[A-Z]"


def room_of(path):
    """The part of a file, its room in ROOMS and the room's level; no room for a file of the part itself."""
    part, _, rest = path.partition("/")
    rooms = [(room, level) for level, row in enumerate(ROOMS.get(part, [])) for room in row if rest.startswith(room + "/")]
    return part, *max(rooms, key=lambda found: len(found[0]), default=(None, 0))


def check_includes(root):
    problems = []
    folders = ("api", "base", "runtime", "backends", "doctor", "passes", "dialects", "emulator")
    files = [f for folder in folders for f in (root / folder).rglob("*") if f.suffix in (".h", ".cpp", ".def", ".td")]
    for file in sorted(files):
        path = file.relative_to(root).as_posix()
        allowed = next((allows for folder, allows in RULES if re.match(folder, path)), None)
        for number, line in enumerate(file.read_text().splitlines(), 1):
            include = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
            if not include:
                continue
            name = include.group(2)
            if re.match(NO_LLVM, path) and re.match(r"(llvm|llvm-c|mlir|mlir-c|clang|lld)/", name):
                problems.append(f"{path}:{number}: {name}: libkiln must not include LLVM")
            ours = re.match(r"(api|base|runtime|backends|doctor|passes|dialects|emulator)/|KilnBuildId", name)
            if ours and allowed and not re.match(allowed, name):
                problems.append(f"{path}:{number}: this folder must not include {name}")
            (part, room, level), (other_part, other, other_level) = room_of(path), room_of(name)
            if part == other_part and room and other and room != other and level <= other_level:
                problems.append(f"{path}:{number}: {other} is not below {room}, which must not include {name}")
            if include.group(1) == '"' and not ours and (file.parent / name).exists():
                problems.append(f"{path}:{number}: {name}: includes must start at the root")
    return problems


def found_words(root, folders, pattern, flags=0):
    files = [f for folder in folders for f in (root / folder).rglob("*") if f.is_file()]
    found = ((f, re.search(pattern, f.read_text(), flags)) for f in sorted(files))
    return [f"{f.relative_to(root)}: {word[0]}" for f, word in found if word]


def check_words(root):
    vendors = found_words(root, ("api", "runtime"), r"cuda|nvptx|nvidia|amdgpu|\b(hip|rocm)", re.I)
    tests = found_words(root, ("backends/llvm",), r"\bis(X86|NVPTX|AMDGCN|AMDGPU|AArch64|RISCV)\w*\(")
    return ([f"{found}: only backends/ may name a vendor" for found in vendors] +
            [f"{found}: what one target needs is a function of its Target" for found in tests])


def check_numbers(root):
    found = found_words(root, ("base", "dialects", "passes", "backends", "runtime", "api"), r"\bOp[A-Z]\w* = \d+")
    return [f"{number}: spv::Op of base/spirv has this number" for number in found]


def check_library(root, library, nm, readelf):
    def lines(*command):
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()

    problems = []
    dynamic = lines(readelf, "--dynamic", "--wide", library)
    needed = [m.group(1) for line in dynamic if (m := re.search(r"NEEDED.*\[(.+?)\]", line))]
    problems += [f"libkiln needs {name}" for name in needed if re.search(r"LLVM|MLIR|clang|stdc\+\+|c\+\+", name)]
    if not any("NODELETE" in line for line in dynamic):
        problems.append("libkiln is not linked with NODELETE, but its threads may run after an unload")
    shown = {line.split()[-1].split("@")[0] for line in lines(nm, "--dynamic", "--defined-only", library)}
    table = (root / "api/spec/Entries.def").read_text()
    expected = set(re.findall(r"^KILN_(?:ENTRY|TAGGED|EXTRA)\((\w+)\)", table, re.M))
    problems += [f"libkiln exports {name}, which is not in Entries.def" for name in sorted(shown - expected)]
    problems += [f"libkiln does not export {name}" for name in sorted(expected - shown)]
    return problems


def main():
    root = pathlib.Path(sys.argv[1])
    problems = check_includes(root) + check_words(root) + check_numbers(root)
    if len(sys.argv) > 2:
        problems += check_library(root, *sys.argv[2:])
    print("\n".join(problems) or "layers: all right")
    sys.exit(bool(problems))


main()
