"""Reads the data of an explorer page."""
import json
import pathlib
import re


def read(path):
    text = pathlib.Path(path).read_text()
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)[1])


def lines_of(variant, stage):
    """For each line of a stage: its text, and the list of (file, line) that it came from."""
    text = variant["texts"][stage["text"]]
    for line, link in zip(text["lines"], text["links"]):
        places = variant["links"][link]
        yield variant["lines"][line], [(variant["files"][places[i]], places[i + 1]) for i in range(0, len(places), 2)]


def source_lines(variant, stage):
    """The source lines that a stage's lines came from."""
    return {line for _, places in lines_of(variant, stage) for _, line in places}
