"""Writes results of kiln-bench for the tests of the report, into a folder: kiln.json and other.json (kiln-bench --suite,
repetitions), kiln-on-1.json and others (the same on fewer processors), source.json (kiln-bench --source, several sizes,
cold, rooflines, an error), old.json (earlier), same-second.json (of the second of kiln.json), variants.json (axes and
pipelines), before.json and again.json (two runs of one earlier commit)."""
import json
import pathlib
import sys


def suite(platform, factor, date, processors=None, commit=None):
    rows = []
    for name, microseconds in (("saxpy/1000", 2.0), ("saxpy/4000", 6.0), ("matmul/512", 900.0), ("native/matmul/512", 800.0)):
        microseconds *= 1 if name.startswith("native/") else factor
        for repetition, share in enumerate((0.98, 1.0, 1.05)):
            rows.append({"name": f"{name}/manual_time", "run_name": f"{name}/manual_time", "run_type": "iteration",
                         "repetition_index": repetition, "real_time": microseconds * share, "time_unit": "us"})
        rows.append({"name": f"{name}/manual_time_median", "run_name": f"{name}/manual_time", "run_type": "aggregate",
                     "aggregate_name": "median", "real_time": microseconds, "time_unit": "us",
                     "bytes_per_second": 1e10})
    context = {"date": date, "platform": platform, "device": "Processor"}
    if processors:
        context["processors"] = str(processors)
    if commit:
        context["commit"] = commit
    return {"context": context, "benchmarks": rows}


def source():
    device = "Kiln/A processor / with a slash"
    rows = []
    for size in (1024, 65536, 1048576):
        for cold in ("", "/cold"):
            name = f"k.cl:saxpy/{size}{cold}/{device}/iterations:1/manual_time"
            seconds = size * (2e-10 if not cold else 8e-10)
            rows.append({"name": name, "run_name": name, "run_type": "iteration", "real_time": seconds * 1e6,
                         "time_unit": "us", "+-%": 2.0, "bytes_per_second": 12 * size / seconds,
                         "items_per_second": 2 * size / seconds, "peak_bytes_per_second": 2e10,
                         "peak_items_per_second": 1e11, "roofline_%": 50.0, "label": "result <checked> & right"})
    name = f"broken.cl:k/{device}/iterations:1/manual_time"
    rows.append({"name": name, "run_name": name, "run_type": "iteration", "real_time": 0, "time_unit": "us",
                 "error_occurred": True, "error_message": "the result is wrong: </script>"})
    return {"context": {"date": "2026-01-03T10:00:00+00:00", "devices": device}, "benchmarks": rows}


def variants():
    rows = []
    for size in (1024, 4096):
        for unroll, local, microseconds in ((1, 64, 8), (1, 128, 6), (4, 64, 4), (4, 128, 2)):
            name = f"k.cl[UNROLL={unroll},local={local}]:k/{size}/Kiln/Processor/iterations:1/manual_time"
            rows.append({"name": name, "run_name": name, "run_type": "iteration", "real_time": microseconds * size / 1024,
                         "time_unit": "us", "+-%": 1.0})
    for label, microseconds in (("", 3), ("[other]", 4)):
        name = f"p.cl{label}:p/Kiln/Processor/iterations:1/manual_time"
        rows.append({"name": name, "run_name": name, "run_type": "iteration", "real_time": microseconds,
                     "time_unit": "us", "+-%": 1.0})
    return {"context": {"date": "2026-01-03T10:00:00+00:00", "devices": "Kiln/Processor",
                        "missing": "Kiln/Processor: --energy: there is no <counter>"}, "benchmarks": rows}


folder = pathlib.Path(sys.argv[1])
for name, document in (("kiln", suite("Kiln", 1, "2026-01-02T10:00:00+00:00")),
                       ("other", suite("Other", 2, "2026-01-02T11:00:00+00:00")),
                       ("same-second", suite("Kiln", 1.5, "2026-01-02T10:00:00+00:00")),
                       ("old", suite("Kiln", 1.25, "2026-01-01T10:00:00+00:00")), ("source", source()), ("variants", variants()),
                       ("kiln-on-4", suite("Kiln", 1, "2026-01-02T10:00:00+00:00", 4, "c0ffee0123")),
                       ("kiln-on-2", suite("Kiln", 1.6, "2026-01-02T10:10:00+00:00", 2, "c0ffee0123")),
                       ("kiln-on-1", suite("Kiln", 3, "2026-01-02T10:20:00+00:00", 1, "c0ffee0123")),
                       ("other-on-4", suite("Other", 2, "2026-01-02T11:00:00+00:00", 4)),
                       ("other-on-1", suite("Other", 6, "2026-01-02T11:10:00+00:00", 1)),
                       ("before", suite("Kiln", 1.1, "2026-01-01T12:00:00+00:00", 4, "badcafe123")),
                       ("again", suite("Kiln", 1.3, "2026-01-01T12:10:00+00:00", 4, "badcafe123")),
                       ("before-on-1", suite("Kiln", 9, "2026-01-01T12:20:00+00:00", 1, "badcafe123"))):
    (folder / f"{name}.json").write_text(json.dumps(document))
