"""Kills one rank of a run and checks that the run ends. usage: killed_rank.py BIN FOLDER"""
import os
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
import common

environment = common.environment(sys.argv[2])
run = subprocess.Popen(["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "4", f"{sys.argv[1]}/kiln-stencil",
                        "--nx=16", "--ny=16", "--nz=16", "--slabs=8", "--steps=100000", "--check=0", "--progress=1"],
                       env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
ranks_at_work = set()
output = []
for line in run.stdout:  # until every rank has finished a task
    output.append(line)
    if line.startswith("progress "):
        ranks_at_work.add(line.split()[1])
    if len(ranks_at_work) == 4:
        break
common.check(len(ranks_at_work) == 4, "not every rank did a task:\n" + "".join(output))
ranks = sorted(number for number, name in common.processes(environment) if name == "kiln-stencil")
common.check(len(ranks) == 4, f"expected 4 ranks, found {ranks}")
os.kill(ranks[2], signal.SIGKILL)
try:
    rest, _ = run.communicate(timeout=10)
except subprocess.TimeoutExpired:
    run.kill()
    sys.exit("failed: the run goes on 10 s after a rank was killed")
common.check(run.returncode != 0, "mpirun returned 0")
common.check("signal 9" in rest, "mpirun does not name the signal:\n" + rest)
common.check_ended(environment, "killed rank")
print("the run ended, no process is left")
