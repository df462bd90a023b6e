"""A row for each benchmark, with the median and the spread on every platform."""
import words
from scale import Log
from svg import Picture, shorten

LABELS, WIDTH, ROW = 270, 1040, 24


def picture(measurements, series):
    right = [one for one in measurements if one.seconds]
    names = list(dict.fromkeys(one.name for one in right))
    drawing = Picture("Medians and spread of each benchmark", WIDTH, 0)
    top = drawing.legend(series) + 26
    axis = Log([value for one in right for value in (one.low, one.high)], LABELS, WIDTH - 30)
    bottom = drawing.rows(top, len(names), ROW, axis.ticks, axis, words.time)
    for number, name in enumerate(names):
        y = top + ROW * (number + 0.5)
        drawing.text(8, y + 4, shorten(name, 40))
        here = [one for one in right if one.name == name]
        for one in here:
            style = series.index(one.series) % 8
            offset = (series.index(one.series) - (len(series) - 1) / 2) * min(5, 14 / len(series))
            drawing.line(axis(one.low), y + offset, axis(one.high), y + offset, f"whisker s{style}")
            drawing.dot(axis(one.seconds), y + offset, f"c{style}",
                        f"{name} on {one.series}: {words.time(one.seconds)} "
                        f"({words.time(one.low)} to {words.time(one.high)}) {one.label}")
    drawing.height = bottom + 8
    return drawing
