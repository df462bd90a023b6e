"""Medians over the commits or the dates of earlier results: one small chart for each benchmark on one platform."""
import measurements
import words
from scale import Linear
from svg import Picture, shorten

WIDTH, CELL, HEIGHT, GAP = 1040, 248, 96, 16


def comparable(earlier, latest):
    """Earlier measurements of the latest ones' benchmarks on as many processors. Older files do not name this number."""
    counts = {(one.name, one.platform): one.processors for one in latest}
    found = [(one, counts[one.name, one.platform]) for one in earlier if (one.name, one.platform) in counts]
    return [one for one, count in found if None in (one.processors, count) or one.processors == count]


def lines(all_measurements):
    """The measurements of each (name, platform) in the order of their dates, where there are at least two. The
    measurements of one commit become their median. A file without a commit, or from changed sources, has a dot of its
    own, also if another one has the same date."""
    groups = {}
    for one in all_measurements:
        if one.seconds:
            own = (one.date, one.file)
            state = own if one.commit.endswith("-dirty") else one.commit or own
            groups.setdefault((one.name, one.series), {}).setdefault(state, []).append(one)
    return {key: sorted((measurements.middle(same) for same in states.values()), key=lambda one: one.date)
            for key, states in groups.items() if len(states) > 1}


def is_state(one, base):
    """Returns true if `base` names the measurement's commit, date or file."""
    return bool(base) and (one.commit.startswith(base) or one.date.startswith(base) or one.file == base)


def picture(all_measurements, series, base=""):
    """`base`: the commit, date or file that the last measurement is compared with; the one before it without."""
    all_lines = lines(all_measurements)
    if not all_lines:
        return None
    drawing = Picture("Medians of earlier and of the latest results", WIDTH, 0)
    top = drawing.legend(series) + 8
    places = drawing.grid(top, len(all_lines), 4, CELL + GAP, HEIGHT + 30)
    for ((name, platform), line), (left, above) in zip(all_lines.items(), places):
        draw(drawing, name, series.index(platform) % 8, line, left, above, base)
    return drawing


def labels(line):
    """What stands below the first and the last dot: the commits or dates, or the files where these are the same."""
    ends = [one.commit or one.date[:10] for one in (line[0], line[-1])]
    return ends if ends[0] != ends[1] else [one.file for one in (line[0], line[-1])]


def draw(drawing, name, style, line, left, top, base):
    chosen = next((one for one in line[:-1] if is_state(one, base)), line[-2])
    other = base if is_state(chosen, base) else "the one before"
    drawing.text(left, top + 14, shorten(name, 34), "strong")
    drawing.text(left, top + 30, f"{words.time(line[-1].seconds)}, {words.ratio(line[-1].seconds / chosen.seconds)} {shorten(other, 16)}",
                 "dim")
    up = Linear([one.high for one in line], top + HEIGHT, top + 38)
    step = (CELL - 12) / (len(line) - 1)
    drawing.line(left, up(0), left + CELL, up(0), "grid")
    drawing.path([(left + 6 + step * n, up(one.seconds)) for n, one in enumerate(line)], f"line s{style}")
    for number, one in enumerate(line):
        x = left + 6 + step * number
        drawing.line(x, up(one.low), x, up(one.high), f"whisker s{style}")
        drawing.dot(x, up(one.seconds), f"c{style}",
                    f"{name}, {one.commit or one.file} {one.date}: {words.time(one.seconds)}", 3.5)
    first, last = labels(line)
    drawing.text(left, top + HEIGHT + 13, shorten(first, 18), "dim")
    drawing.text(left + CELL, top + HEIGHT + 13, shorten(last, 18), "dim", "end")
