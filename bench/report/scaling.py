"""Time per work-item, or bandwidth, over the size: one small chart for each kernel that was measured with several sizes."""
import words
from scale import Log
from svg import Picture, shorten

WIDTH, CELL, HEIGHT, LEFT, GAP = 1040, 335, 210, 62, 17


def kernels(measurements):
    """The kernels with at least two sizes on one platform; cold and warm runs are two lines of one chart."""
    sizes = {}
    for one in measurements:
        if one.seconds and one.size:
            sizes.setdefault((one.kernel, one.series), set()).add(one.size)
    return list(dict.fromkeys(kernel.removesuffix("/cold") for (kernel, _), all_sizes in sizes.items()
                              if len(all_sizes) > 1))


def picture(measurements, series):
    names = kernels(measurements)
    if not names:
        return None
    drawing = Picture("Time per item over the size", WIDTH, 0)
    top = drawing.legend(series) + 8
    places = drawing.grid(top, len(names), 3, CELL + GAP, HEIGHT + 30)
    for name, (left, above) in zip(names, places):
        draw(drawing, measurements, series, name, left, above)
    return drawing


def draw(drawing, measurements, series, name, left, top):
    here = [one for one in measurements if one.kernel.removesuffix("/cold") == name and one.seconds and one.size]
    drawing.text(left, top + 14, shorten(name, 44), "strong")
    across = Log([one.size for one in here], left + LEFT, left + CELL - 12)
    up = Log([one.seconds / one.size for one in here], top + HEIGHT - 24, top + 30)
    for tick in up.ticks:
        drawing.line(left + LEFT, up(tick), left + CELL - 12, up(tick), "grid")
        drawing.text(left + LEFT - 6, up(tick) + 4, words.time(tick), "dim", "end")
    for tick in across.ticks[::max(1, len(across.ticks) // 4)]:
        drawing.text(across(tick), top + HEIGHT - 6, words.count(tick), "dim", "middle")
    for kernel in dict.fromkeys(one.kernel for one in here):
        for platform in series:
            line = sorted((one for one in here if one.kernel == kernel and one.series == platform),
                          key=lambda one: one.size)
            style = series.index(platform) % 8
            cold = kernel.endswith("/cold")
            if len(line) > 1:
                drawing.path([(across(one.size), up(one.seconds / one.size)) for one in line],
                             f"line s{style}" + (" cold" if cold else ""))
            for one in line:
                drawing.dot(across(one.size), up(one.seconds / one.size), f"c{style}",
                            f"{one.name} on {platform}: {words.time(one.seconds)}, "
                            f"{words.time(one.seconds / one.size)} per item", 3.5)
