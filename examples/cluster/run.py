#!/usr/bin/env python3
"""Runs kiln-cholesky and kiln-stencil with 1, 2 and 4 ranks on this machine, compares their results byte by byte with
those of one rank, and draws the timeline of the last run.

    run.py BUILD [--ranks=1,2,4] [--program=cholesky] [--program=stencil] [--output=FOLDER] [-- OPTIONS]

OPTIONS go to the programs. Writes to FOLDER (BUILD/cluster): the results, and for every run a timeline
<program>-<ranks>.json for Perfetto and a picture of it, <program>-<ranks>.svg.
"""
import argparse
import filecmp
import os
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import timeline


def environment(build, folder):
    """Variables that the user has set win."""
    result = dict(os.environ)
    (folder / "starpu").mkdir(parents=True, exist_ok=True)
    for name, value in {
        "OCL_ICD_VENDORS": f"{build}/api/",
        "STARPU_HOME": str(folder / "starpu"),  # measured bandwidths and run times of kernels
        "STARPU_SILENT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }.items():
        result.setdefault(name, value)
    return result


class Progress:
    """One line on a terminal: the finished share of the submitted tasks of all ranks."""

    def __init__(self, title):
        self.title, self.ranks, self.shown = title, {}, sys.stderr.isatty()

    def show(self, line):
        rank, done, submitted = map(int, line.split()[1:])
        self.ranks[rank] = (done, submitted)
        done, submitted = (sum(each) for each in zip(*self.ranks.values()))
        width = 30 * done // max(1, submitted)
        if self.shown:
            sys.stderr.write(f"\r{self.title} [{'#' * width:30}] {done} of {submitted} tasks ")
            sys.stderr.flush()

    def end(self):
        if self.shown:
            sys.stderr.write("\r\033[K")


def run(build, folder, program, ranks, options):
    """Returns the result file and the merged timeline. Exits if the run fails."""
    name = f"{program}-{ranks}"
    result, prefix = folder / f"{name}.result", folder / name
    result.unlink(missing_ok=True)
    for old in folder.glob(f"{name}.*.*.json"):
        old.unlink()
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks),
               str(build / "bin" / f"kiln-{program}"), f"--result={result}", f"--timeline={prefix}",
               "--progress=1", "--placement=1", *options]
    progress = Progress(name)
    with subprocess.Popen(command, env=environment(build, folder), stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("progress "):
                progress.show(line)
            else:
                progress.end()
                print(line, end="", flush=True)
    progress.end()
    if process.returncode:
        sys.exit(f"run.py: {name} failed: mpirun returned {process.returncode}")
    merged = timeline.merge(prefix, ranks)
    timeline.write(merged, f"{prefix}.json")
    timeline.draw(merged, f"{prefix}.svg", name)
    return result, merged


def main():
    own, options = sys.argv[1:], []
    if "--" in own:
        own, options = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--ranks", default="1,2,4", help="numbers of ranks, separated by commas (1,2,4)")
    parser.add_argument("--program", action="append", choices=("cholesky", "stencil"), help="only this one")
    parser.add_argument("--output", type=pathlib.Path)
    arguments = parser.parse_args(own)
    if not shutil.which("mpirun"):
        sys.exit("run.py: mpirun is not installed; its package is openmpi-bin")
    try:
        ranks = [int(text) for text in arguments.ranks.split(",")]
    except ValueError:
        parser.error(f"--ranks is {arguments.ranks}, must be numbers separated by commas")
    build = arguments.build.resolve()
    folder = (arguments.output or build / "cluster").resolve()
    folder.mkdir(parents=True, exist_ok=True)

    failed = False
    for program in arguments.program or ("cholesky", "stencil"):
        first, different = None, False
        for count in ranks:
            result, merged = run(build, folder, program, count, options)
            first = first or result
            if not filecmp.cmp(first, result, shallow=False):
                different = True
                print(f"run.py: {program}: the result with {count} ranks differs from that with {ranks[0]}")
        print(timeline.text(merged, f"{program}-{ranks[-1]}"))
        if not different:
            print(f"{program}: same bytes with {arguments.ranks} ranks")
        failed |= different
    print(f"timelines for Perfetto (https://ui.perfetto.dev) and pictures: {folder}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
