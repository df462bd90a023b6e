#!/usr/bin/env python3
"""Writes the table of backends/cpu/math/README.md from measured results.

usage: math_table.py README TABLE TIMES PEERS

TABLE is the output of `kiln-math-sweep --table RESULTS`, TIMES of `kiln-math-sweep --time`, PEERS of `kiln-math-peers`.
"""
import pathlib
import sys


def main(readme, table, times, peers):
    def numbers(path):
        rows = {}
        for line in pathlib.Path(path).read_text().splitlines():
            words = line.split()
            if len(words) > 2 and words[1] in ("f32", "f64"):
                rows[words[0], words[1]] = words[2:]
        return rows

    ours, theirs = numbers(times), numbers(peers)
    rows = ["| function | allowed | worst, ulp | at | tried | Kiln 1 | 128 | 256 | 512 bits | glibc | libmvec 128 | 256 | 512 | SLEEF 128 | 256 | 512 |",
            "|---|--:|--:|---|--:|" + "--:|" * 11]
    for (name, kind), words in numbers(table).items():
        fields = dict(zip(words[0::2], words[1::2]))
        if fields["differ"] != "0":
            sys.exit(f"{name} {kind}: results of the vector widths differ")
        allowed = "-" if float(fields["allowed"]) > 1e6 else fields["allowed"]
        tried = "all" if int(fields["tried"]) >= 2**32 else f"{int(fields['tried']):.0e}".replace("e+0", "e")
        cells = [f"{name} {kind}", allowed, fields["worst"], fields["at"].replace(",", ", "), tried]
        cells += ours.get((name, kind), ["-"] * 4) + theirs.get((name, kind), ["-"] * 7)
        rows.append("| " + " | ".join(cells) + " |")
    path = pathlib.Path(readme)
    start, end = "<!-- table: made by tests/tools/math_table.py -->\n", "<!-- end of table -->"
    before, rest = path.read_text().split(start)
    path.write_text(before + start + "\n".join(rows) + "\n" + rest[rest.index(end):])


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
