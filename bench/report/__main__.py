"""Draws results of kiln-bench as one page that needs no network.

    kiln-report PAGE.html RESULT.json... [--history OLD.json...] [--base NAME]

Results of one platform are merged: runs that alternate with another platform's. Writes also PAGE.csv, and each picture as
PAGE-<name>.svg.
"""
import argparse
import pathlib
import sys

sys.dont_write_bytecode = True  # kiln-report is a zip file of this folder

import grids
import history
import measurements
import medians
import page
import ratios
import roofline
import scaling
import svg
import table
import threads


def main():
    parser = argparse.ArgumentParser(prog="kiln-report", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("results", nargs="+")
    parser.add_argument("--history", nargs="+", default=[], metavar="OLD.json", help="earlier results")
    parser.add_argument("--base", default="", metavar="NAME",
                        help="what others are compared with: a part of a platform's name, for the ratios (the first one without "
                        "it); or the commit, date or file of an earlier result, for the history (the one before)")
    parser.add_argument("--title", default="Benchmarks")
    options = parser.parse_args()
    try:
        latest = measurements.merge([one for path in options.results for one in measurements.read(path)])
        earlier = [one for path in options.history for one in measurements.read(path)]
    except measurements.Unreadable as error:
        sys.exit(f"kiln-report: {error}")
    if not any(one.seconds for one in latest):
        sys.exit("kiln-report: the results have no benchmark without an error")
    everywhere = latest
    latest = threads.on_most(everywhere)
    earlier = history.comparable(earlier, latest)
    series = measurements.name_series(everywhere + earlier)
    first = next((name for name in series if options.base in name), None)
    if first is None and any(history.is_state(one, options.base) for one in earlier):
        first = series[0]
    if first is None:
        sys.exit(f"kiln-report: no platform's name contains '{options.base}', and no earlier result has this commit, date or "
                 f"file; there are {', '.join(series)}")
    bases = [name for name in series if ratios.picture(latest, series, name)]
    parts = [
        ("medians", "Medians", "Dots are medians. Lines go from the lower to the upper quartile of the repetitions, or "
         "over the interval that has the true median with 95%, where kiln-bench gives it.",
         [medians.picture(latest, series)]),
        ("ratios", "Ratios", "Another platform's time divided by that of the base. Right of 1, the base is faster.",
         [ratios.picture(latest, series, first)]),
        ("grids", "Variants", "Medians of the values of --axis and of the pipelines of --pipeline. The darker a cell, the "
         "nearer to the shortest time.", [grids.picture(latest, series)]),
        ("scaling", "Scaling with size", "Time per item over the size. Broken lines: cold caches.",
         [scaling.picture(latest, series)]),
        ("threads", "Scaling with processors", "Time over the number of processors on which kiln-bench ran. Dotted lines: "
         "the time on the fewest, divided by the processors.", [threads.picture(everywhere, series)]),
        ("roofline", "Rooflines", "Operations per second over operations per byte. The roof is the peak bandwidth and "
         "the peak rate of operations that kiln-bench measured in the same run. Above the slope, data came from caches.",
         roofline.pictures(latest)),
        ("history", "History", "Medians of earlier results and of this one, by date. Results of one commit are one dot.",
         [history.picture(earlier + latest, series, options.base)]),
    ]
    sections, written = [], []
    for identifier, title, text, drawings in parts:
        drawings = [drawing for drawing in drawings if drawing]
        if not drawings:
            continue
        chosen = page.choice(identifier, bases, [ratios.picture(latest, series, name) for name in bases],
                             first) if identifier == "ratios" else None
        sections.append(page.section(identifier, title, text, drawings, chosen))
        for number, drawing in enumerate(drawings):
            name = f"{identifier}-{number + 1}" if len(drawings) > 1 else identifier
            path = options.page.with_name(f"{options.page.stem}-{name}.svg")
            path.write_text(drawing.body(svg.alone_css()), encoding="utf-8")
            written.append(path.name)
    devices = ", ".join(dict.fromkeys(f"{one.platform} on {one.device}" for one in latest))
    subtitle = f"{latest[0].date[:16].replace('T', ' ')}: {devices}"
    options.page.write_text(page.page(options.title, subtitle, sections, everywhere), encoding="utf-8")
    table.write(options.page.with_suffix(".csv"), everywhere)
    print(f"{options.page}: {len(everywhere)} benchmarks; also {options.page.with_suffix('.csv').name}, {', '.join(written)}")


main()
