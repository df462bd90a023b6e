"""The commands of an environment: Kiln's programs, with the OpenCL platforms of the environment and of the system."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from kiln import library, program

SYSTEM = pathlib.Path("/etc/OpenCL/vendors")


def _vendors(folder):
    """Fills a folder with the .icd files of the system and of pyopencl's folder, where other wheels put theirs."""
    own = pathlib.Path(library()).parent
    for file in sorted(SYSTEM.glob("*.icd")) if SYSTEM.is_dir() else []:
        (folder / file.name).symlink_to(file)
    for file in sorted(own.glob("*.icd")):
        name = file.read_text().strip()
        target = folder / f"environment-{file.name}"
        # A name without a folder is a library of this folder: the loader of the programs is in another one.
        target.write_text(f"{own / name if (own / name).is_file() else name}\n")


def _run(name, interpreter=()):
    os.execv(interpreter[0] if interpreter else program(name), [*interpreter, program(name), *sys.argv[1:]])


def _run_with_platforms(name):
    """Runs a program that uses an OpenCL loader, which reads one folder of .icd files."""
    if os.environ.get("OCL_ICD_VENDORS") or os.environ.get("OPENCL_VENDOR_PATH"):
        _run(name)
    with tempfile.TemporaryDirectory(prefix="kiln-vendors-") as folder:
        _vendors(pathlib.Path(folder))
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program decides
        # A restored handler in the child: an ignored signal stays ignored over exec.
        result = subprocess.run([program(name), *sys.argv[1:]], env={**os.environ, "OCL_ICD_VENDORS": folder + "/"},
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    # A program that a signal has ended: the shell's number for it.
    return result.returncode if result.returncode >= 0 else 128 - result.returncode


def kilnc():
    _run("kilnc")


def kiln_clc():
    _run("kiln-clc")


def kiln_doctor():
    return _run_with_platforms("kiln-doctor")


def kiln_bench():
    return _run_with_platforms("kiln-bench")


def kiln_replay():
    return _run_with_platforms("kiln-replay")


def kiln_report():
    _run("kiln-report", (sys.executable,))
