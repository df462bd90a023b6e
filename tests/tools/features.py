#!/usr/bin/env python3
"""Counts the features of tests/FEATURES.md that tests of the last run name and passed.

    features.py BUILD [--missing]
    features.py --tally             fails if the numbers at the end of FEATURES.md are not those of its items

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
# A feature is a list item, "- **API-4.1a** ...", or a row of a table, "| X-E03 | ...". The slips (Q1) are no features.
ITEM = re.compile(r"^(?:\s*- \*\*(?=\w+\*\*|\w+-)|\| (?=[A-Z]+-\w*\d))([A-Z]+-?\w[\w.]*)(?=\*\*| )", re.MULTILINE)
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


def chapter(item):
    """API for API-5.2.4a, R for R3."""
    return item.split("-")[0].rstrip("0123456789")


def wrong_tally(text, items):
    """Returns the rows of FEATURES.md's last table whose number is wrong."""
    counts = collections.Counter(chapter(item) for item in items)
    rows = re.findall(r"^\| (.*) \| ([\w, ]*) \| \**(\d+)\** \|$", text.split("Number of items")[-1], re.MULTILINE)
    expected = [sum(counts[prefix] for prefix in prefixes.split(", ")) if prefixes.strip() else len(items)
                for _, prefixes, _ in rows]
    wrong = [f"{row[0]}: {row[2]}, must be {count}" for row, count in zip(rows, expected) if int(row[2]) != count]
    return wrong if rows else ["no table"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?")
    parser.add_argument("--missing", action="store_true", help="list the features that no passing test names")
    parser.add_argument("--tally", action="store_true", help="check the numbers of items in FEATURES.md")
    options = parser.parse_args()
    text = (TESTS / "FEATURES.md").read_text(encoding="utf-8")
    items = ITEM.findall(text)
    if options.tally:
        print("\n".join(wrong_tally(text, items)) or "tally: all right")
        return bool(wrong_tally(text, items))
    if not options.build:
        parser.error("BUILD is missing")
    try:
        programs, files = results.read(options.build)
    except (OSError, results.Unreadable) as error:
        sys.exit(f"features.py: run the tests first: {error}")

    in_sources = cited_in_sources()
    cited = [(case, name) for case in programs for name in in_sources.get(case.gtest, [])]
    cited += cited_in_lit_tests(files)
    unknown = sorted({f"{case.name} names {name}" for case, name in cited if name not in items})
    failing = {name for case, name in cited if case.outcome == "failed"}
    shown = {name for case, name in cited if case.outcome == "passed"} - failing
    chapters = collections.Counter(chapter(item) for item in items)
    for name, total in chapters.items():
        reached = sum(item in shown for item in items if chapter(item) == name)
        print(f"  {name:5} {reached:4} of {total}")
    if options.missing:
        print("\n".join(["not named by a passing test:"] + [f"  {item}" for item in items if item not in shown]))
    for line in unknown:
        print(f"not in FEATURES.md: {line}")
    print(f"{sum(item in shown for item in items)} of {len(items)} features are named by a passing test")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
