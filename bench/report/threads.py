"""Time over the number of processors on which kiln-bench ran (--processors): one small chart for each benchmark."""
import words
from scale import Log
from svg import Picture, shorten

WIDTH, CELL, HEIGHT, LEFT, GAP = 1040, 335, 210, 62, 17


def lines(measurements):
    """The measurements of each benchmark and platform by processors, where there are at least two numbers of them."""
    groups = {}
    for one in measurements:
        if one.seconds and one.processors:
            groups.setdefault((one.name, one.series), {})[one.processors] = one
    return {key: [found[count] for count in sorted(found)] for key, found in groups.items() if len(found) > 1}


def on_most(measurements):
    """The measurements of each platform and device on the most processors: those of the other pictures."""
    most = {}
    for one in measurements:
        key = one.platform, one.device
        most[key] = max(most.get(key, 0), one.processors or 0)
    return [one for one in measurements if (one.processors or 0) == most[one.platform, one.device]]


def picture(measurements, series):
    all_lines = lines(measurements)
    if not all_lines:
        return None
    names = list(dict.fromkeys(name for name, _ in all_lines))
    drawing = Picture("Time over the number of processors", WIDTH, 0)
    top = drawing.legend(series) + 8
    places = drawing.grid(top, len(names), 3, CELL + GAP, HEIGHT + 30)
    for name, (left, above) in zip(names, places):
        draw(drawing, {platform: line for (other, platform), line in all_lines.items() if other == name}, series, name,
             left, above)
    return drawing


def draw(drawing, all_lines, series, name, left, top):
    here = [one for line in all_lines.values() for one in line]
    counts = sorted({one.processors for one in here})
    across = Log(counts, left + LEFT + 14, left + CELL - 26)
    across.low, across.high = counts[0], counts[-1]  # the ends are measured numbers, not powers of ten
    ideal = {platform: line[0].seconds * line[0].processors / line[-1].processors for platform, line in all_lines.items()}
    up = Log([value for one in here for value in (one.low, one.high)] + list(ideal.values()), top + HEIGHT - 24, top + 30)
    drawing.text(left, top + 14, shorten(name, 44), "strong")
    for tick in up.ticks:
        drawing.line(left + LEFT, up(tick), left + CELL - 12, up(tick), "grid")
        drawing.text(left + LEFT - 6, up(tick) + 4, words.time(tick), "dim", "end")
    for count in counts:
        drawing.text(across(count), top + HEIGHT - 6, str(count), "dim", "middle")
    for platform, line in all_lines.items():
        style, first = series.index(platform) % 8, line[0]
        drawing.path([(across(first.processors), up(first.seconds)), (across(line[-1].processors), up(ideal[platform]))],
                     f"ideal s{style}")
        drawing.path([(across(one.processors), up(one.seconds)) for one in line], f"line s{style}")
        for one in line:
            x, speedup = across(one.processors), first.seconds / one.seconds
            share = 100 * speedup * first.processors / one.processors
            drawing.line(x, up(one.low), x, up(one.high), f"whisker s{style}")
            drawing.dot(x, up(one.seconds), f"c{style}",
                        f"{name} on {platform}, {one.processors} processor{'s' if one.processors > 1 else ''}: {words.time(one.seconds)}, "
                        f"{speedup:.3g} times as fast as on {first.processors} ({share:.0f}% of the ideal)", 3.5)
