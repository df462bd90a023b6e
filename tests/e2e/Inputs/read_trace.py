"""Prints what a KILN_TRACE file holds: every event's category and name, in the order of their starts."""
import json
import sys

with open(sys.argv[1]) as file:
    trace = json.load(file)
events = trace["traceEvents"] if isinstance(trace, dict) else trace
spans = sorted((event for event in events if event["ph"] == "X"), key=lambda event: event["ts"])
for event in spans:
    assert event["dur"] >= 0 and "tid" in event and "pid" in event
    print(event["cat"], event["name"])
