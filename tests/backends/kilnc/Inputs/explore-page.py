"""Drives an explorer page in Chromium as a user does, 1,400 and 800 pixels wide: click, key, drag, link, comparison.

usage: explore-page.py PAGE COMPARED

PAGE is the page of one kernel for the cpu and nvptx:sm_90; COMPARED is one with --compare. Each window takes all steps.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tools"))
import browser as chromium

# Waits until the page has drawn what the last input changed.
SETTLE = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 150))))"
PANES = """[...document.querySelectorAll('.pane')].map(pane => {
  const box = pane.getBoundingClientRect();
  return {what: pane.dataset.what, left: box.left, top: box.top, width: box.width, height: box.height};
})"""
WHATS = "[...document.querySelectorAll('.pane')].map(pane => pane.dataset.what)"
checks = 0


class Window:
    def __init__(self, browser, width):
        self.browser, self.width, self.narrow = browser, width, width <= 800

    def open(self, page, fragment="", dark=False):
        self.browser.open(page, self.width, 900, dark=dark, fragment=fragment)
        self.settle()

    def settle(self):
        self.browser.evaluate(SETTLE)

    def look(self, script):
        return self.browser.evaluate(script)

    def key(self, key):
        self.browser.key(key)
        self.settle()

    def click(self, selector, number=0):
        """Clicks the middle of an element, which must be what is there."""
        x, y, is_there = self.look(f"""(() => {{
            const found = document.querySelectorAll({selector!r})[{number}];
            found.scrollIntoView({{block: 'nearest', inline: 'nearest'}});
            const box = found.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
            const there = document.elementFromPoint(x, y);
            return [x, y, there === found || found.contains(there)];
        }})()""")
        self.check(is_there, f"{selector} is covered")
        self.browser.click(x, y)
        self.settle()

    def check(self, condition, sentence):
        global checks
        checks += 1
        if not condition:
            sys.exit(f"{self.width} pixels: {sentence}")

    def equal(self, found, expected, what):
        self.check(found == expected, f"{what} is {found}, must be {expected}")


def check_start(window, page):
    window.open(page)
    panes = window.look(PANES)
    window.equal([pane["what"] for pane in panes],
                 ["source", "stage:assembly"] if window.narrow else ["source", "stage:wg, vectorized", "stage:assembly"], "the first panes")
    if not window.narrow:
        window.check("lanes 16" in window.look("document.querySelectorAll('.pane')[1].textContent"), "the middle pane has no vectors")
    window.equal(window.look("document.documentElement.scrollWidth"), window.width, "the width of the page")
    if window.narrow:
        window.check(all(pane["width"] > 780 for pane in panes) and panes[0]["top"] < panes[1]["top"], f"the panes are {panes}")
    else:
        window.check(all(pane["width"] > 390 for pane in panes), f"the panes are {panes}")
    window.check(all(pane["height"] > 200 for pane in panes), f"the panes are {panes}")
    outside = window.look(f"""[...document.querySelectorAll('header button, #stages button, #tabs button')].filter(button => {{
        const box = button.getBoundingClientRect(); return box.right > {window.width} || box.bottom > 900; }}).map(b => b.textContent)""")
    window.equal(outside, [], "buttons outside of the window")


def check_keys(window, page):
    window.open(page)
    window.key("?")
    help_text = window.look("document.getElementById('keys').open && document.getElementById('keys').textContent")
    window.check(help_text, "? does not list the keys")
    for key in "j k h l . , o r f [ ] d v c b / n N a x = t 1 9 0".split() + ["Escape", "Enter"]:
        window.check(window.look(f"[...document.querySelectorAll('#keys kbd')].some(kbd => kbd.textContent === {key!r})"),
                     f"? does not list {key}")
    window.click("#keys button")
    # The focused pane shows the source, so a stage goes to another one.
    stages = window.look("[...document.querySelectorAll('#stages button')].map(button => button.dataset.stage)")
    window.equal((stages[0], stages[-1]), ("source", "stage:assembly"), "the list of stages")
    for number, stage in enumerate(stages[1:], 2):
        window.key(str(number % 10))
        window.check(stage in window.look(WHATS), f"key {number} does not show {stage}")
        window.equal(window.look("document.querySelector('.pane.focused').dataset.what"), stage, "the focused pane")
    window.check("source" in window.look(WHATS), "a stage has replaced the source")
    window.key("v")
    window.check("nvptx" in window.look("document.querySelector('#variants [aria-pressed=true]').textContent"), "v does not change the variant")
    window.check("PTX" in window.look("document.querySelector('#stages').textContent"), "the stages are not those of the variant")
    before = len(window.look(WHATS))
    window.key("a")
    window.equal(len(window.look(WHATS)), before + 1, "the number of panes after a")
    window.key("x")
    window.equal(len(window.look(WHATS)), before, "the number of panes after x")
    window.key("b")
    window.check(window.look("document.getElementById('table').getBoundingClientRect().height") > 100, "b does not open the tables")
    window.key("]")
    window.check("pass" in window.look(WHATS) and window.look("document.querySelector('tr.chosen') !== null"), "] shows no pass")
    window.check(window.look("document.querySelectorAll('.row.add, .row.remove').length"), "the pass has no difference")


def check_source(window, page):
    """Badges, numbers that stay, colours, folded lines."""
    window.open(page)
    badges = window.look("[...document.querySelectorAll('.badge')].map(badge => badge.textContent)")
    window.check(any("vectorized" in badge for badge in badges), f"the badges are {badges}")
    window.check(not window.look("document.querySelectorAll('.row.remark').length"), "remarks are open at the start")
    window.click(".badge")
    shown = window.look("[...document.querySelectorAll('.row.remark')].map(row => row.textContent).join(' ')")
    window.check(window.look("document.querySelector('.badge').getAttribute('aria-expanded')") == "true" and len(shown) > 30,
                 f"a badge opens {shown!r}")
    window.click(".badge")
    window.key("r")
    window.equal(window.look("[...document.querySelectorAll('.badge')].every(b => b.getAttribute('aria-expanded') === 'true')"), True, "r")
    window.key("r")
    # Line numbers stay when the text scrolls to the side.
    window.look("document.querySelector('.body').scrollLeft = 120")
    window.settle()
    moved, left = window.look("""(() => { const body = document.querySelector('.body');
        return [body.scrollLeft, document.querySelector('.number').getBoundingClientRect().left - body.getBoundingClientRect().left]; })()""")
    if moved:  # a wide pane has nothing to scroll
        window.check(abs(left) < 1, f"the number moves by {left} pixels")
    window.check(moved or window.narrow, "the source cannot be scrolled")
    # One colour for each source line, in all panes.
    colours = window.look("""[...document.querySelectorAll('.row.linked')].map(row => {
        const from = row.querySelector('.from');
        return [from ? from.textContent.trim() : row.querySelector('.number').textContent.trim(),
                getComputedStyle(row.querySelector('.number')).backgroundColor]; })""")
    by_line = {}
    for line, colour in colours:
        by_line.setdefault(line, set()).add(colour)
    window.check(len(by_line) > 5 and all(len(some) == 1 for some in by_line.values()), f"the colours are {by_line}")
    window.check(len({next(iter(some)) for some in by_line.values()}) == len(by_line), f"lines share a colour: {by_line}")
    # The pointer shows the lines that belong together.
    window.look("document.querySelector('.body').scrollLeft = 0")
    at = window.look("""(() => { const box = document.querySelector('.pane[data-what=source] .row.linked .code').getBoundingClientRect();
        return [box.left + 10, box.top + 9]; })()""")
    window.browser.move(*at)
    window.settle()
    window.check(window.look("document.querySelectorAll('.row.near').length") > 1, "the pointer shows nothing")
    # Lines without a source line are folded.
    window.key("2")
    folded = "document.querySelectorAll('.pane[data-what=\"stage:SPIR-V\"] .row.fold').length"
    count = window.look(folded)
    window.check(count, "SPIR-V has no folded lines")
    window.click('.pane[data-what="stage:SPIR-V"] .row.fold .code')
    window.check(window.look(folded) < count or "OpCapability" in window.look(
        "document.querySelector('.pane[data-what=\"stage:SPIR-V\"]').textContent"), "a click does not open folded lines")
    window.key("f")
    window.equal(window.look("document.querySelectorAll('.row.fold').length"), 0, "the folded rows after f")


def check_link(window, page):
    """The address has the state: a page that is opened with it looks the same."""
    window.open(page)
    border = window.look("""(() => { const box = document.querySelector('.splitter').getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2]; })()""")
    before = window.look(PANES)
    by = (0, 60) if window.narrow else (90, 0)
    window.browser.drag(*border, border[0] + by[0], border[1] + by[1])
    window.settle()
    size = "height" if window.narrow else "width"
    grown = window.look(PANES)[0][size] - before[0][size]
    window.check(abs(grown - max(by)) < 4, f"the first pane has grown by {grown} pixels, must be {max(by)}")
    window.click(".badge")
    window.key("4")
    window.click(".pane[data-what=source] .row.linked .code", 3)
    window.click("[data-tab=remarks]")
    window.key("t")
    look = """JSON.stringify([[...document.querySelectorAll('.pane')].map(pane => [pane.dataset.what, Math.round(pane.getBoundingClientRect().width / 16),
        Math.round(pane.getBoundingClientRect().height / 16), Math.round(pane.querySelector('.body').scrollTop / 18)]), document.getElementById('where').textContent,
        document.documentElement.dataset.theme, document.querySelectorAll('.row.remark').length, document.querySelectorAll('tr').length,
        [...document.querySelectorAll('.row.hit .code')].map(code => code.textContent)])"""
    seen, fragment = window.look(look), window.look("location.hash")
    window.check(window.look("document.querySelectorAll('.row.hit').length") > 1, "the click selects nothing")
    window.open(page, fragment)
    window.equal(window.look(look), seen, "what the link shows")
    window.equal(window.look("location.hash"), fragment, "the address")
    for wrong in ("#variant=none&panes=none~x|~&line=k.cl:9999&pass=-7&compare=a|b|c&table=__proto__~9", "#%E0%A4%A", "#panes=fixed:99:99~1e9"):
        window.open(page, wrong)
        window.check(window.look("document.querySelectorAll('.row').length"), f"{wrong} shows nothing")


def check_hints(window, page):
    """An instruction under the pointer or the cursor has a hint. So do most of all instructions."""
    window.open(page, "#panes=" + "stage:assembly~99")
    # The opcode of each row, and the hint that a click on the row shows.
    without, count = set(), 0
    for first in range(0, 400, 60):
        window.look(f"document.querySelector('.body').scrollTop = {18 * first}")
        window.settle()
        for opcode, hint in window.look("""[...document.querySelectorAll('.row')].map(row => {
            row.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
            const opcode = /^\\s+([a-z]\\w*)/.exec(row.querySelector('.code').textContent);
            return [opcode ? opcode[1] : '', document.querySelector('.hint').textContent]; })"""):
            if opcode:
                count += 1
                if not hint.startswith(opcode + ": "):
                    without.add(opcode)
    window.check(count > 100 and not without, f"of {count} instructions, these have no hint: {sorted(without)}")
    window.open(page, "#variant=nvptx:sm_90+generic&panes=stage:assembly~99")
    window.key("/")
    for letter in "bar.sync":
        window.browser.key(letter)
    window.key("Enter")
    window.check("barrier of the work-group" in window.look("document.querySelector('.hint').textContent"), "PTX has no hint")


def check_comparison(window, page, compared):
    window.open(compared)
    window.equal(window.look(WHATS)[-2:], ["compare:a", "compare:b"], "the panes of a comparison")
    verdict = "document.getElementById('verdict').textContent"
    window.check("wg-vectorize" in window.look(verdict) and "first difference" in window.look(verdict), window.look(verdict))
    chosen = "document.querySelector('tr.chosen').textContent"
    window.check("wg-vectorize" in window.look(chosen), window.look(chosen))
    window.equal(window.look("[...document.querySelectorAll('tr[data-verdict]')].findIndex(row => row.dataset.verdict !== 'equal')"),
                 window.look("[...document.querySelectorAll('tr[data-verdict]')].findIndex(row => row.classList.contains('chosen'))"), "the first difference")
    rows = window.look("[...document.querySelectorAll('.pane')].slice(-2).map(pane => parseInt(pane.querySelector('.rows').style.height))")
    window.check(rows[0] == rows[1], f"the sides are {rows[0]} and {rows[1]} pixels high")
    window.check(window.look("[...document.querySelectorAll('.row.remove')].some(row => row.textContent.includes('lanes 16'))") and
                 window.look("[...document.querySelectorAll('.row.add')].some(row => row.textContent.includes('lanes 8'))"), "the difference is not shown")
    window.look("document.querySelectorAll('.pane')[document.querySelectorAll('.pane').length - 2].querySelector('.body').scrollTop = 90")
    window.settle()
    tops = window.look("[...document.querySelectorAll('.pane')].slice(-2).map(pane => pane.querySelector('.body').scrollTop)")
    window.check(tops[0] == tops[1], f"the sides are scrolled to {tops}")
    before = window.look(chosen)
    window.key("]")
    window.check(window.look(chosen) != before, "] stays at the difference")
    row, fragment = window.look(chosen), window.look("location.hash")
    window.open(compared, fragment)
    window.equal(window.look(chosen), row, "the row that the link shows")
    window.key("c")
    window.check("compare:a" not in window.look(WHATS), "c does not end the comparison")
    # Two targets of one page.
    window.open(page)
    window.key("c")
    window.check("compare:b" in window.look(WHATS), "c does not compare two targets")
    window.check(window.look("document.querySelectorAll('tr[data-verdict=\"only B\"]').length") > 5, "no pass is only in one of two targets")
    window.equal(window.look("document.documentElement.scrollWidth"), window.width, "the width of the page")


with chromium.Browser() as browser:
    for width in (1400, 800):
        window = Window(browser, width)
        for check in (check_start, check_keys, check_source, check_link, check_hints):
            check(window, sys.argv[1])
            window.equal(browser.errors(), [], f"errors in {check.__name__}")
        check_comparison(window, *sys.argv[1:3])
        window.equal(browser.errors(), [], "errors in the comparison")
print(f"{checks} checks: the page is right at 1400 and 800 pixels")
