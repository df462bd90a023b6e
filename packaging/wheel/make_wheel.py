#!/usr/bin/env python3
"""Makes a Python wheel of a build: an OpenCL platform for a Python environment.

    make_wheel.py BUILD FOLDER      writes FOLDER/kiln-<version>-py3-none-manylinux_<glibc>_<machine>.whl

The build must have the targets kiln, kiln-report and PROGRAM-bundled for each program. The wheel has

    pyopencl/.libs/libkiln.so, kiln.icd   where the OpenCL loader inside of pyopencl's wheels searches
    kiln/bin/kilnc, kiln-clc              the compilers, which libkiln finds from there
    kiln/bin/kiln-*                       kiln-doctor, kiln-bench, kiln-replay and kiln-report
    kiln/lib/                             the libraries of these programs, without those of the C library
    kiln/lib/clc/                         those of kiln-clc alone
    kiln/licenses/                        the licences of all of them

The tag names the newest version of glibc that a file needs, and not an older one.
"""
import base64
import hashlib
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = ("kilnc", "kiln-clc", "kiln-doctor", "kiln-bench", "kiln-replay")
# glibc's libraries, which every system has, with the dynamic linker.
SYSTEM = re.compile(r"(libc|libm|libdl|librt|libpthread|libresolv|ld-linux-x86-64)\.so")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def version():
    return re.search(r"project\(Kiln VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def libraries_of(program, beside):
    """Name and path of each shared library that the program loads, without glibc's. Those in `beside` come first."""
    found = {}
    for line in output("env", f"LD_LIBRARY_PATH={beside}", "ldd", str(program)).splitlines():
        match = re.match(r"\s*(\S+) => (\S+)", line)
        if match and match[2] == "not":
            sys.exit(f"make_wheel.py: {program} needs {match[1]}, which is not installed")
        if match and not SYSTEM.match(match[1]):
            found[match[1]] = pathlib.Path(match[2])
    return found


def glibc_of(file):
    """The newest version of glibc that the file needs."""
    found = re.findall(r"GLIBC_(\d+)\.(\d+)", output("readelf", "--version-info", "--wide", str(file)))
    return max(((int(major), int(minor)) for major, minor in found), default=(2, 17))


def licence_of(library):
    """Name and copyright file of the Debian package that has the library."""
    for path in (library, library.resolve(), pathlib.Path("/usr" + str(library))):
        listed = subprocess.run(["dpkg-query", "--search", str(path)], capture_output=True, text=True).stdout
        if listed:
            package = listed.split(":")[0].split(",")[0]
            return package, pathlib.Path("/usr/share/doc") / package / "copyright"
    sys.exit(f"make_wheel.py: no package has {library}, so its licence is not known")


class Wheel:
    """Writes the files of a wheel and their RECORD."""

    def __init__(self, path, info):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.info, self.record = info, []

    def add(self, name, content, mode=0o644):
        entry = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))  # the same bytes for the same files
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}")

    def close(self):
        lines = self.record + [f"{self.info}/RECORD,,"]
        self.add(f"{self.info}/RECORD", ("\n".join(lines) + "\n").encode())
        self.zip.close()


def stripped(file, folder):
    """A copy without symbols that are needed for debugging only."""
    copy = pathlib.Path(folder) / file.name
    shutil.copy(file, copy)
    subprocess.run(["strip", "--strip-unneeded", str(copy)], check=True)
    return copy


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, target = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    library, report = build / "lib/libkiln.so", build / "bin/kiln-report"
    programs = [build / "bundled" / name for name in PROGRAMS]
    for file in (library, report, *programs):
        if not file.exists():
            sys.exit(f"make_wheel.py: {file} is missing; build kiln, kiln-report and " +
                     ", ".join(f"{name}-bundled" for name in PROGRAMS))
    own = build / "bundled/lib"  # libraries of the build
    libraries = {name: path for program in programs for name, path in libraries_of(program, own).items()}
    needed = max(glibc_of(file) for file in (library, *programs, *libraries.values()))
    tag = f"py3-none-manylinux_{needed[0]}_{needed[1]}_{platform.machine()}"
    info = f"kiln-{version()}.dist-info"
    target.mkdir(parents=True, exist_ok=True)
    path = target / f"kiln-{version()}-{tag}.whl"
    wheel = Wheel(path, info)
    here = pathlib.Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as folder:
        wheel.add("pyopencl/.libs/libkiln.so", stripped(library, folder).read_bytes(), 0o755)
        # A name without a folder: the loader finds it in its own, as pyopencl's extension has the run path $ORIGIN/.libs.
        wheel.add("pyopencl/.libs/kiln.icd", b"libkiln.so\n")
        for program in programs:
            wheel.add(f"kiln/bin/{program.name}", stripped(program, folder).read_bytes(), 0o755)
        wheel.add("kiln/bin/kiln-report", report.read_bytes(), 0o755)
        for name, file in sorted(libraries.items()):
            copy = stripped(file.resolve(), folder)
            place = "kiln/lib/clc" if own in file.parents or "LLVMSPIRV" in name else "kiln/lib"
            wheel.add(f"{place}/{name}", copy.read_bytes(), 0o755)
    for package, file in sorted({licence_of(file) for file in libraries.values() if own not in file.parents}):
        wheel.add(f"kiln/licenses/{package}", file.read_bytes())
    cache = (build / "CMakeCache.txt").read_text()
    llvm = re.search(r"^MLIR_DIR:PATH=.*/llvm-(\d+)/", cache, re.MULTILINE)
    clang = re.search(r"^KILN_FRONTEND_LLVM:PATH=.*-(\d+)/?$", cache, re.MULTILINE)
    linked = [f"libllvm{llvm[1]}", f"libmlir-{llvm[1]}-dev"] if llvm else []  # into kilnc
    linked += [f"libllvm{clang[1]}", f"libclang-{clang[1]}-dev"] if clang else []  # into kiln-clc
    for package in linked:
        file = pathlib.Path("/usr/share/doc") / package / "copyright"
        if file.exists():
            wheel.add(f"kiln/licenses/{package}", file.read_bytes())
    wheel.add("kiln/licenses/kiln", (ROOT / "LICENSE").read_bytes())
    for name in ("__init__.py", "__main__.py", "commands.py"):
        wheel.add(f"kiln/{name}", (here / name).read_text().replace("@VERSION@", version()).encode())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: kiln\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    wheel.add(f"{info}/METADATA", (f"Metadata-Version: 2.1\nName: kiln\nVersion: {version()}\n"
                                   "Summary: OpenCL platform for CPUs, NVIDIA GPUs and AMD GPUs, built on MLIR\n"
                                   "License: Apache-2.0 WITH LLVM-exception\nRequires-Python: >=3.7\n").encode())
    commands = "".join(f"{name} = kiln.commands:{name.replace('-', '_')}\n" for name in (*PROGRAMS, "kiln-report"))
    wheel.add(f"{info}/entry_points.txt", f"[console_scripts]\n{commands}".encode())
    wheel.close()
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


main()
