"""Kiln, an OpenCL platform, in this Python environment.

pyopencl's own wheels find it by themselves. For other programs of the environment:

    export OCL_ICD_VENDORS=$(python -m kiln)      # ocl-icd, the loader of Debian and Ubuntu
    export OCL_ICD_FILENAMES=$(python -m kiln)    # Khronos's loader
"""
import pathlib

__version__ = "@VERSION@"


def library():
    """The path of libkiln.so."""
    return str(pathlib.Path(__file__).resolve().parent.parent / "pyopencl" / ".libs" / "libkiln.so")


def program(name):
    """The path of a program: kilnc, kiln-clc, kiln-doctor, kiln-bench, kiln-replay or kiln-report."""
    return str(pathlib.Path(__file__).resolve().parent / "bin" / name)
