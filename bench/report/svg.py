"""A small writer of SVG. Colours are CSS classes, so that one picture suits light and dark pages."""
import html

# Okabe and Ito's colours, which colour-blind people can tell apart; each for a light and a dark background.
LIGHT = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#7a4fb5", "#555555")
DARK = ("#5fb3f0", "#ff9040", "#3ecf9f", "#f0a0cc", "#e6c84a", "#9ad4f7", "#b79cf0", "#bbbbbb")

BASE = ("text{font:12px system-ui,sans-serif;fill:var(--text)}.dim{fill:var(--dim)}.strong{font-weight:600}"
        ".grid{stroke:var(--grid);stroke-width:1}.one{stroke:var(--dim);stroke-width:1.5}"
        ".roof{stroke:var(--dim);stroke-width:2;fill:none}.line{fill:none;stroke-width:2}.whisker{stroke-width:2}"
        ".band{fill:var(--band)}.cold{stroke-dasharray:5 4}"
        ".ideal{fill:none;stroke-width:1;stroke-dasharray:2 3}")


def variables(colours, text, dim, grid, band, background):
    all_colours = ";".join(f"--c{number}:{colour}" for number, colour in enumerate(colours))
    return f"{all_colours};--text:{text};--dim:{dim};--grid:{grid};--band:{band};--background:{background}"


LIGHT_VARIABLES = variables(LIGHT, "#1c2128", "#5c6570", "#dde1e6", "#f4f6f8", "#ffffff")
DARK_VARIABLES = variables(DARK, "#e6e9ee", "#9aa4b0", "#343a43", "#20252c", "#171b20")


def css():
    """The rules of all pictures."""
    marks = "".join(f".c{n}{{fill:var(--c{n})}}.s{n}{{stroke:var(--c{n})}}" for n in range(len(LIGHT)))
    return BASE + marks


def alone_css():
    """The rules of a picture that is a file, not a part of a page."""
    return (f"svg{{{LIGHT_VARIABLES};background:var(--background)}}"
            f"@media(prefers-color-scheme:dark){{svg{{{DARK_VARIABLES}}}}}" + css())


def escape(text):
    return html.escape(str(text), quote=True)


class Picture:
    def __init__(self, title, width, height):
        self.title, self.width, self.height, self.parts = title, width, height, []

    def line(self, x1, y1, x2, y2, style):
        self.parts.append(f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')

    def path(self, points, style):
        steps = " ".join(f"{'M' if not n else 'L'}{x:.1f} {y:.1f}" for n, (x, y) in enumerate(points))
        self.parts.append(f'<path class="{style}" d="{steps}"/>')

    def box(self, x, y, width, height, style):
        self.parts.append(f'<rect class="{style}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>')

    def cell(self, x, y, width, height, strength, words):
        """A coloured box; the pointer over it shows the words."""
        self.parts.append(f'<rect class="mark c0" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4" '
                          f'fill-opacity="{strength:.2f}"><title>{escape(words)}</title></rect>')

    def dot(self, x, y, style, words, radius=4.5):
        """A mark; the pointer over it shows the words."""
        self.parts.append(f'<circle class="mark {style}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}">'
                          f"<title>{escape(words)}</title></circle>")

    def grid(self, top, count, columns, width, height):
        """Makes the picture high enough for `count` charts, and yields the left and the top of each."""
        self.height = top + (count + columns - 1) // columns * height
        for number in range(count):
            yield number % columns * width, top + number // columns * height

    def rows(self, top, count, height, ticks, across, label):
        """The background of a table of `count` rows: bands, and a line with a label for each tick. Returns its end."""
        bottom = top + height * count
        for number in range(0, count, 2):
            self.box(0, top + height * number, self.width, height, "band")
        for tick in ticks:
            self.line(across(tick), top, across(tick), bottom, "grid")
            self.text(across(tick), top - 8, label(tick), "dim", "middle")
        return bottom

    def text(self, x, y, words, style="", anchor="start"):
        self.parts.append(f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>')

    def legend(self, names, x=0, y=14):
        """Draws the series' names in their colours. Returns the y below them."""
        for number, name in enumerate(names):
            width = 26 + 6.6 * len(name)
            if x and x + width > self.width:
                x, y = 0, y + 20
            self.parts.append(f'<circle class="c{number % len(LIGHT)}" cx="{x + 6}" cy="{y - 4}" r="5"/>')
            self.text(x + 16, y, name)
            x += width
        return y + 10

    def body(self, style=""):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:.0f} {self.height:.0f}" '
                f'width="{self.width:.0f}" height="{self.height:.0f}" role="img" aria-label="{escape(self.title)}">')
        return head + (f"<style>{style}</style>" if style else "") + "".join(self.parts) + "</svg>"


def shorten(words, most):
    return words if len(words) <= most else words[:most - 1] + "…"
