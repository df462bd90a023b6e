#!/usr/bin/env python3
"""Makes the wheel, installs it in a new virtual environment, and runs a kernel with it.

    test_wheel.py SOURCE BUILD
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

LIMIT = 60e6  # bytes
PROGRAMS = ("kilnc", "kiln-clc", "kiln-doctor", "kiln-bench", "kiln-replay")


def run(*command, **more):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if result.returncode:
        sys.exit(f"test_wheel.py: {command} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def check(right, sentence):
    if not right:
        sys.exit(f"test_wheel.py: {sentence}")


def main():
    source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    run("cmake", "--build", build, "--target", "kiln", "kiln-report", *(f"{name}-bundled" for name in PROGRAMS))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(sys.executable, source / "packaging/wheel/make_wheel.py", build, folder)
        wheel, = folder.glob("kiln-*.whl")
        check(wheel.stat().st_size < LIMIT, f"the wheel has {wheel.stat().st_size} bytes, must be below {LIMIT:.0f}")
        check(re.fullmatch(r"kiln-[\d.]+-py3-none-manylinux_2_\d+_x86_64\.whl", wheel.name), f"its name is {wheel.name}")
        names = zipfile.ZipFile(wheel).namelist()
        check(not [other for other in names if re.search(r"libc\.so|ld-linux", other)], "it has the C library")

        run(sys.executable, "-m", "venv", folder / "venv")
        python = folder / "venv/bin/python"
        run(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel)
        library = pathlib.Path(run(python, "-m", "kiln").strip())
        check(library.is_file(), f"{library} is not there")
        site = library.parent.parent.parent
        for program in PROGRAMS:
            listed = run("ldd", site / "kiln/bin" / program)
            found = re.findall(r"=> (\S+) ", listed)
            outside = [path for path in found
                       if not path.startswith(str(site)) and not re.search(r"/(libc|libm|ld-linux\S*)\.so", path)]
            check("not found" not in listed and not outside, f"{program} uses libraries outside of the wheel: {listed}")
        check("OVERVIEW" in run(folder / "venv/bin/kilnc", "--help"), "kilnc --help prints nothing")

        # The programs find the platform of the environment without a variable.
        commands = folder / "venv/bin"
        environment = {"PATH": os.environ["PATH"], "HOME": name, "KILN_CACHE": "off", "KILN_DEVICES": "cpu"}
        printed = run(commands / "kiln-doctor", env=environment)
        check("runs a kernel" in printed and "0 problems" in printed, f"kiln-doctor finds: {printed}")
        add = source / "tests/bench/Inputs/add.cl"
        printed = run(commands / "kiln-bench", "--source", add, "--size", "4096", "--seconds", "0.1", "--platform", "Kiln",
                      f"--benchmark_out={name}/now.json", env={**environment, "KILN_CAPTURE": "add", "KILN_CAPTURE_DIR": name})
        check("add.cl:add/Kiln/" in printed, f"no kernel ran: {printed}")
        run(commands / "kiln-report", folder / "page.html", folder / "now.json", env=environment)
        check("<svg" in (folder / "page.html").read_text(), "kiln-report has drawn nothing")
        bundle, = folder.glob("kiln-*-add-1")
        printed = run(commands / "kiln-replay", bundle, env=environment)
        check("same" in printed or "as in the bundle" in printed, f"kiln-replay prints: {printed}")
        # Other programs need it.
        printed = run(commands / "kiln-bench", "--source", add, "--size", "4096", "--seconds", "0.1",
                      env={**environment, "OCL_ICD_VENDORS": str(library)})
        check("add.cl:add/Kiln/" in printed, f"no kernel ran with OCL_ICD_VENDORS: {printed}")
        left = list(pathlib.Path(tempfile.gettempdir()).glob("kiln-vendors-*"))
        check(not left, f"the commands leave {left}")

        run(python, "-m", "pip", "uninstall", "--yes", "kiln")
        left = [str(file) for file in site.rglob("*kiln*")]
        check(not left, f"pip uninstall leaves {left}")
    print(f"{wheel.name}: all right")


main()
