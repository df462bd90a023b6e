"""Evaluates the pseudo-code of AMD's instruction set manuals.

A program is statements (assignments, if, for) over registers, which are integers of bits: S0 is an operand, D0 the
result, VCC and SCC are flags. A suffix reads bits as a type: S0.f32, S0[15 : 0].u16. Evaluation raises Unsupported for
what this file does not have.
"""
import math
import re
import struct
from fractions import Fraction


class Unsupported(Exception):
    pass


FORMATS = {16: ("e", 10, 5), 32: ("f", 23, 8), 64: ("d", 52, 11)}


class Float:
    """A number of 16, 32 or 64 bits, kept as its bits, because a NaN has a payload."""

    def __init__(self, bits, width):
        self.bits, self.width = bits & ((1 << width) - 1), width

    @staticmethod
    def of(value, width):
        """Rounds a Python number to the nearest."""
        if isinstance(value, Float):
            return value if value.width == width else value.converted(width)
        if isinstance(value, int) and value:
            return round_fraction(Fraction(value), width)
        code = FORMATS[width][0]
        try:
            packed = struct.pack("<" + code, value)
        except OverflowError:
            packed = struct.pack("<" + code, math.copysign(math.inf, value))
        return Float(int.from_bytes(packed, "little"), width)

    def converted(self, width):
        if not math.isnan(self.value):
            return Float.of(self.value, width)
        # The payload's high bits stay, so that a signalling NaN is one in a wider format.
        _, mantissa, exponent = FORMATS[width]
        shift = mantissa - FORMATS[self.width][1]
        payload = self.bits & ((1 << FORMATS[self.width][1]) - 1)
        payload = payload << shift if shift >= 0 else payload >> -shift
        return Float(self.sign << (width - 1) | ((1 << exponent) - 1) << mantissa | payload, width)

    @property
    def value(self):
        return struct.unpack("<" + FORMATS[self.width][0], self.bits.to_bytes(self.width // 8, "little"))[0]

    @property
    def exponent(self):
        _, mantissa, exponent = FORMATS[self.width]
        return self.bits >> mantissa & ((1 << exponent) - 1)

    @property
    def sign(self):
        return self.bits >> (self.width - 1)

    def is_signalling(self):
        return math.isnan(self.value) and not self.bits >> (FORMATS[self.width][1] - 1) & 1

    def quiet(self):
        return Float(self.bits | 1 << (FORMATS[self.width][1] - 1), self.width)


class SignedZero(Float):
    """The +0.0 or -0.0 of a comparison, which is equal to a zero of that sign only."""


def number(x):
    return x.value if isinstance(x, Float) else x


def fused(a, b, c, width):
    values = [number(x) for x in (a, b, c)]
    if not all(map(math.isfinite, values)):
        return Float.of(values[0] * values[1] + values[2], width)
    exact = Fraction(values[0]) * Fraction(values[1]) + Fraction(values[2])
    if exact == 0:
        return Float.of(values[0] * values[1] + values[2], width)
    return round_fraction(exact, width)


def round_fraction(exact, width):
    """The nearest number, ties to even."""
    _, mantissa, exponent = FORMATS[width]
    bias = (1 << (exponent - 1)) - 1
    magnitude = abs(exact)
    power = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    while Fraction(2) ** power > magnitude:
        power -= 1
    while Fraction(2) ** (power + 1) <= magnitude:
        power += 1
    unit = max(power - mantissa, 1 - bias - mantissa)
    scaled = round(magnitude / Fraction(2) ** unit)  # Python rounds ties to even
    try:
        value = math.ldexp(scaled, unit)
    except OverflowError:
        value = math.inf
    return Float.of(-value if exact < 0 else value, width)


def signed(value, width):
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def saturate(value, low, high):
    value = number(value)
    if math.isnan(value):
        return 0
    return int(max(low, min(high, value if math.isinf(value) else math.trunc(value))))


def to_integer(name):
    """f32_to_i32 and the like."""
    source, target = name.split("_to_")
    width = int(target[1:])
    if source[0] == "f" and target[0] in "iu":
        low, high = (-(1 << width - 1), (1 << width - 1) - 1) if target[0] == "i" else (0, (1 << width) - 1)
        return lambda x: saturate(x, low, high)
    if target[0] == "f":
        return lambda x: Float.of(number(x), width)
    if source[0] == "i":
        return lambda x: signed(x, int(source[1:]))
    return lambda x: x & ((1 << int(source[1:])) - 1)


def rounding(function):
    def apply(x):
        return x if not math.isfinite(x.value) else Float.of(math.copysign(function(x.value), x.value), x.width)

    return apply


FUNCTIONS = {
    "abs": lambda x: Float(x.bits & ~(1 << (x.width - 1)), x.width) if isinstance(x, Float) else abs(x),
    "sign": lambda x: x.sign,
    "exponent": lambda x: x.exponent,
    "mantissa": lambda x: Float.of(math.frexp(x.value)[0], x.width),
    "floor": rounding(math.floor),
    "trunc": rounding(math.trunc),
    "fract": lambda x: Float.of(x.value - math.floor(x.value) if math.isfinite(x.value) else math.nan, x.width),
    "signext_from_bit": lambda x, bits: signed(x, bits) if bits else 0,
    "isEven": lambda x: math.isfinite(number(x)) and number(x) % 2 == 0,
    "isNAN": lambda x: math.isnan(number(x)),
    "isSignalNAN": lambda x: x.is_signalling(),
    "isQuietNAN": lambda x: math.isnan(x.value) and not x.is_signalling(),
    "cvtToQuietNAN": lambda x: x.quiet(),
    "fma": lambda a, b, c: fused(a, b, c, max(x.width for x in (a, b, c) if isinstance(x, Float))),
    "signext": lambda x: x,
    "ldexp": lambda x, by: Float.of(math.ldexp(x.value, by), x.width),
}

TOKEN = re.compile(r"\s*(//[^\n]*|\d+'-?\d+\.\d+|\d+'-?\d+[UI]?|\d+'[UIFB](?=\()|0x[0-9a-fA-F]+U?L*|\d+\.\d+F?|\d+U?L*|[A-Za-z_]\w*"
                   r"|\*\*|<<|>>|<>|<=|>=|==|!=|&&|\|\||\+=|-=|[-+*/%&|^~!<>=?:;,.(){}\[\]]|\n)")
LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!=", "<>"], ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"],
          ["*", "/", "%"], ["**"]]


