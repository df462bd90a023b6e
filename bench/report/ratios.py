"""Another platform's time divided by the first platform's: right of 1, the first one is faster."""
import math
import words
from scale import Log
from svg import Picture, shorten

LABELS, WIDTH, ROW = 270, 1040, 22


def compute(measurements, first):
    """A list of (name, other platform, ratio, low, high), and the geometric means by platform."""
    own = {one.name: one for one in measurements if one.series == first and one.seconds}
    rows = [(one.name, one.series, one.seconds / own[one.name].seconds, one.low / own[one.name].high,
             one.high / own[one.name].low)
            for one in measurements if one.series != first and one.seconds and one.name in own]
    means = {}
    for _, series, ratio, *_ in rows:
        means.setdefault(series, []).append(math.log(ratio))
    return rows, {series: math.exp(sum(logs) / len(logs)) for series, logs in means.items()}


def picture(measurements, series, first):
    rows, means = compute(measurements, first)
    if not rows:
        return None
    best = {}
    for name, _, ratio, *_ in rows:
        best[name] = min(best.get(name, ratio), ratio)
    names = sorted(best, key=best.get)
    drawing = Picture(f"Times of other platforms, divided by those of {first}", WIDTH, 0)
    top = drawing.legend(series) + 26
    axis = Log([1] + [ratio for _, _, ratio, *_ in rows], LABELS, WIDTH - 60)
    bottom = drawing.rows(top, len(names), ROW, axis.ticks, axis, lambda tick: f"{tick:g} ×")
    drawing.line(axis(1), top - 4, axis(1), bottom, "one")
    for number, name in enumerate(names):
        y = top + ROW * (number + 0.5)
        drawing.text(8, y + 4, shorten(name, 40))
        for _, other, ratio, low, high in (row for row in rows if row[0] == name):
            style = series.index(other) % 8
            drawing.line(axis(low), y, axis(high), y, f"whisker s{style}")
            drawing.dot(axis(ratio), y, f"c{style}", f"{name}: {other} {words.takes(ratio)} {first} "
                                                     f"(ratio {ratio:.3g}, from {low:.3g} to {high:.3g})")
    for number, (other, mean) in enumerate(means.items()):
        drawing.text(8, bottom + 22 + 18 * number, f"On average, {other} {words.takes(mean)} {first} (geometric mean {mean:.3f})",
                     "strong")
    drawing.height = bottom + 14 + 18 * len(means)
    return drawing
