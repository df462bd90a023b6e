#!/usr/bin/env python3
"""Counts the features of tests/FEATURES.md that tests of the last run name and passed.

    features.py BUILD [--missing]

A feature counts if a passing test names it and no failing test does. Tests name features in these forms:
    PROVES("API-5.2.4a R3");      in a GoogleTest case
    // API-5.2.4a                 in a GoogleTest case as well
    // FEATURES: LANG-1.13.1      in a file that lit runs
A name that is not in FEATURES.md is an error.
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

# A GoogleTest case with the comment directly above it.
TEST = re.compile(r"^(?:[ \t]*//.*\n)*[ \t]*(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)


def cited_in_sources():
    """Returns a dictionary from Suite.Case to the features named in its body, by PROVES or in comments."""
    cited = {}
    for path in sorted(TESTS.rglob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        starts = list(TEST.finditer(text))
        for start, end in zip(starts, [other.start() for other in starts[1:]] + [len(text)]):
            body = text[start.start():end]
            names = " ".join(re.findall(r'PROVES\(\s*"([^"]*)"', body)).replace(",", " ").split()
            for comment in re.findall(r"//(.*)", body):
                names += CITED.findall(comment)
            cited[f"{start[1]}.{start[2]}"] = names
    return cited


def cited_in_lit_tests(cases):
    for case in cases:
        path = TESTS / case.file
        if path.is_file():
            for names in re.findall(r"FEATURES:(.*)", path.read_text(encoding="utf-8")):
                yield from ((case, name) for name in names.replace(",", " ").split())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--missing", action="store_true", help="list the features that no passing test names")
    options = parser.parse_args()
    boxes = BOX.findall((TESTS / "FEATURES.md").read_text(encoding="utf-8"))
    try:
        programs, files = results.read(options.build)
    except (OSError, results.Unreadable) as error:
        sys.exit(f"features.py: run the tests first: {error}")

    in_sources = cited_in_sources()
    cited = [(case, name) for case in programs for name in in_sources.get(case.gtest, [])]
    cited += cited_in_lit_tests(files)
    unknown = sorted({f"{case.name} names {name}" for case, name in cited if name not in boxes})
    failing = {name for case, name in cited if case.outcome == "failed"}
    shown = {name for case, name in cited if case.outcome == "passed"} - failing
    chapters = collections.Counter(box.split("-")[0].rstrip("0123456789") for box in boxes)
    for chapter, total in chapters.items():
        reached = sum(box in shown for box in boxes if box.split("-")[0].rstrip("0123456789") == chapter)
        print(f"  {chapter:5} {reached:4} of {total}")
    if options.missing:
        print("\n".join(["not named by a passing test:"] + [f"  {box}" for box in boxes if box not in shown]))
    for line in unknown:
        print(f"not in FEATURES.md: {line}")
    print(f"{sum(box in shown for box in boxes)} of {len(boxes)} features are named by a passing test")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