def tokens_of(text):
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Unsupported(text[at:at + 20])
        at = match.end()
        if match.group(1) != "\n" and not match.group(1).startswith("//"):
            found.append(match.group(1))
    return found


class Program:
    """`variables` has the registers before and after `run`."""

    def __init__(self, text, others=None):
        self.tokens, self.others = tokens_of(text), others or {}
        self.variables = {}

    def run_other(self, name, arguments):
        """An instruction that the text uses as a function: v_max_f32(a, b)."""
        kind = re.search(r"_([fiu]\d+)$", name).group(1)
        after = Program(self.others[name], self.others).run({f"S{i}": bits_of(a) for i, a in enumerate(arguments)})
        return as_type(after["D0"], kind)

    def run(self, variables):
        self.variables, self.at, self.broken = dict(variables), 0, False
        self.block(True, ())
        if self.at < len(self.tokens):
            raise Unsupported(self.peek())
        return self.variables

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.peek()
        if expected and token != expected:
            raise Unsupported(f"{token} instead of {expected}")
        self.at += 1
        return token

    # ---- statements

    def block(self, active, ends):
        while self.peek() and self.peek() not in ends:
            if self.peek() == ";":
                self.take()
            else:
                self.statement(active and not self.broken)

    def statement(self, active):
        token = self.peek()
        if token == "if":
            return self.branches(active)
        if token == "for":
            return self.loop(active)
        if token in ("lambda", "eval"):
            raise Unsupported(token)
        if token == "declare":
            return self.skip_declaration()
        if token == "break":
            self.take()
            self.broken = self.broken or active
            return None
        if token == "{":
            return self.assign_two(active)
        target = self.target()
        operator = self.take()
        value = self.expression(active)
        if not active:
            return None
        if operator in ("+=", "-="):
            value = binary(operator[0], self.read(target), value)
        elif operator != "=":
            raise Unsupported(operator)
        return self.write(target, value)

    def skip_declaration(self):
        while self.peek() not in (";", ""):
            self.take()

    def branches(self, active):
        self.take("if")
        done = False
        while True:
            condition = self.expression(active and not done)
            self.take("then")
            chosen = active and not done and bool(number(condition))
            self.block(chosen, ("elsif", "else", "endif"))
            done = done or chosen
            if self.peek() == "elsif":
                self.take()
                continue
            break
        if self.peek() == "else":
            self.take()
            self.block(active and not done, ("endif",))
        self.take("endif")

    def loop(self, active):
        self.take("for")
        name = self.take()
        self.take("in")
        first = self.expression(active)
        self.take(":")
        last = self.expression(active)
        self.take("do")
        start = self.at
        for i in range(first, last + 1) if active else [0]:
            self.at = start
            self.variables[name] = i
            self.block(active and not self.broken, ("endfor",))
        self.broken = False
        self.take("endfor")

    def assign_two(self, active):
        """{ D1.u1, D0.u64 } = value: the second has the low bits."""
        self.take("{")
        high = self.target()
        self.take(",")
        low = self.target()
        self.take("}")
        self.take("=")
        value = self.expression(active)
        if active:
            self.write(low, value)
            self.write(high, value >> low[2])

    # ---- places to write: name, first bit, number of bits (None: a value without a type), type

    def target(self):
        name, first, width, kind = self.take(), 0, None, None
        while self.peek() in (".", "["):
            if self.take() == ".":
                kind = self.take()
                width = int(kind[1:]) if width is None else width
                continue
            high = self.expression(True)
            low = high
            if self.peek() == ":":
                self.take()
                low = self.expression(True)
            self.take("]")
            first, width = low, high - low + 1
        return name, first, width, kind

    def read(self, target):
        name, first, width, kind = target
        value = self.variables[name]
        return value if width is None else as_type(bits_of(value) >> first, kind or "u%d" % width)

    def write(self, target, value):
        name, first, width, kind = target
        if width is None:
            self.variables[name] = value
            return
        if kind and kind[0] == "f" and not isinstance(value, Float):
            value = Float.of(value, width)
        if isinstance(value, Float) and kind and kind[0] == "f" and value.width != width:
            value = Float.of(value.value, width)
        mask = ((1 << width) - 1) << first
        old = bits_of(self.variables.get(name, 0))
        self.variables[name] = (old & ~mask) | (bits_of(value) << first & mask)

    # ---- expressions; inactive ones are parsed only

    def expression(self, active):
        condition = self.level(0, active)
        if self.peek() != "?":
            return condition
        self.take()
        chosen = active and bool(number(condition))
        yes = self.expression(chosen)
        self.take(":")
        no = self.expression(active and not chosen)
        return yes if chosen else no

    def level(self, depth, active):
        if depth == len(LEVELS):
            return self.unary(active)
        left = self.level(depth + 1, active)
        while self.peek() in LEVELS[depth]:
            operator = self.take()
            right = self.level(depth + 1, active)
            left = binary(operator, left, right) if active else 0
        return left

    def unary(self, active):
        if self.peek() in ("-", "+", "!", "~"):
            operator = self.take()
            value = self.unary(active)
            if not active:
                return 0
            if operator == "!":
                return not number(value)
            if operator == "~":
                return ~value
            if operator in "+-" and isinstance(value, Float) and value.value == 0:
                return SignedZero(value.bits ^ (operator == "-") << (value.width - 1), value.width)
            if operator == "-":
                return Float(value.bits ^ 1 << (value.width - 1), value.width) if isinstance(value, Float) else -value
            return value
        return self.postfix(active)

    def postfix(self, active):
        value = self.primary(active)
        while self.peek() in (".", "["):
            if self.take() == ".":
                kind = self.take()
                value = as_type(bits_of(value), kind) if active else 0
                continue
            high = self.expression(active)
            low = high
            if self.peek() == ":":
                self.take()
                low = self.expression(active)
            self.take("]")
            value = bits_in(bits_of(value), high, low) if active else 0
        return value

    def primary(self, active):
        token = self.take()
        if token == "(":
            value = self.expression(active)
            self.take(")")
            return value
        if re.fullmatch(r"\d+'[UIFB]", token):
            width, kind = token.split("'")
            self.take("(")
            value = self.expression(active)
            self.take(")")
            if not active:
                return 0
            if kind == "F":
                return value.converted(int(width)) if isinstance(value, Float) else Float(value, int(width))
            return int(number(value)) if kind == "I" else int(number(value)) & ((1 << int(width)) - 1)
        if re.fullmatch(r"\d+'-?\d+[UI]?", token):
            return int(token.split("'")[1].rstrip("UI"))
        if re.fullmatch(r"\d+\.\d+F?", token):
            return Float.of(float(token.rstrip("F")), 32 if token.endswith("F") else 64)
        if re.fullmatch(r"(0x[0-9a-fA-F]+|\d+)U?L*", token):
            return int(re.sub("U?L*$", "", token), 0)
        if re.fullmatch(r"\d+'-?\d+\.\d+", token):
            return Float.of(float(token.split("'")[1]), int(token.split("'")[0]))
        if token == "INF":
            return Float.of(math.inf, int(self.take()[1:]) if self.peek() == "." and self.take() else 64)
        if token == "{":
            return self.concatenation(active)
        if self.peek() == "(":
            return self.call(token, active)
        if token == "laneId":
            return 0
        if not active:
            return 0
        if token not in self.variables:
            raise Unsupported(token)
        return self.variables[token]

    def concatenation(self, active):
        """{ a.u16, b.u16 }: the first has the high bits."""
        value = 0
        while True:
            item = self.expression(active)
            kind = self.tokens[self.at - 1]
            if not re.fullmatch(r"[uibf]\d+", kind):
                raise Unsupported("an item without a type")
            width = int(kind[1:])
            value = value << width | (bits_of(item) & ((1 << width) - 1))
            if self.take() == "}":
                return value

    def call(self, name, active):
        self.take("(")
        arguments = []
        while self.peek() != ")":
            arguments.append(self.expression(active))
            if self.peek() == ",":
                self.take()
        self.take(")")
        if not active:
            return 0
        if name in self.others:
            return self.run_other(name, arguments)
        function = to_integer(name) if re.fullmatch(r"[fiu]\d+_to_[fiu]\d+", name) else FUNCTIONS.get(name)
        if not function:
            raise Unsupported(name)
        return function(*arguments)


