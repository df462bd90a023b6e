#!/usr/bin/env python3
"""Makes a folder of offline HTML pages from the documents of the tree and the reference pages.

    make_site.py SOURCE REFERENCE FOLDER

The pages are README.md, docs/, the READMEs of all folders, tests/FEATURES.md and REFERENCE/*.md. The tables of
docs/README.md are the navigation: a document of docs/ that is in no table is an error. A file that a page links to, as a
test, becomes a page with its text. Sphinx makes the HTML; its warnings, as a link that leads nowhere, are errors.
FOLDER/index.html is the entry. FOLDER must be empty, new, or a site that this program has made.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

MARK = ".kiln-site"  # a file in each made folder
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]+)(#L(\d+))?\)")


def documents(root):
    yield root / "README.md"
    yield root / "tests/FEATURES.md"
    yield from sorted((root / "docs").rglob("*.md"))
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        if folder.name not in ("docs", "build") and not folder.name.startswith("."):
            yield from sorted(folder.rglob("README.md"))


def source_page(file, name, target):
    """A page with a file's text; each line has the anchor L-<number>."""
    try:
        lexer = get_lexer_for_filename(file.name)
    except ClassNotFound:
        lexer = TextLexer()
    formatter = HtmlFormatter(full=True, title=name, linenos="inline", lineanchors="L", style="default")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(highlight(file.read_text(errors="replace"), lexer, formatter))


class Stage:
    """The folder that Sphinx reads, with copies of the documents."""

    def __init__(self, root, reference, folder):
        self.root, self.reference, self.folder = root, reference, folder
        self.linked = set()  # files of the tree that are not documents

    def add(self, file, name):
        """Copies a document, with links to files that are not documents changed to their pages."""
        place = self.root / name  # where its relative links start

        def changed(match):
            target = pathlib.Path(os.path.normpath(place.parent / match[2]))
            if match[2].endswith(".md") or ":" in match[2] or not target.is_file() or self.root not in target.parents:
                return match[0]
            path = target.relative_to(self.root)
            self.linked.add(path)
            up = "../" * (len(name.parts) - 1)
            anchor = f"#L-{match[4]}" if match[4] else ""
            return f'<a href="{up}source/{path.as_posix()}.html{anchor}">{match[1].strip("`")}</a>'

        fenced, lines = False, []
        for line in file.read_text().splitlines():
            if line.lstrip().startswith("```"):
                fenced = not fenced
                line = re.sub(r"^(\s*```\w+) .*", r"\1", line)  # the name of a file is for the tests
            elif not fenced:
                line = LINK.sub(changed, line)
            lines.append(line)
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(lines) + "\n")

    def navigation(self, names):
        """Appends the tables of contents to docs/README.md: its own tables, the reference, the folders."""
        home = self.folder / "docs/README.md"
        text, parts, seen = home.read_text(), [], {"docs/README.md"}
        for section in re.split(r"^## ", text, flags=re.M)[1:]:
            rows = [os.path.normpath("docs/" + match) for match in re.findall(r"^\| \[[^\]]*\]\(([^)#]+\.md)\)", section, re.M)]
            parts.append((section.splitlines()[0], [row for row in dict.fromkeys(rows) if row not in seen]))
            seen.update(rows)
        reference = [f"reference/{file.name}" for file in sorted(self.reference.glob("*.md"))]
        parts.append(("Reference", reference))
        folders = [name.as_posix() for name in names if name.name == "README.md" and name.as_posix() not in seen
                   and name.parts[0] != "docs"]
        parts.append(("Folders of the source", folders))
        for caption, rows in parts:
            text += f"\n```{{toctree}}\n:caption: {caption}\n:hidden:\n\n" + "".join(f"/{row[:-3]}\n" for row in rows) + "```\n"
        home.write_text(text)


def localize_styles(site):
    """Debian's themes import styles from the web server's folder /javascript. The site gets its own copies."""
    def copied(match):
        file = pathlib.Path("/usr/share/javascript") / match[1]
        shutil.copy(file, style.parent / file.name)
        return f"@import url({file.name})"

    for style in list(site.rglob("*.css")):
        text = style.read_text()
        changed = re.sub(r"@import url\(/javascript/([^)]+)\)", copied, text)
        if changed != text:
            style.write_text(changed)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    root, reference, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
        sys.exit(f"make_site.py: {folder} is not empty and was not made by this program")
    with tempfile.TemporaryDirectory() as name:
        stage, made = Stage(root, reference, pathlib.Path(name, "pages")), pathlib.Path(name, "site")
        names = [file.relative_to(root) for file in documents(root)]
        for each in names:
            stage.add(root / each, each)
        for file in reference.glob("*.md"):
            stage.add(file, pathlib.Path("reference") / file.name)
        for picture in (root / "docs/pictures").iterdir():
            (stage.folder / "docs/pictures").mkdir(exist_ok=True)
            shutil.copy(picture, stage.folder / "docs/pictures")
        stage.navigation(names)
        command = ["sphinx-build", "-q", "-W", "--keep-going", "-b", "html", "-c", root / "docs/site",
                   "-d", pathlib.Path(name, "trees"), stage.folder, made]
        if subprocess.run([str(word) for word in command]).returncode:
            sys.exit("make_site.py: Sphinx found errors")
        localize_styles(made)
        for path in stage.linked:
            source_page(root / path, path.as_posix(), made / "source" / f"{path}.html")
        (made / "index.html").write_text('<!DOCTYPE html>\n<meta charset="utf-8"><title>Kiln</title>\n'
                                         '<meta http-equiv="refresh" content="0; url=docs/README.html">\n'
                                         '<a href="docs/README.html">Kiln</a>\n')
        (made / MARK).touch()
        (made / ".buildinfo").unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(made, folder)
    print(f"{folder}/index.html")


main()
