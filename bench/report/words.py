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


def count(number):
    return scaled(number, ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""))).strip()
