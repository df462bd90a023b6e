"""Prints the category and name of every event of a KILN_TRACE file, by start time."""
import json
import sys

with open(sys.argv[1]) as file:
    trace = json.load(file)
events = trace["traceEvents"] if isinstance(trace, dict) else trace
spans = sorted((event for event in events if event["ph"] == "X"), key=lambda event: event["ts"])
for event in spans:
    assert event["dur"] >= 0 and "tid" in event and "pid" in event
    print(event["cat"], event["name"])
