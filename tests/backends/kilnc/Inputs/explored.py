"""Reads the data of an explorer page."""
import json
import pathlib
import re


def read(path):
    text = pathlib.Path(path).read_text()
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)[1])


def lines_of(form, stage):
    """For each line of a stage: its text, and the list of (file, line) that it came from."""
    text = form["texts"][stage["text"]]
    for line, link in zip(text["lines"], text["links"]):
        places = form["links"][link]
        yield form["lines"][line], [(form["files"][places[i]], places[i + 1]) for i in range(0, len(places), 2)]


def source_lines(form, stage):
    """The source lines that a stage's lines came from."""
    return {line for _, places in lines_of(form, stage) for _, line in places}
