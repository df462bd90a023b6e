#!/usr/bin/env python3
"""Makes the Debian packages, unpacks them, and runs a kernel from the unpacked files.

    test_debian.py SOURCE BUILD
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Package -> a dependency that it must have, and files.
PACKAGES = {
    "kiln": (r"libc6", ["usr/lib/libkiln.so", "usr/bin/kiln-doctor", "usr/share/man/man7/kiln.7",
                         "usr/share/man/man1/kiln-doctor.1", "etc/OpenCL/vendors/kiln.icd"]),
    "kiln-compilers": (r"kiln \(= ", ["usr/bin/kilnc", "usr/bin/kiln-clc"]),
    "kiln-tools": (r"libbenchmark", ["usr/bin/kiln-bench", "usr/bin/kiln-replay", "usr/bin/kiln-reduce",
                                    "usr/bin/kiln-report"]),
    "kiln-dev": (r"kiln-compilers \(= .*mlir-\d+-tools", ["usr/bin/kiln-opt", "usr/include/kiln/dialects/ocl/Ocl.h",
                                           "usr/include/kiln/dialects/ocl/Ocl.op.h.inc",
                                           "usr/include/kiln/passes/Passes.h.inc",
                                           "usr/lib/cmake/Kiln/KilnConfig.cmake",
                                           "usr/share/kiln/template/CMakeLists.txt"]),
}


def run(*command, expected=0, **more):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if result.returncode != expected:
        sys.exit(f"test_debian.py: {command} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def check(right, sentence):
    if not right:
        sys.exit(f"test_debian.py: {sentence}")


def main():
    source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    if not shutil.which("dpkg-deb") or not shutil.which("dpkg-shlibdeps"):
        print("test_debian.py: dpkg-dev is not installed")
        return 77  # skipped
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run("cpack", "-G", "DEB", "-B", folder / "made", cwd=build)
        # On a machine without dpkg-dev there is no package, instead of packages that depend on no library.
        printed = run("cmake", "-DCPACK_GENERATOR=DEB", "-DCMAKE_FIND_ROOT_PATH=/nonexistent",
                      "-DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=ONLY", "-P", source / "cmake/KilnPack.cmake", expected=1)
        check("dpkg-shlibdeps is missing" in printed, f"without dpkg-dev: {printed}")
        found = {file.name.split("_")[0]: file for file in (folder / "made").glob("*.deb")}
        check(set(found) == set(PACKAGES), f"the packages are {sorted(found)}, must be {sorted(PACKAGES)}")
        owners = {}
        for package, (dependency, files) in PACKAGES.items():
            control = run("dpkg-deb", "--field", found[package], "Depends")
            check(re.search(dependency, control), f"{package} does not depend on {dependency}: {control}")
            run("dpkg-deb", "--extract", found[package], folder / package)
            run("dpkg-deb", "--extract", found[package], folder / "root")
            for file in files:
                check((folder / package / file).is_file(), f"{package} has no {file}")
            for file in (folder / package).rglob("*"):
                if file.is_file():
                    path = str(file.relative_to(folder / package))
                    check(path not in owners, f"{path} is in {package} and in {owners.get(path)}")
                    owners[path] = package
        root = folder / "root"
        check((root / "etc/OpenCL/vendors/kiln.icd").read_text() == "/usr/lib/libkiln.so\n", "kiln.icd is wrong")
        for file in root.rglob("*"):
            if file.suffix in (".h", ".inc", ".td", ".def", ".cmake", ".txt", ".icd") and file.is_file():
                check(str(source) not in file.read_text(), f"{file.relative_to(root)} names the folder of the sources")

        environment = {"OCL_ICD_VENDORS": f"{root}/usr/lib/libkiln.so", "PATH": os.environ["PATH"], "HOME": name,
                       "KILN_CACHE": "off", "KILN_DEVICES": "cpu"}
        printed = run(root / "usr/bin/kiln-bench", "--source", source / "tests/bench/Inputs/add.cl", "--seconds", "0.1",
                      env=environment)
        check("add.cl:add/Kiln/" in printed, f"no kernel ran: {printed}")
        printed = run(root / "usr/bin/kiln-bench", expected=1, env=environment)
        check("neither --source nor a bundle is given" in printed, printed)
    print("Debian packages: all right")
    return 0


sys.exit(main())