def bits_in(bits, high, low):
    if high >= low:
        return bits >> low & ((1 << (high - low + 1)) - 1)
    return int(format(bits_in(bits, low, high), f"0{low - high + 1}b")[::-1], 2)  # reversed


def bits_of(value):
    return value.bits if isinstance(value, Float) else int(value)


def as_type(bits, kind):
    width = int(kind[1:])
    if kind[0] == "f":
        return Float(bits, width)
    return signed(bits, width) if kind[0] == "i" else bits & ((1 << width) - 1)


INTEGERS = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__, "/": int.__floordiv__, "%": int.__mod__,
            "&": int.__and__, "|": int.__or__, "^": int.__xor__, "<<": int.__lshift__, ">>": int.__rshift__,
            "**": int.__pow__}


def binary(operator, left, right):
    a, b = number(left), number(right)
    if operator in ("&&", "||"):
        return bool(a and b) if operator == "&&" else bool(a or b)
    if operator == "==" and isinstance(right, SignedZero) and isinstance(left, Float) and a == 0:
        return left.sign == right.sign
    if operator in ("==", "!=", "<>", "<", "<=", ">", ">="):
        return {"==": a == b, "!=": a != b, "<>": a < b or a > b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]
    widths = [x.width for x in (left, right) if isinstance(x, Float)]
    if not widths:
        if operator in ("<<", ">>", "**") and not 0 <= b <= 256:
            raise Unsupported(f"{operator} by {b}")
        return INTEGERS[operator](a, b)
    width = max(widths)
    if operator == "**":
        raise Unsupported("a power of floating-point numbers")
    if operator == "/" and b == 0:
        return Float.of(math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b), width)
    if not (math.isfinite(a) and math.isfinite(b)):
        return Float.of({"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b}[operator](),
                        width)
    if operator == "*":
        return fused(left, right, Float.of(math.copysign(0.0, a) * math.copysign(1.0, b), 64), width)
    if operator == "/":
        return round_fraction(Fraction(a) / Fraction(b), width) if a else Float.of(a / b, width)
    exact = Fraction(a) + (Fraction(b) if operator == "+" else -Fraction(b))
    return round_fraction(exact, width) if exact else Float.of(a + b if operator == "+" else a - b, width)
