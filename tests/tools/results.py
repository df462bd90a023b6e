"""Reads the reports of the last test run in <build>/results: ctest.json, ctest.xml, lit.xml, and gtest/NAME.xml for each
ctest test NAME that is a whole GoogleTest program."""
import dataclasses
import json
import pathlib
import xml.etree.ElementTree as ElementTree


@dataclasses.dataclass
class Case:
    """One test: a GoogleTest case, a ctest program, or a lit file."""
    name: str
    outcome: str  # "passed", "failed" or "skipped"
    gtest: str = ""  # Suite.Case as in the source, for a GoogleTest case
    file: str = ""  # relative to tests/, for a lit file


class Unreadable(Exception):
    """A report is not valid XML."""


def _cases(file):
    try:
        return ElementTree.parse(file).getroot().iter("testcase")
    except ElementTree.ParseError as error:
        raise Unreadable(f"{file}: {error}") from None


def _outcome(case):
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed"
    if case.find("skipped") is not None or case.get("result") == "skipped" or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return "passed"


def _in_source(suite, case):
    """Returns Suite.Case as in the source. Instances of a parameterised test are named Instance/Suite.Case/0."""
    return f"{suite.split('/')[1 if suite.count('/') else 0]}.{case.split('/')[0]}"


def _gtest(file):
    for case in _cases(file):
        if case.get("status") != "notrun":  # excluded by a filter
            suite, name = case.get("classname"), case.get("name")
            yield Case(f"{suite}.{name}", _outcome(case), gtest=_in_source(suite, name))


def _ctest(folder):
    commands = {}
    for test in json.loads((folder / "ctest.json").read_text(encoding="utf-8"))["tests"]:
        commands[test["name"]] = test.get("command", [])
    for case in _cases(folder / "ctest.xml"):
        name, outcome = case.get("name"), _outcome(case)
        command = commands.get(name, [])
        filters = [word.removeprefix("--gtest_filter=") for word in command if word.startswith("--gtest_filter=")]
        report = folder / "gtest" / f"{name}.xml"
        if report.exists():
            cases = list(_gtest(report))
            yield from cases
            # The program may fail although all cases passed: a sanitizer's report, a crash at exit.
            if outcome == "failed" and not any(one.outcome == "failed" for one in cases):
                yield Case(name, "failed")
        elif filters:  # made by gtest_discover_tests: one case of a program
            suite, _, one = filters[0].partition(".")
            yield Case(name, outcome, gtest=_in_source(suite, one))
        else:
            yield Case(name, outcome)


def _lit(file):
    for case in _cases(file):
        # The class name is Kiln.folder/folder, or Kiln.Kiln for a file directly in tests/.
        folder = case.get("classname", "").partition(".")[2]
        path = case.get("name") if folder == "Kiln" else f"{folder}/{case.get('name')}"
        yield Case(path, _outcome(case), file=path)


def read(build):
    """Returns all cases of the last run as two lists: ctest's and lit's."""
    folder = pathlib.Path(build) / "results"
    return list(_ctest(folder)), list(_lit(folder / "lit.xml"))
