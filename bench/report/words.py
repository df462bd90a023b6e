"""Numbers as text."""


def scaled(number, units, digits=3):
    for factor, unit in units:
        if abs(number) >= factor:
            return f"{number / factor:.{digits}g} {unit}"
    factor, unit = units[-1]
    return f"{number / factor:.{digits}g} {unit}"


def time(seconds):
    return scaled(seconds, ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")))


def rate(number, unit):
    return scaled(number, ((1e12, f"T{unit}/s"), (1e9, f"G{unit}/s"), (1e6, f"M{unit}/s"), (1e3, f"k{unit}/s"),
                           (1, f"{unit}/s")))


def ratio(value):
    """A ratio of times as people say it; the name of the base follows."""
    if value >= 1.5:
        return f"{value:.3g} times as long as"
    if value <= 1 / 1.5:
        return f"{1 / value:.3g} times as fast as"
    percent = f"{100 * abs(value - 1):.1f}"
    return "as long as" if percent == "0.0" else f"{percent}% {'longer' if value > 1 else 'shorter'} than"


def takes(value):
    """The same after the name of what is compared."""
    words = ratio(value).replace("shorter", "less time").replace("longer", "more time")
    return f"is {words}" if words.endswith("fast as") else f"takes {words}"


def count(number):
    return scaled(number, ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""))).strip()
