"""Starts the programs of examples/cluster for tests."""
import os
import subprocess
import sys
import time
import uuid

MARK = "KILN_TEST_RUN"


def environment(folder, **more):
    """An environment with a mark, which every process that a run starts inherits."""
    os.makedirs(f"{folder}/starpu", exist_ok=True)
    return {**os.environ, "STARPU_HOME": f"{folder}/starpu", "STARPU_SILENT": "1", "KILN_CPU_THREADS": "1",
            "KILN_DEVICES": "cpu", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            MARK: uuid.uuid4().hex, **more}


def mpirun(environment, *arguments, seconds=90):
    """Returns (exit status, output, seconds)."""
    start = time.monotonic()
    done = subprocess.run(["mpirun", "--oversubscribe", "--bind-to", "none", *arguments], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds)
    return done.returncode, done.stdout, time.monotonic() - start


def processes(environment):
    """The numbers and names of living processes of a run, whoever is their parent now."""
    mark = f"{MARK}={environment[MARK]}".encode()
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/environ", "rb") as variables, open(f"/proc/{number}/comm") as name:
                if mark in variables.read().split(b"\0"):
                    found.append((int(number), name.read().strip()))
        except OSError:
            pass  # ended meanwhile, or belongs to another user
    return found


def check_ended(environment, name):
    """Fails if a process of the run lives for more than 10 s. A compiler that lost its application ends a moment later."""
    start = time.monotonic()
    while (left := processes(environment)) and time.monotonic() - start < 10:
        time.sleep(0.05)
    check(not left, f"{name}: processes are left after 10 s: {left}")


def check(right, message):
    if not right:
        sys.exit(f"failed: {message}")
