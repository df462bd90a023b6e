"""Looks at the processors of the ranks of one machine while they run. usage: placement.py BIN FOLDER"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import common

binaries, folder = sys.argv[1:]
allowed = os.sched_getaffinity(0)


def numbers(text):
    """The set of numbers of a list such as 0-3,8."""
    ranges = (part.split("-") for part in text.split(","))
    return {number for each in ranges for number in range(int(each[0]), int(each[-1]) + 1)}


def pool_processors(process):
    """The processors that the threads of Kiln's CPU device may run on."""
    found = set()
    for task in os.listdir(f"/proc/{process}/task"):
        try:
            with open(f"/proc/{process}/task/{task}/comm") as name:
                if name.read().strip() == "kiln-cpu":
                    found |= os.sched_getaffinity(int(task))
        except (FileNotFoundError, ProcessLookupError):
            pass  # the thread has ended
    return found


def look(ranks, processors=None):
    """Starts ranks, each bound to one of the processors if they are given. Returns what each rank prints about itself,
    {rank: (processors, compute units)}, and the processors of each rank's pool."""
    environment = common.environment(folder)
    del environment["KILN_CPU_THREADS"]
    program = [f"{binaries}/kiln-stencil", "--nx=16", "--ny=16", "--nz=16", "--slabs=8", "--steps=100000", "--check=0",
               "--progress=1", "--placement=1"]
    command = ["timeout", "90", "mpirun", "--oversubscribe", "--bind-to", "none"]
    if processors:
        for number in processors:
            command += ["-n", "1", "taskset", "--cpu-list", str(number), *program, ":"]
        command.pop()
    else:
        command += ["-n", str(ranks), *program]
    run = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said, at_work, output = {}, set(), []
    for line in run.stdout:
        output.append(line)
        if place := re.search(r"rank (\d+) of \d+ on \S+: processors ([\d,-]+), .* with (\d+) compute units", line):
            said[int(place[1])] = (numbers(place[2]), int(place[3]))
        elif line.startswith("progress "):
            at_work.add(line.split()[1])
        if len(at_work) == ranks:
            break
    common.check(len(at_work) == ranks and len(said) == ranks, "not every rank did a task:\n" + "".join(output))
    pools = [pool_processors(number) for number, name in sorted(common.processes(environment)) if name == "kiln-stencil"]
    run.terminate()
    run.communicate()
    return said, pools


def check(name, said, pools):
    """Each rank's pool has the processors that the rank names, and the device has as many compute units."""
    common.check(sorted(map(sorted, pools)) == sorted(sorted(processors) for processors, _ in said.values()),
                 f"{name}: the ranks name {said}, their threads have {pools}")
    common.check(all(units == len(processors) for processors, units in said.values()), f"{name}: {said}")


def disjoint(sets):
    return sum(map(len, sets)) == len(set().union(*sets))


if len(allowed) > 1:
    said, pools = look(2)
    check("not bound", said, pools)
    common.check(disjoint(pools), f"not bound: the ranks' processors overlap: {pools}")
    common.check(set().union(*pools) == allowed, f"not bound: {pools}, not all of {allowed}")
    first, second = sorted(allowed)[:2]
    said, pools = look(2, [second, first])
    check("bound", said, pools)
    common.check(said == {0: ({second}, 1), 1: ({first}, 1)}, f"bound: the ranks do not keep their processors: {said}")
print("two ranks do not overlap")

ranks = 2 * len(allowed) if len(allowed) < 4 else 4
said, pools = look(ranks)
check("many ranks", said, pools)
if ranks > len(allowed):
    counts = [sum(number in pool for pool in pools) for number in allowed]
    common.check(max(counts) - min(counts) <= 1, f"many ranks: some processors have more ranks than others: {pools}")
else:
    common.check(disjoint(pools), f"many ranks: the processors overlap: {pools}")
print("many ranks are spread")
