"""Operations per second over operations per byte, below the roof that kiln-bench measured in the same run."""
import words
from scale import Log
from svg import Picture, shorten

WIDTH, HEIGHT, LEFT, BOTTOM = 1040, 420, 90, 46


def operations(one):
    """Operations per second: of Kiln's own benchmarks, or --ops of kiln-bench --roofline; 0 if they are not known."""
    return one.values.get("roof_operations_per_second") or ("roofline_%" in one.values and one.values["items_per_second"])


def traffic(one):
    return one.values.get("roof_bytes_per_second") or one.values.get("bytes_per_second")


def points(measurements):
    return [one for one in measurements if one.seconds and one.values.get("peak_bytes_per_second")
            and one.values.get("peak_items_per_second") and operations(one) and traffic(one)]


def pictures(measurements):
    """One picture for each platform and device."""
    groups = {}
    for one in points(measurements):
        groups.setdefault((one.platform, one.device), []).append(one)
    return [draw(f"{platform}, {device}" if device else platform, group)
            for (platform, device), group in groups.items()]


def draw(title, group):
    bandwidth = max(one.values["peak_bytes_per_second"] for one in group)
    peak = max(one.values["peak_items_per_second"] for one in group)
    intensity = {one.name: operations(one) / traffic(one) for one in group}
    ridge = peak / bandwidth
    drawing = Picture(f"Roofline of {title}", WIDTH, HEIGHT)
    drawing.text(0, 16, title, "strong")
    across = Log([*intensity.values(), ridge / 8, ridge * 4], LEFT, WIDTH - 30)
    highest = max([peak] + [operations(one) for one in group])
    lowest = min([operations(one) for one in group] + [across.low * bandwidth])
    up = Log([lowest, highest], HEIGHT - BOTTOM, 40)
    for tick in across.ticks:
        drawing.line(across(tick), 40, across(tick), HEIGHT - BOTTOM, "grid")
        drawing.text(across(tick), HEIGHT - BOTTOM + 18, f"{tick:g}", "dim", "middle")
    for tick in up.ticks:
        drawing.line(LEFT, up(tick), WIDTH - 30, up(tick), "grid")
        drawing.text(LEFT - 8, up(tick) + 4, words.rate(tick, "op"), "dim", "end")
    drawing.text((LEFT + WIDTH) / 2, HEIGHT - 8, "operations per byte", "dim", "middle")
    start = max(across.low, up.low / bandwidth)
    drawing.path([(across(start), up(start * bandwidth)), (across(ridge), up(peak)),
                  (across(across.high), up(peak))], "roof")
    drawing.text(across(across.high), up(peak) - 8, words.rate(peak, "op"), "dim", "end")
    drawing.text(across(start) + 44, up(start * bandwidth) - 4, words.rate(bandwidth, "B"), "dim")
    taken = []
    for number, one in enumerate(sorted(group, key=operations, reverse=True)):  # labels keep the order of the points
        rate, x = operations(one), intensity[one.name]
        share = rate / min(peak, x * bandwidth)
        drawing.dot(across(x), up(rate), f"c{number % 8}",
                    f"{one.name}: {words.rate(rate, 'op')}, {words.rate(traffic(one), 'B')}, "
                    f"{100 * share:.0f}% of the roof")
        label(drawing, taken, across(x), up(rate), f"{shorten(one.name, 34)} ({100 * share:.0f}%)")
    return drawing


def label(drawing, taken, x, y, text):
    """Writes beside a point, as near to its height as no other label is."""
    width = 6.8 * len(text)
    left = x + 9 if x + 9 + width < WIDTH else x - 9 - width
    steps = sorted(range(-8, 9), key=lambda step: (abs(step), step))
    free = (y + 4 + 15 * step for step in steps
            if 30 < y + 15 * step < HEIGHT - BOTTOM and
            not any(abs(y + 4 + 15 * step - other) < 14 and left < end and begin < left + width
                    for begin, end, other in taken))
    line = next(free, None)
    if line is None:
        return  # the pointer over the point shows the words
    taken.append((left, left + width, line))
    drawing.text(left, line, text)
