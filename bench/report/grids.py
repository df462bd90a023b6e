"""Times of the values of --axis and of the pipelines of --pipeline: one table of coloured cells for each kernel."""
import math
import re

import words
from svg import Picture, shorten

WIDTH, ROW, HEAD, LEFT = 1040, 30, 62, 150
OWN = "Kiln's passes"


def place(one):
    """The kernel without the label of its variant, and the label's parts: {"UNROLL": "4", "pipeline": "a"}. The parts
    are empty for a variant without a label."""
    match = re.fullmatch(r"([^\[\]]*)\[([^\[\]]*)\](.*)", one.kernel)
    if not match:
        return one.kernel, {}
    parts = {}
    for part in match[2].split(","):
        name, mark, value = part.partition("=")
        parts[name if mark else "pipeline"] = value if mark else name
    return match[1] + match[3], parts


class Grid:
    """The variants of a kernel on one platform."""

    def __init__(self, kernel, series, members):
        self.title = f"{kernel} on {series}"
        axes = list(dict.fromkeys(name for _, parts in members for name in parts))
        sizes = list(dict.fromkeys(one.size for one, _ in members))
        self.down, *more = axes
        self.across = more[0] if more else "size" if len(sizes) > 1 else ""
        self.cells = {}
        for one, parts in members:
            if not parts and axes != ["pipeline"]:
                continue
            column = str(one.size) if self.across == "size" else parts.get(self.across, "")
            row = parts.get(self.down, OWN)
            self.cells[row, column] = one
        self.rows = list(dict.fromkeys(row for row, _ in self.cells))
        self.columns = list(dict.fromkeys(column for _, column in self.cells))

    def best(self, column):
        """The shortest time to compare with: that of all cells, or that of the column if columns are sizes."""
        return min(one.seconds for (_, other), one in self.cells.items() if other == column or self.across != "size")

    def draw(self, drawing, top):
        drawing.text(0, top + 14, shorten(self.title, 120), "strong")
        drawing.text(0, top + 38, self.down, "dim")
        if self.across:
            drawing.text(LEFT - 12, top + 38, self.across, "dim", "end")
        width = min(150, (WIDTH - LEFT) / len(self.columns))
        for x, column in enumerate(self.columns):
            drawing.text(LEFT + x * width + width / 2, top + 38, shorten(column, int(width / 7)), "dim", "middle")
        for y, row in enumerate(self.rows):
            above = top + HEAD - 14 + y * ROW
            drawing.text(0, above + 20, shorten(row, 20))
            for x, column in enumerate(self.columns):
                if (row, column) in self.cells:
                    self.draw_cell(drawing, LEFT + x * width, above, width, row, column)

    def draw_cell(self, drawing, left, top, width, row, column):
        one, best = self.cells[row, column], self.best(column)
        ratio = one.seconds / best
        name = ", ".join(part for part in (f"{self.down} {row}", f"{self.across} {column}" if self.across else "") if part)
        note = "the shortest" if ratio == 1 else f"{ratio:.3g} times as long as the shortest"
        drawing.cell(left + 1, top + 1, width - 2, ROW - 2, 0.06 + 0.5 * max(0, 1 - math.log2(ratio)),
                     f"{name}: {words.time(one.seconds)}, {note}")
        drawing.text(left + width / 2, top + 20, words.time(one.seconds), "strong" if ratio == 1 else "", "middle")


def grids(measurements, series):
    members = {}
    for one in measurements:
        if one.seconds:
            kernel, parts = place(one)
            members.setdefault((kernel, one.series), []).append((one, parts))
    for (kernel, platform), all_of_kernel in members.items():
        if not any(parts for _, parts in all_of_kernel):
            continue
        sizes = list(dict.fromkeys(one.size for one, _ in all_of_kernel))
        has_two_axes = any(len(parts) > 1 for _, parts in all_of_kernel)
        for some in [[size] for size in sizes] if has_two_axes else [sizes]:  # two axes leave no place for sizes
            title = f"{kernel}, size {some[0]}" if has_two_axes and len(sizes) > 1 else kernel
            yield Grid(title, platform, [(one, parts) for one, parts in all_of_kernel if one.size in some])


def picture(measurements, series):
    all_grids = [grid for grid in grids(measurements, series) if len(grid.cells) > 1]
    if not all_grids:
        return None
    drawing = Picture("Times of the variants", WIDTH, sum(HEAD + ROW * len(grid.rows) for grid in all_grids))
    top = 0
    for grid in all_grids:
        grid.draw(drawing, top)
        top += HEAD + ROW * len(grid.rows)
    return drawing
