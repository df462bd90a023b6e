"""Medians over the dates of earlier results: one small chart for each benchmark on one platform."""
import words
from scale import Linear
from svg import Picture, shorten

WIDTH, CELL, HEIGHT, GAP = 1040, 248, 96, 16


def lines(measurements):
    """The measurements of each (name, platform) in the order of their dates, where there are at least two dates."""
    groups = {}
    for one in measurements:
        if one.seconds:
            groups.setdefault((one.name, one.series), {})[one.date] = one
    return {key: [dates[date] for date in sorted(dates)] for key, dates in groups.items() if len(dates) > 1}


def picture(measurements, series):
    all_lines = lines(measurements)
    if not all_lines:
        return None
    drawing = Picture("Medians of earlier and of the latest results", WIDTH, 0)
    top = drawing.legend(series) + 8
    places = drawing.grid(top, len(all_lines), 4, CELL + GAP, HEIGHT + 18)
    for ((name, platform), line), (left, above) in zip(all_lines.items(), places):
        draw(drawing, name, series.index(platform) % 8, line, left, above)
    return drawing


def draw(drawing, name, style, line, left, top):
    change = line[-1].seconds / line[-2].seconds
    drawing.text(left, top + 14, shorten(name, 34), "strong")
    drawing.text(left, top + 30, f"{words.time(line[-1].seconds)}, {100 * (change - 1):+.1f}% since the one before", "dim")
    up = Linear([one.high for one in line], top + HEIGHT, top + 38)
    step = (CELL - 12) / (len(line) - 1)
    drawing.line(left, up(0), left + CELL, up(0), "grid")
    drawing.path([(left + 6 + step * n, up(one.seconds)) for n, one in enumerate(line)], f"line s{style}")
    for number, one in enumerate(line):
        x = left + 6 + step * number
        drawing.line(x, up(one.low), x, up(one.high), f"whisker s{style}")
        drawing.dot(x, up(one.seconds), f"c{style}", f"{name}, {one.date}: {words.time(one.seconds)}", 3.5)
