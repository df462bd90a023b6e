"""The commands kilnc and kiln-clc of an environment."""
import os
import sys

from kiln import program


def _run(name):
    os.execv(program(name), [name, *sys.argv[1:]])


def kilnc():
    _run("kilnc")


def kiln_clc():
    _run("kiln-clc")
