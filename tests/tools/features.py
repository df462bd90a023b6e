#!/usr/bin/env python3
"""Says how much of tests/FEATURES.md the last run of the tests has shown.

    features.py BUILD [--missing]

A box counts when a test that names it ran and passed. Tests name boxes like this:
    PROVES("API-5.2.4a R3");      in a GoogleTest case
    // API-5.2.4a                 in a GoogleTest case as well
    // FEATURES: LANG-1.13.1      in a file that lit runs
A name that is not in FEATURES.md is an error: it is a slip of the pen.
"""
import argparse
import collections
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import results

TESTS = pathlib.Path(__file__).resolve().parent.parent
# A box is a list item, "- [ ] **API-4.1a** ...", or a row of a table, "| X-E03 | ☐ | ...".
BOX = re.compile(r"^(?:\s*- \[[ x]\] \*\*|\| (?=\S+ \| [☐☑] ))([A-Z]+-?\w[\w.]*)(?=\*\*| )(?<!\| ID)", re.MULTILINE)
CITED = re.compile(r"\b(?:API|APP|LIM|EXEC|IL|EMB|LANG|NUM|IMG|DSE|X)-\w(?:[\w.]*\w)?")


def cited_in_comments(cases):
    """(case, name) for each name in a comment: it belongs to the GoogleTest case whose lines it stands in."""
    by_file = collections.defaultdict(list)
    for case in cases:
        if case.file and case.line:
            by_file[case.file].append(case)
    for file, inside in by_file.items():
        path = pathlib.Path(file)
        if not path.exists():
            continue
        inside.sort(key=lambda case: case.line)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            comment = re.search(r"//(.*)", line)
            names = CITED.findall(comment.group(1)) if comment else []
            before = [case for case in inside if case.line <= number]
            if names and before:
                # Several cases on one line are the instances of one parameterised test.
                for case in (case for case in inside if case.line == before[-1].line):
                    yield from ((case, name) for name in names)


def cited_in_lit_tests(cases):
    for case in cases:
        path = TESTS / case.file
        if path.is_file():
            for names in re.findall(r"FEATURES:(.*)", path.read_text(encoding="utf-8")):
                yield from ((case, name) for name in names.replace(",", " ").split())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--missing", action="store_true", help="list the boxes that no passing test names")
    options = parser.parse_args()
    boxes = BOX.findall((TESTS / "FEATURES.md").read_text(encoding="utf-8"))
    try:
        programs, files = results.read(options.build)
    except OSError as error:
        sys.exit(f"features.py: run the tests first: {error}")

    cited = [(case, name) for case in programs for name in case.features]
    cited += list(cited_in_comments(programs)) + list(cited_in_lit_tests(files))
    unknown = sorted({f"{case.name} names {name}" for case, name in cited if name not in boxes})
    failing = {name for case, name in cited if case.outcome == "failed"}
    shown = {name for case, name in cited if case.outcome == "passed"} - failing
    chapters = collections.Counter(box.split("-")[0].rstrip("0123456789") for box in boxes)
    for chapter, total in chapters.items():
        reached = sum(box in shown for box in boxes if box.split("-")[0].rstrip("0123456789") == chapter)
        print(f"  {chapter:5} {reached:4} of {total}")
    if options.missing:
        print("\n".join(["not shown:"] + [f"  {box}" for box in boxes if box not in shown]))
    for line in unknown:
        print(f"not in FEATURES.md: {line}")
    print(f"{sum(box in shown for box in boxes)} of {len(boxes)} features are named by a passing test")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
