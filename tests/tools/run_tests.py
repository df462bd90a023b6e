#!/usr/bin/env python3
"""Runs every test of a build, ctest's and lit's. The last line is: N passed, N failed.

    run_tests.py BUILD [--slow] [--jobs=N]

Slow tests have "slow" or "Slow" in the name of the lit file, the ctest test or the GoogleTest case. They run only with
--slow. features.py reads the reports in BUILD/results.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import progress
import results


def lit_program():
    for name in ("lit", "lit-22", "llvm-lit", "llvm-lit-22"):
        if shutil.which(name):
            return [name]
    script = pathlib.Path("/usr/lib/llvm-21/build/utils/lit/lit.py")  # Debian's llvm-21-tools installs no command
    if script.exists():
        return [sys.executable, script]
    sys.exit("run_tests.py: lit is not installed; its package is llvm-22-tools or llvm-21-tools")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--slow", action="store_true", help="run the slow tests as well")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="tests at a time (all processors)")
    options = parser.parse_args()
    build = options.build.resolve()
    folder = build / "results"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()

    environment = dict(os.environ)
    environment.setdefault("KILN_CACHE_DIR", str(build / "tests" / "cache"))  # leaves the user's cache unchanged
    ctest = ["ctest", "--test-dir", str(build)]
    lit = [*lit_program(), "-sv", f"-j{options.jobs}", f"--xunit-xml-output={folder}/lit.xml", str(build / "tests")]
    if not options.slow:
        environment["GTEST_FILTER"] = "-*Slow*"
        ctest += ["-E", "[Ss]low"]
        lit.append("--filter-out=[Ss]low")
    listed = subprocess.run(ctest + ["--show-only=json-v1"], stdout=subprocess.PIPE, check=True)
    (folder / "ctest.json").write_bytes(listed.stdout)
    # lit shows its own progress.
    progress.run(ctest + ["--output-on-failure", f"-j{options.jobs}", "--output-junit", str(folder / "ctest.xml")],
                 pattern=r"^ *\d+/\d+ Test ", total=len(json.loads(listed.stdout)["tests"]), label="ctest: test",
                 env=environment)
    subprocess.run(lit, check=False)

    # The result comes from the reports, not from exit statuses: a suite without a test counts as failed.
    try:
        suites = results.read(build)
    except (OSError, results.Unreadable) as error:
        sys.exit(f"run_tests.py: a suite wrote no valid report: {error}")
    cases = [case for suite in suites for case in suite]
    count = {outcome: sum(case.outcome == outcome for case in cases) for outcome in ("passed", "failed", "skipped")}
    for case in cases:
        if case.outcome == "failed":
            print(f"failed: {case.name}")
    if count["skipped"]:
        print(f"{count['skipped']} skipped: a device, program or feature that they need is not available")
    print(f"{count['passed']} passed, {count['failed']} failed")
    return 1 if count["failed"] or not all(suites) else 0


if __name__ == "__main__":
    sys.exit(main())
