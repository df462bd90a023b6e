"""What the last run of the tests left below <build>/results: ctest.json and ctest.xml, lit.xml, and gtest/NAME.xml where
the test NAME is a GoogleTest program with all its cases."""
import dataclasses
import json
import pathlib
import xml.etree.ElementTree as ElementTree


@dataclasses.dataclass
class Case:
    """One test: a case of a GoogleTest program, a program that ctest runs, or a file that lit runs."""
    name: str
    outcome: str  # "passed", "failed" or "skipped"
    gtest: str = ""  # Suite.Case, as the source has it, when it is a case of a GoogleTest program
    file: str = ""  # relative to tests/, when lit runs it


class Unreadable(Exception):
    """A report that is no XML."""


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
    """Instances of a parameterised test are called Instance/Suite.Case/0."""
    return f"{suite.split('/')[1 if suite.count('/') else 0]}.{case.split('/')[0]}"


def _gtest(file):
    for case in _cases(file):
        if case.get("status") != "notrun":  # what a filter left out
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
            # It may still have gone wrong as a whole: a sanitizer's report, a crash on the way out.
            if outcome == "failed" and not any(one.outcome == "failed" for one in cases):
                yield Case(name, "failed")
        elif filters:  # gtest_discover_tests: one case of a program
            suite, _, one = filters[0].partition(".")
            yield Case(name, outcome, gtest=_in_source(suite, one))
        else:
            yield Case(name, outcome)


def _lit(file):
    for case in _cases(file):
        # The class is Kiln.folder/folder, or Kiln.Kiln for a file in tests/ itself.
        folder = case.get("classname", "").partition(".")[2]
        path = case.get("name") if folder == "Kiln" else f"{folder}/{case.get('name')}"
        yield Case(path, _outcome(case), file=path)


def read(build):
    """All cases of the last run, the lit tests as a list of their own."""
    folder = pathlib.Path(build) / "results"
    return list(_ctest(folder)), list(_lit(folder / "lit.xml"))
