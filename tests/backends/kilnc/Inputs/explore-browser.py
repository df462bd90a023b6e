"""Checks explorer pages in Chromium: a click on a source line highlights what came from it, in every pane, and a click on
code selects its source line. The pages are of one source file each; the address opens a pane of each stage.

usage: explore-browser.py PAGE...
"""
import pathlib
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tools"))
import browser as chromium
import explored

# The visible rows of each pane: what the pane shows, and of each row its index, whether it is highlighted, its centre.
STATE = """[...document.querySelectorAll('.pane')].map(pane => {
  const body = pane.querySelector('.body'), box = body.getBoundingClientRect(), bottom = box.top + body.clientHeight;
  return {what: pane.dataset.what, rows: [...pane.querySelectorAll('.row:not(.fold)')].map(row => {
    const at = row.getBoundingClientRect();
    return {row: Number(row.querySelector('.number').textContent) - 1, hit: row.classList.contains('hit'), number: row.querySelector('.number').textContent.trim(),
            isSource: row.classList.contains('source'), x: Math.max(at.left, box.left) + 60, y: at.top + at.height / 2,
            visible: at.top > box.top - 2 && at.bottom < bottom + 2};
  })};
})"""
LINES = 4  # of each variant, about
clicks = 0


def fail(page, sentence):
    sys.exit(f"{page}: {sentence}")


def stage_of(variant, what):
    """The stage that a pane shows; None if the variant has none."""
    role = what.removeprefix("stage:")
    return next((s for s in variant["stages"] if ("assembly" if s["name"] == "PTX" else s["name"]) == role), None)


def frames(browser):
    """Waits until the page has drawn itself after a scroll."""
    browser.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def click(browser, row):
    global clicks
    clicks += 1
    browser.click(row["x"], row["y"])
    frames(browser)


def check_selection(page, variant, state, line, came_from):
    """All panes show exactly the rows of `line` as highlighted, and at least one of them."""
    for pane in state:
        if pane["what"] == "source":
            hits = {row["number"] for row in pane["rows"] if row["hit"] and row["isSource"]}
            if hits != {str(line)} or not any(row["hit"] and row["visible"] for row in pane["rows"]):
                fail(page, f"{variant['target']}: source rows {hits} are highlighted, must be {line}")
            continue
        stage = stage_of(variant, pane["what"])
        expected = came_from[pane["what"]].get(line, set()) if stage else set()
        for row in pane["rows"]:
            if row["hit"] != (row["row"] in expected):
                fail(page, f"{variant['target']}, {pane['what']}: row {row['row']} is "
                           f"{'' if row['hit'] else 'not '}highlighted for source line {line}")
        if expected and not any(row["hit"] and row["visible"] for row in pane["rows"]):
            fail(page, f"{variant['target']}, {pane['what']}: no row of source line {line} is visible")


def rows_by_line(variant, stage):
    rows = {}
    for row, (_, places) in enumerate(explored.lines_of(variant, stage)):
        for _, line in places:
            rows.setdefault(line, set()).add(row)
    return rows


def check(browser, page):
    data = explored.read(page)
    stages = ["source", *(f"stage:{stage}" for stage in ("SPIR-V", "ocl", "wg", "LLVM IR, optimised", "assembly"))]
    browser.open(page, width=2000, height=1000,
                 fragment="#unfolded=1&panes=" + urllib.parse.quote("|".join(f"{stage}~16" for stage in stages)))
    for number, variant in enumerate(data["variants"]):
        if number:
            browser.key("v")
        panes = [pane["what"] for pane in browser.evaluate(STATE)]
        came_from = {what: rows_by_line(variant, stage) for what in panes if (stage := stage_of(variant, what))}
        code = came_from["stage:assembly"]
        if not code:
            fail(page, f"{variant['target']}: no line of the assembly has a source line")
        lines = sorted(set().union(*came_from.values()))
        lines = lines[:: max(1, len(lines) // LINES)]
        ends = (lines[0], lines[-1])
        for line in lines:
            browser.evaluate(f"document.querySelector('.body').scrollTop = {max(0, line - 5) * 18}")
            frames(browser)
            source = browser.evaluate(STATE)[0]
            row = next(row for row in source["rows"] if row["isSource"] and row["number"] == str(line))
            click(browser, row)
            state = browser.evaluate(STATE)
            check_selection(page, variant, state, line, came_from)
            # The other direction, from each pane: for two lines, the first visible row that came
            # from a line selects this line.
            for index in range(1, len(state)) if line in ends else ():
                pane = browser.evaluate(STATE)[index]  # the click before has scrolled it
                stage = stage_of(variant, pane["what"])
                linked = {} if not stage else {row: places[0][1] for row, (_, places) in
                                               enumerate(explored.lines_of(variant, stage)) if places}
                target = next((row for row in pane["rows"] if row["visible"] and row["row"] in linked), None)
                if not target:
                    continue
                click(browser, target)
                check_selection(page, variant, browser.evaluate(STATE), linked[target["row"]], came_from)
    if errors := browser.errors():
        fail(page, errors[0])
    if others := [url for url in browser.requests() if not url.startswith("file:") or url.count(".html") != 1]:
        fail(page, f"the page requests {others[0]}")


with chromium.Browser() as browser:
    for page in sys.argv[1:]:
        check(browser, page)
print(f"{len(sys.argv) - 1} pages, {clicks} clicks: all links are right")
