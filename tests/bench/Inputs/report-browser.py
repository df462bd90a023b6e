"""Opens a report in Chromium, 1,400 and 800 pixels wide, light and dark: no errors, no request, nothing beyond its section or the
window, filter, order, theme, the base of the ratios.

usage: report-browser.py PAGE
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import browser as chromium

# Texts and marks of pictures that are outside of their picture.
OUTSIDE = """[...document.querySelectorAll('svg')].flatMap(svg => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text, circle')].filter(part => {
    const at = part.getBoundingClientRect();
    return at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1 || at.bottom > box.bottom + 1;
  }).map(part => part.textContent);
})"""
# The lightness of the page's background and of its text.
LIGHTNESS = """['backgroundColor', 'color'].map(what => getComputedStyle(document.body)[what].match(/\\d+/g).slice(0, 3)
  .reduce((sum, part) => sum + Number(part), 0) / 3)"""
ROWS = "[...document.querySelectorAll('tbody tr')].filter(row => !row.hidden).map(row => row.cells[0].textContent)"


def check(right, sentence):
    if not right:
        sys.exit(f"report-browser.py: {sentence}")


def look(browser, path, width, dark):
    browser.open(path, width=width, height=900, dark=dark)
    page = browser.evaluate("document.documentElement.scrollWidth")
    check(page <= width, f"the page is {page} pixels wide in a window of {width}")
    check(not browser.errors(), f"the page's script failed: {browser.errors()}")
    check(len(browser.requests()) == 1, f"the page requests {browser.requests()}")
    outside = browser.evaluate(OUTSIDE)
    check(not outside, f"outside of their picture: {outside}")
    background, text = browser.evaluate(LIGHTNESS)
    check((background < 64 and text > 192) if dark else (background > 192 and text < 64),
          f"dark is {dark}, and the background is {background}, the text {text}")
    browser.key("t")
    check((browser.evaluate(LIGHTNESS)[0] > 128) == dark, "t does not turn the theme")


def choose_base(browser):
    """Each platform that others were measured beside can be the base of the ratios."""
    shown = "[...document.querySelectorAll('#ratios-choice > div')].filter(one => one.checkVisibility()).map(one => one.dataset.name)"
    names = browser.evaluate("[...document.querySelectorAll('[data-choice=ratios] option')].map(option => option.textContent)")
    check(len(names) > 1, f"the bases are {names}")
    for name in names:
        browser.evaluate(f"(list => {{ list.value = {name!r}; list.dispatchEvent(new Event('change')); }})"
                         "(document.querySelector('[data-choice=ratios]'))")
        check(browser.evaluate(shown) == [name], f"with the base {name}, the pictures of {browser.evaluate(shown)} are shown")


def main():
    path = sys.argv[1]
    with chromium.Browser() as browser:
        for width in (1400, 800):
            look(browser, path, width, dark=True)
            look(browser, path, width, dark=False)
        choose_base(browser)
        every = browser.evaluate(ROWS)
        browser.evaluate("document.getElementById('filter').focus()")
        for key in "matmul":
            browser.key(key)
        found = browser.evaluate(ROWS)
        check(found and len(found) < len(every) and all("matmul" in name for name in found), f"the filter leaves {found}")
        browser.evaluate("document.getElementById('filter').value = ''; document.getElementById('filter').oninput()")
        browser.evaluate("document.querySelectorAll('th')[4].scrollIntoView()")
        head = browser.evaluate("(box => [box.left + 5, box.top + 5])"
                                "(document.querySelectorAll('th')[4].getBoundingClientRect())")
        browser.click(*head)
        order = browser.evaluate("[...document.querySelectorAll('tbody tr')].map(row => Number(row.cells[4].dataset.value))")
        check(order == sorted(order), f"a click on the median leaves the order {order}")
        marks = browser.evaluate("document.querySelectorAll('.mark title').length")
    print(f"{len(every)} rows, {marks} marks: all right")


main()
