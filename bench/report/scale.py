"""Axes: positions and ticks."""
import math


class Log:
    """A logarithmic axis over whole steps of 1, 2 and 5, or over whole decades if the range is large."""

    def __init__(self, values, start, end):
        low, high = min(values), max(values)
        if low == high:
            low, high = low / 2, high * 2
        steps = [1, 2, 5] if math.log10(high / low) < 3 else [1]
        decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
        all_ticks = [step * 10.0**decade for decade in decades for step in steps]
        first = max((tick for tick in all_ticks if tick <= low * 1.0001), default=all_ticks[0])
        last = min((tick for tick in all_ticks if tick >= high * 0.9999), default=all_ticks[-1])
        self.low, self.high, self.start, self.end = first, last, start, end
        self.ticks = [tick for tick in all_ticks if first <= tick <= last]
        while len(self.ticks) > 9:
            self.ticks = self.ticks[::2]

    def __call__(self, value):
        value = min(max(value, self.low), self.high)
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)


class Linear:
    """A linear axis from zero."""

    def __init__(self, values, start, end, ticks=4):
        high = max(values) or 1
        step = 10 ** math.floor(math.log10(high / ticks))
        step = next(step * factor for factor in (1, 2, 5, 10, 20) if step * factor * ticks >= high)
        self.high, self.start, self.end = math.ceil(high / step - 1e-9) * step, start, end
        self.ticks = [step * n for n in range(round(self.high / step) + 1)]

    def __call__(self, value):
        return self.start + value / self.high * (self.end - self.start)
