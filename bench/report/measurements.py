"""Reads Google Benchmark's JSON files of kiln-bench."""
import dataclasses
import json
import math
import pathlib
import re
import statistics

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


class Unreadable(Exception):
    """A file that is no result of kiln-bench."""


@dataclasses.dataclass
class Measurement:
    """One benchmark of one file, for one size."""
    name: str                 # kernel/size, and /cold
    kernel: str               # the name without size
    size: int | None          # work-items, or the last argument
    platform: str
    device: str
    date: str                 # of the file
    commit: str               # of the file; empty if it names none
    file: str                 # its name without .json
    processors: int | None    # on which kiln-bench ran; None in older files
    seconds: float | None     # the median; None after an error
    low: float | None = None  # the spread around it
    high: float | None = None
    error: str = ""
    label: str = ""
    missing: str = ""         # of the file: what kiln-bench could not measure, and why, a line each
    series: str = ""          # one colour of the pictures: the platform, and the device if it has several
    values: dict = dataclasses.field(default_factory=dict)  # counters: bytes_per_second, peak_bytes_per_second, ...


def plain(name):
    """A benchmark's name without the parts that Google Benchmark adds."""
    return re.sub(r"/(manual_time|real_time|iterations:\d+|repeats:\d+|min_time:[\d.]+)", "", name)


def split_size(name):
    """The kernel and the size of "saxpy/4000000", "k.cl:k/64x32/cold" or "fft/512/1024"; size is None without one."""
    parts = name.split("/")
    for at in range(len(parts) - 1, 0, -1):
        if re.fullmatch(r"\d+(x\d+)*", parts[at]):
            size = math.prod(int(number) for number in parts[at].split("x"))
            return "/".join(parts[:at] + parts[at + 1:]), size
    return name, None


def split_device(name, devices):
    """Splits "variant/platform/device" of kiln-bench --source; the platform is empty for other benchmarks."""
    for device in devices:
        if name.endswith("/" + device):
            platform, _, rest = device.partition("/")
            return name[:-len(device) - 1], platform, rest
    return name, "", ""


def quartiles(seconds):
    if len(seconds) < 2:
        return seconds[0], seconds[0]
    low, _, high = statistics.quantiles(seconds, n=4, method="inclusive")
    return low, high


def counters(row):
    known = {"name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
             "repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit", "label", "error_occurred",
             "error_message", "aggregate_name", "aggregate_unit"}
    return {key: value for key, value in row.items() if key not in known and isinstance(value, (int, float))}


def read(path):
    """The measurements of a file, in its order."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        context, rows = document["context"], document["benchmarks"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Unreadable(f"{path} is no result of kiln-bench: {error}") from error
    devices = [name for name in context.get("devices", "").split("\n") if name]
    groups = {}
    for row in rows:
        groups.setdefault(row.get("run_name", row["name"]), []).append(row)
    return [measurement(plain(name), group, context, devices, pathlib.Path(path).stem) for name, group in groups.items()]


def measurement(name, rows, context, devices, file):
    name, platform, device = split_device(name, devices)
    if name.startswith("native/"):
        name, platform, device = name.removeprefix("native/"), "native loops", "host"
    kernel, size = split_size(name)
    made = Measurement(name=name, kernel=kernel, size=size, platform=platform or context.get("platform", "unknown"),
                       device=device or context.get("device", ""), date=context.get("date", ""),
                       commit=context.get("commit", ""), missing=context.get("missing", ""), file=file, processors=int(context["processors"]) if "processors" in context else None,
                       seconds=None)
    failed = next((row for row in rows if row.get("error_occurred")), None)
    if failed:
        made.error = failed.get("error_message", "error")
        return made
    single = [row["real_time"] * UNITS[row["time_unit"]] for row in rows if row.get("run_type") == "iteration"]
    aggregate = {row["aggregate_name"]: row for row in rows if row.get("aggregate_name")}
    median = aggregate.get("median") or rows[0]
    made.seconds = median["real_time"] * UNITS[median["time_unit"]]
    made.label, made.values = median.get("label", ""), counters(median)
    for key in ("peak_bytes_per_second", "peak_items_per_second"):
        if key in context and made.platform != "native loops":
            made.values[key] = float(context[key])
    if "+-%" in made.values:
        half = made.seconds * made.values["+-%"] / 100
        made.low, made.high = max(made.seconds - half, made.seconds / 100), made.seconds + half
    elif single:
        made.low, made.high = quartiles(single)
    else:
        deviation = aggregate["stddev"]["real_time"] * UNITS[median["time_unit"]] if "stddev" in aggregate else 0
        made.low, made.high = max(made.seconds - deviation, made.seconds / 100), made.seconds + deviation
    return made


def merge(runs):
    """Measurements of several runs of the same benchmarks on a platform and as many processors: the median of their
    medians."""
    groups = {}
    for one in runs:
        groups.setdefault((one.name, one.platform, one.device, one.processors), []).append(one)
    return [middle(group) for group in groups.values()]


def middle(group):
    """The first of a group without an error, with the median of their medians."""
    right = [one for one in group if one.seconds is not None]
    first = dataclasses.replace(right[0] if right else group[0])
    if right:
        first.seconds = statistics.median(one.seconds for one in right)
        first.low, first.high = min(one.low for one in right), max(one.high for one in right)
    return first


def name_series(all_measurements):
    """Sets the series of all measurements, and returns their names in order."""
    devices = {}
    for one in all_measurements:
        devices.setdefault(one.platform, set()).add(one.device)
    for one in all_measurements:
        one.series = f"{one.platform}, {one.device}" if len(devices[one.platform]) > 1 else one.platform
    return list(dict.fromkeys(one.series for one in all_measurements))
