#!/usr/bin/env python3
"""Makes the site and checks it: every link, anchor and picture is there, nothing comes from a network, the search finds.

    test_site.py SOURCE REFERENCE

Without Sphinx and its packages the test is skipped (77). The search is tried if Chromium is installed.
"""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
sys.dont_write_bytecode = True
import browser

# Attributes whose value a reader's browser fetches when it shows the page.
FETCHED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Page(html.parser.HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.anchors, self.links, self.fetched = set(), [], []
        self.feed(file.read_text(errors="replace"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif (tag, name) in FETCHED and value:
                self.fetched.append(value)
            elif (tag, name) == ("a", "href") and value:
                self.links.append(value)


def broken(site):
    """Sentences about links that lead nowhere, and about what a page fetches from elsewhere."""
    pages = {file: Page(file) for file in site.rglob("*.html")}
    for file, page in pages.items():
        name = file.relative_to(site)
        for link in page.fetched + page.links:
            address = urllib.parse.urlsplit(link)
            if address.scheme or address.netloc or link.startswith("/"):
                if link in page.fetched and address.scheme != "data":
                    yield f"{name} fetches {link}"
                continue
            target = pathlib.Path(os.path.normpath(file.parent / urllib.parse.unquote(address.path))) if address.path else file
            if not target.is_file():
                yield f"{name}: no file {link}"
            elif address.fragment and target in pages and urllib.parse.unquote(address.fragment) not in pages[target].anchors:
                yield f"{name}: no anchor {link}"
    for file in site.rglob("*.css"):
        for address in re.findall(r"(?:@import\s+|url\()[\"']?([^\"')]+)", file.read_text()):
            if re.match(r"(https?:)?/", address.removeprefix("url(")):
                yield f"{file.relative_to(site)} fetches {address}"


def main():
    source, reference = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    python = "/usr/bin/python3" if pathlib.Path("/usr/bin/python3").exists() else sys.executable
    modules = subprocess.run([python, "-c", "import sphinx, myst_parser, furo"], capture_output=True)
    if modules.returncode or not shutil.which("sphinx-build"):
        print("test_site.py: sphinx, myst_parser or furo is not installed")
        return 77
    with tempfile.TemporaryDirectory() as name:
        site = pathlib.Path(name, "site")
        made = subprocess.run([python, source / "docs/site/make_site.py", source, reference, site], capture_output=True, text=True)
        if made.returncode:
            sys.exit(f"test_site.py: the site cannot be made:\n{made.stdout}{made.stderr}")
        problems = sorted(set(broken(site)))
        pages = {str(file.relative_to(site)) for file in site.rglob("*.html")}
        problems += [f"{page} is missing" for page in ("index.html", "search.html", "docs/errors.html", "reference/ocl.html",
                     "reference/passes.html", "source/tests/dialects/wg/ops.mlir.html") if page not in pages]
        if "ocl.barrier" not in (site / "reference/ocl.html").read_text():
            problems.append("the page of the ocl dialect has no ocl.barrier")
        if browser.find() and not problems:
            with browser.Browser() as chromium:
                chromium.open(site / "search.html", width=1200, height=900)
                chromium.events.clear()
                chromium.evaluate("location.search = '?q=structurize'")
                chromium.wait_for("Page.loadEventFired")
                # The result appears some time after the page: waits up to 10 seconds.
                first = chromium.evaluate("""new Promise(done => {
                  const end = Date.now() + 10000, text = () => document.querySelector('#search-results').innerText;
                  const look = () => text().includes('Passes') || Date.now() > end ? done(text()) : setTimeout(look, 50);
                  look(); })""")
            if "Passes" not in first:
                problems.append(f"the search for 'structurize' does not find the passes but {first!r}")
        # A folder with other files is not overwritten.
        other = pathlib.Path(name, "other")
        other.mkdir()
        (other / "mine").touch()
        refused = subprocess.run([python, source / "docs/site/make_site.py", source, reference, other], capture_output=True, text=True)
        if refused.returncode == 0 or not (other / "mine").exists() or "is not empty" not in refused.stderr:
            problems.append(f"a folder with other files is not refused: {refused.stderr}")
    print("\n".join(problems) or f"site: {len(pages)} pages, all right")
    return bool(problems)


sys.exit(main())
