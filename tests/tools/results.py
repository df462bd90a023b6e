"""What the last run of the tests left below <build>/results: ctest.json and ctest.xml, lit.xml, and an XML file in
gtest/ from each GoogleTest program."""
import dataclasses
import json
import pathlib
import xml.etree.ElementTree as ElementTree


@dataclasses.dataclass
class Case:
    """One test: a case of a GoogleTest program, a program that ctest runs, or a file that lit runs."""
    name: str
    outcome: str  # "passed", "failed" or "skipped"
    file: str = ""  # of a GoogleTest case, and of a lit test relative to tests/
    line: int = 0
    features: tuple = ()


def _gtest(file):
    for suite in ElementTree.parse(file).getroot().iter("testsuite"):
        for case in suite.iter("testcase"):
            if case.get("status") == "notrun":
                continue
            outcome = "failed" if case.find("failure") is not None else "passed"
            if case.find("skipped") is not None or case.get("result") == "skipped":
                outcome = "skipped"
            properties = [p.get("value", "") for p in case.iter("property") if p.get("name") == "features"]
            yield Case(f"{case.get('classname')}.{case.get('name')}", outcome, case.get("file", ""),
                       int(case.get("line", "0")), tuple(" ".join(properties).replace(",", " ").split()))


def _outcome(case):
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed"
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return "passed"


def _ctest(folder):
    commands = {}
    for test in json.loads((folder / "ctest.json").read_text(encoding="utf-8"))["tests"]:
        commands[test["name"]] = test.get("command", [])
    for case in ElementTree.parse(folder / "ctest.xml").getroot().iter("testcase"):
        name, outcome = case.get("name"), _outcome(case)
        command = commands.get(name, [])
        program = pathlib.Path(command[0]).name if command else ""
        report = folder / "gtest" / f"{program}.xml"
        if program and report.exists() and not any("--gtest_filter" in word for word in command):
            cases = list(_gtest(report))
            yield from cases
            # It may still have gone wrong as a whole: a sanitizer's report, a crash on the way out.
            if outcome == "failed" and not any(one.outcome == "failed" for one in cases):
                yield Case(name, "failed")
        else:
            yield Case(name, outcome)


def _lit(file):
    for case in ElementTree.parse(file).getroot().iter("testcase"):
        # The class is the suite's name and the folders, joined by dots; the suite is called Kiln.
        folders = case.get("classname", "").replace("/", ".").split(".")[1:]
        folders = [folder for folder in folders if folder and folder != "Kiln"]
        path = "/".join(folders + [case.get("name")])
        yield Case(path, _outcome(case), path)


def read(build):
    """All cases of the last run, the lit tests as a list of their own."""
    folder = pathlib.Path(build) / "results"
    return list(_ctest(folder)), list(_lit(folder / "lit.xml"))
