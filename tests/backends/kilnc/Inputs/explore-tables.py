"""Prints the texts of an explorer page's tables, as Chromium shows them.

usage: explore-tables.py PAGE
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tools"))
import browser as chromium

with chromium.Browser() as browser:
    browser.open(sys.argv[1], width=2000, height=1000)
    for tab in ("kernels", "passes", "remarks"):
        browser.evaluate(f"document.querySelector('[data-tab={tab}]').click()")
        print(f"{tab}: {browser.evaluate('document.getElementById(`table`).textContent')}")
    if errors := browser.errors():
        sys.exit(errors[0])
