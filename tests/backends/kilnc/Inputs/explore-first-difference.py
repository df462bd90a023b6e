"""Prints, of each page with a comparison, the step at which it starts, as Chromium shows it.

usage: explore-first-difference.py PAGE...
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tools"))
import browser as chromium

with chromium.Browser() as browser:
    for page in sys.argv[1:]:
        browser.open(page, width=1400, height=900)
        print(f"{pathlib.Path(page).name}: {browser.evaluate('document.getElementById(`verdict`).textContent')}")
        rows = browser.evaluate("[...document.querySelectorAll('tr[data-verdict]')].map(row => row.dataset.verdict)")
        print(f"{pathlib.Path(page).name}: {rows.count('equal')} equal, {len(rows) - rows.count('equal')} others")
        if errors := browser.errors():
            sys.exit(errors[0])
