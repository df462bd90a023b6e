"""Starts 32 ranks at once on an empty cache folder. usage: many_ranks.py BIN FOLDER"""
import glob
import sys

sys.dont_write_bytecode = True
import common

folder = sys.argv[2]
for ranks, cache in ((1, "empty"), (32, "empty"), (32, "full")):
    name = f"{folder}/{ranks}"
    environment = common.environment(folder, KILN_CACHE_DIR=f"{name}-cache", KILN_LOG="warn,cache",
                                     KILN_TRACE=f"{name}-{cache}-%p.json")
    status, output, seconds = common.mpirun(environment, "-n", str(ranks), f"{sys.argv[1]}/kiln-cholesky", "--size=64",
                                            "--tile=8", seconds=240)
    common.check(status == 0 and "verified" in output, f"mpirun returned {status}:\n{output}")
    common.check("damaged" not in output, "an entry of the cache is damaged:\n" + output)
    traces = "".join(open(file).read() for file in glob.glob(f"{name}-{cache}-*.json"))
    runs = {compiler: traces.count(f'"{compiler}"') for compiler in ("kiln-clc", "kilnc")}
    print(f"{ranks} ranks, cache {cache}: {seconds:.1f} s, compiler runs: {runs}", flush=True)
    common.check(all((run > 0) == (cache == "empty") and run <= 6 for run in runs.values()),
                 "each of the two compilations must run once, and seldom more often")
    common.check_ended(environment, f"{ranks} ranks, cache {cache}")
print("all ranks ran")
