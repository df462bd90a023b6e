"""Merges the timelines of all ranks, StarPU's tasks and Kiln's commands, into one file for Perfetto, and draws it.

Each rank writes PREFIX.starpu.RANK.json (its tasks; the first event is a barrier that all ranks passed at one time) and
PREFIX.kiln.PID.json (KILN_TRACE). Both use the rank's monotonic clock. In the merged timeline, time 0 is the barrier,
and the process number is the rank.
"""
import html
import json
import pathlib

NOT_KERNELS = ("read", "write", "copy", "fill", "marker", "barrier")  # first words of other commands' names
COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1")


def merge(prefix, ranks):
    merged = []
    for rank in range(ranks):
        tasks = json.loads(pathlib.Path(f"{prefix}.starpu.{rank}.json").read_text())
        kiln = pathlib.Path(f"{prefix}.kiln.{tasks[0]['pid']}.json")
        start = tasks[0]["ts"]
        for event in tasks[1:]:
            merged.append({**event, "ts": event["ts"] - start, "pid": rank})
        for event in json.loads(kiln.read_text()) if kiln.exists() else []:
            if "ts" in event:
                event["ts"] -= start
            # Tracks 0 to 99 are StarPU's workers.
            if "tid" in event:
                event["tid"] += 100
            merged.append({**event, "pid": rank})
        merged.append({"name": "process_name", "ph": "M", "pid": rank, "args": {"name": f"rank {rank}"}})
        for worker in {event["tid"] for event in tasks[1:]}:
            merged.append({"name": "thread_name", "ph": "M", "pid": rank, "tid": worker,
                           "args": {"name": f"StarPU worker {worker}"}})
    return merged


def write(merged, path):
    pathlib.Path(path).write_text(json.dumps(merged, separators=(",", ":")))


def rows(merged):
    """(label, [(kind, begin, end)]) of each StarPU worker, and of each rank's kernels in Kiln; microseconds."""
    result = {}
    for event in merged:
        if event["ph"] != "X" or event["ts"] + event["dur"] < 0:
            continue
        if event.get("cat") == "task":
            label = f"rank {event['pid']} worker {event['tid']}"
        elif event.get("cat") == "command" and event["name"].split()[0] not in NOT_KERNELS:
            label = f"rank {event['pid']} kernels"
        else:
            continue
        result.setdefault(label, []).append((event["name"].split()[0], event["ts"], event["ts"] + event["dur"]))
    return sorted(result.items())


def text(merged, title, width=72):
    """The tasks as lines of characters: the first letter of the task that fills most of each column."""
    tasks = [(label, spans) for label, spans in rows(merged) if "worker" in label]
    end = max((span[2] for _, spans in tasks for span in spans), default=0)
    lines = [f"{title}: {end / 1000:.1f} ms"]
    for label, spans in tasks:
        filled = [{} for _ in range(width)]
        for kind, begin, stop in spans:
            first, last = int(begin / end * width), min(width - 1, int(stop / end * width))
            for column in range(max(0, first), last + 1):
                share = min(stop, (column + 1) * end / width) - max(begin, column * end / width)
                filled[column][kind[0]] = filled[column].get(kind[0], 0) + share
        busy = [sum(column.values()) > end / width / 4 for column in filled]
        line = "".join(max(column, key=column.get) if is_busy else "." for column, is_busy in zip(filled, busy))
        lines.append(f"  {label:17} |{line}|")
    kinds = sorted({kind for _, spans in tasks for kind, _, _ in spans})
    return "\n".join(lines + ["  " + ", ".join(f"{kind[0]} {kind}" for kind in kinds) + ", . idle"])


def draw(merged, path, title):
    """Writes an SVG: one row per worker and one for Kiln's kernels of each rank."""
    tracks = rows(merged)
    end = max((span[2] for _, spans in tracks for span in spans), default=1)
    kinds = sorted({kind for _, spans in tracks for kind, _, _ in spans})
    colour = {kind: COLOURS[i % len(COLOURS)] for i, kind in enumerate(kinds)}
    height = 22 * len(tracks) + 60
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="{height}" font-family="sans-serif" '
             f'font-size="12"><text x="8" y="16">{html.escape(title)}: {end / 1000:.1f} ms</text>']
    for i, kind in enumerate(kinds):
        parts.append(f'<rect x="{300 + 90 * i}" y="6" width="10" height="12" fill="{colour[kind]}"/>'
                     f'<text x="{314 + 90 * i}" y="16">{html.escape(kind)}</text>')
    for row, (label, spans) in enumerate(tracks):
        y = 30 + 22 * row
        parts.append(f'<text x="8" y="{y + 13}">{html.escape(label)}</text>')
        for kind, begin, stop in spans:
            x, width = 160 + 830 * max(0, begin) / end, 830 * (stop - max(0, begin)) / end
            parts.append(f'<rect x="{x:.2f}" y="{y}" width="{max(width, 0.2):.2f}" height="18" fill="{colour[kind]}"/>')
    pathlib.Path(path).write_text("\n".join(parts + ["</svg>\n"]))
