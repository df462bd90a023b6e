#!/usr/bin/env python3
"""Checks the KILN_TRACE output of a test with two devices: one transfer for each change of device and no other
transfer, and one run of each compiler for each kind of device.

usage: several_devices_trace.py KILN_API_TESTS
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROUNDS, BYTES = 1000, 256 * 4  # of SeveralDevices.LaunchesAlternateBetweenDevices


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        subprocess.run([sys.argv[1], "--gtest_filter=SeveralDevices.LaunchesAlternateBetweenDevices"], check=True,
                       env={**os.environ, "KILN_TRACE": str(trace)}, stdout=subprocess.DEVNULL)
        events = json.loads(trace.read_text())

    transfers = [e for e in events if e.get("cat") == "transfer"]
    # The first launch finds the bytes where they were created, and the read takes them from the device that had them.
    expected = [("host", "device 1") if i % 2 == 0 else ("device 1", "host") for i in range(ROUNDS - 1)]
    found = [(t["args"]["from"], t["args"]["to"]) for t in sorted(transfers, key=lambda t: t["ts"])]
    assert found == expected + [("device 1", "host")], f"{len(found)} transfers: {found[:4]} ..."
    assert all(t["args"]["bytes"] == BYTES for t in transfers), "a transfer of other bytes than the buffer's"
    counted = [e["args"]["value"] for e in events if e["ph"] == "C" and e["name"].startswith("bytes moved")]
    assert max(counted) == len(transfers) * BYTES, f"{max(counted)} bytes counted"

    launches = [e for e in events if e.get("cat") == "command" and e["name"] == "step"]
    assert len(launches) == ROUNDS, f"{len(launches)} launches"
    # Two devices of one kind are built for once; a GPU beside the CPU wants code of its own.
    names = [e["args"]["name"] for e in events if e["ph"] == "M" and e["args"]["name"].startswith("device ")]
    kinds = len({re.sub(r"^device \d+: | \(\d+\)$|, queue \d+.*$", "", name) for name in names})
    for name in ("source", "build"):
        runs = [e for e in events if e.get("cat") == "compile" and e["name"] == name]
        assert 1 <= len(runs) <= kinds, f"{len(runs)} times compile {name}"
    print("trace: all right")


main()
