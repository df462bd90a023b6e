#!/usr/bin/env python3
"""Makes the pictures of docs/pictures with headless Chromium: the explorer's page, a pass, a comparison, a narrow window,
and the report of benchmarks.

    make_pictures.py BUILD FOLDER [RESULT.json...]

RESULT.json are results of kiln-bench for the report; without them, there is no picture of it.
"""
import pathlib
import subprocess
import sys
import tempfile

import browser as chromium

# Waits until the page has drawn what the last input changed.
SETTLE = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 300))))"
# The middle of the first vector instruction of the selected line.
POINT = """(() => {
  const rows = [...[...document.querySelectorAll('.pane')].at(-1).querySelectorAll('.row.hit')];
  const row = rows.find(row => /\\sv/.test(row.textContent)) || rows[0];
  const box = row.querySelector('.code').getBoundingClientRect();
  return [box.left + 40, box.top + 9];
})()"""


def main():
    build, folder, results = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3:]
    kernels = build.parent / "bench/kernels"
    with tempfile.TemporaryDirectory() as name, chromium.Browser() as browser:
        work = pathlib.Path(name)

        def run(*words):
            subprocess.run([build / "bin" / words[0], *words[1:]], check=True, cwd=work, stdout=subprocess.DEVNULL)

        def explore(path, *options, kernel="matmul_tiled.cl"):
            run("kilnc", f"--explore={path}", *options, kernels / kernel)

        def shoot(picture, page, width=1400, height=800, dark=False, fragment="", act=lambda: None):
            browser.open(work / page, width, height, dark, fragment)
            browser.evaluate(SETTLE)
            act()
            browser.evaluate(SETTLE)
            browser.picture(folder / f"{picture}.png")
            print(f"{picture}.png: {(folder / f'{picture}.png').stat().st_size >> 10} KiB")

        explore("page.html")
        explore("narrow.html", "--target=cpu", "--machine-width=8")
        explore("both.html", "--target=cpu", "--compare=narrow.html")
        line = "#line=matmul_tiled.cl:14&open=matmul_tiled.cl:10"
        shoot("explorer-light", "page.html", fragment=line, act=lambda: browser.move(*browser.evaluate(POINT)))

        def choose_pass():
            browser.evaluate("document.querySelector('[data-tab=passes]').click()")
            browser.evaluate("[...document.querySelectorAll('tr.link')].find(row => row.textContent.includes('wg-vectorize')).click()")

        shoot("explorer-dark", "page.html", dark=True, act=choose_pass)
        shoot("explorer-comparison", "both.html")
        shoot("explorer-narrow", "page.html", width=800, height=800)
        if results:
            run("kiln-report", "report.html", *(pathlib.Path(result).resolve() for result in results), "--base", "Kiln")
            shoot("report-light", "report.html", width=1160, height=900)


if __name__ == "__main__":
    main()
