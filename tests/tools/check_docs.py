#!/usr/bin/env python3
"""Checks that the documents name files and words that exist.

In README.md, docs/ and the folders' READMEs: every link, and every path in backticks, leads to a file or folder of the
tree. In docs/glossary.md: every name in backticks occurs in the sources. In docs/tutorials/add-a-*.md: code is
that of the tree. Other code blocks are not checked.

A word in backticks is a path of the tree if its first folder is one (seen from the root, from the document's folder or
from that folder's parent), or if it is a file name that ends in .h, .cpp, .td, .def or .clcpp. `runtime/queue/Event` stands
for the files with that stem, `<pass>` and `*` for any name, and `Event.{h,cpp}` for two files.

usage: check_docs.py SOURCE
"""
import itertools
import pathlib
import re
import sys

FOLDERS = ("api", "backends", "base", "bench", "dialects", "docs", "doctor", "emulator", "examples", "packaging", "passes",
           "runtime", "tests")
SOURCES = {".h", ".cpp", ".td", ".def", ".py", ".cl", ".clcpp", ".mlir", ".txt", ".cmake", ".spvasm", ".in", ".c"}
FILE = re.compile(r"[\w.*-]+\.(h|cpp|td|def|clcpp)")
# Written by a tool into the build tree, or by a user.
GENERATED = re.compile(r".*\.inc|KilnBuildId\.h|build/.*")


def documents(root):
    yield root / "README.md"
    for folder in FOLDERS:
        pattern = "*.md" if folder == "docs" else "README.md"
        yield from sorted((root / folder).rglob(pattern))


def prose(text):
    """The lines with their numbers, without code blocks."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, line


def spans(line):
    """What stands in backticks."""
    return (m.group(2).strip() for m in re.finditer(r"(`+)(.+?)\1", line))


def expanded(path):
    """Event.{h,cpp} -> Event.h, Event.cpp"""
    parts = [part.split(",") for part in re.split(r"[{}]", path)]
    return ("".join(choice) for choice in itertools.product(*parts)) if "{" in path else [path]


def exists(folder, path):
    pattern = re.sub(r"<[^<>]*>", "*", path.rstrip("/"))
    if not pattern:
        return True
    if "*" in pattern:
        return any(folder.glob(pattern))
    target = folder / pattern
    return target.exists() or (target.parent.is_dir() and any(target.parent.glob(target.name + ".*")))


def check_path(root, document, word, names):
    """None, or the sentence about a path that leads nowhere."""
    if not re.fullmatch(r"[\w.+*<>{},/-]+(:\d+)?", word) or GENERATED.fullmatch(word):
        return None
    word = word.split(":")[0]
    for path in expanded(word):
        if "/" not in path:
            if FILE.fullmatch(path) and not any(pathlib.PurePath(name).match(path) for name in names):
                return f"`{path}`: no file of the tree has this name"
            continue
        first = path.split("/")[0]
        bases = [root, document.parent, document.parent.parent]
        if first == "..":
            bases = [document.parent]
        # A folder's name alone, as `driver/` in a table of folders, is seen from the document.
        homes = [base for base in bases if first and root in (base, *base.parents) and (base / first).exists()]
        if homes and not any(exists(base, path) for base in homes):
            return f"`{path}`: no such file or folder"
    return None


def check_paths(root):
    names = {file.name for folder in FOLDERS for file in (root / folder).rglob("*")}
    problems = []
    for document in documents(root):
        where = document.relative_to(root)
        for number, line in prose(document.read_text(encoding="utf-8")):
            found = [check_path(root, document, word, names) for word in spans(line)]
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                path = target.split("#")[0]
                if path and not re.match(r"[a-z]+:", path) and not (document.parent / path).exists():
                    found.append(f"link to {path}: no such file or folder")
            problems += [f"{where}:{number}: {sentence}" for sentence in found if sentence]
    return problems


def check_names(root):
    glossary = root / "docs/glossary.md"
    text = []
    for folder in FOLDERS:
        for file in (root / folder).rglob("*"):
            if file.suffix in SOURCES and file.is_file():
                text += [file.name, file.read_text(encoding="utf-8", errors="replace")]
    text = "\n".join(text)
    identifiers = set(re.findall(r"[A-Za-z_]\w*", text))
    problems = []
    for number, line in prose(glossary.read_text(encoding="utf-8")):
        for word in spans(line):
            parts = [part for part in re.split(r"::|[\s(){},=<>&*]+", word) if part]
            missing = [part for part in parts
                       if not (part in identifiers if part.isidentifier() else part in text or (root / part).exists())]
            if missing:
                problems.append(f"docs/glossary.md:{number}: `{word}`: the sources have no {' '.join(missing)}")
    return problems


def normalized(line):
    """A line of code without comments and spaces."""
    return re.sub(r"\s+", "", re.sub(r"//.*", "", line))


def check_tutorials(root):
    """Lines of code on the pages for contributors are lines of the tree, unless they have "..." or a name with New."""
    tree = {normalized(line) for folder in FOLDERS for file in (root / folder).rglob("*")
            if file.suffix in SOURCES - {".txt"} and file.is_file()
            for line in file.read_text(encoding="utf-8", errors="replace").splitlines()}
    problems = []
    for page in sorted((root / "docs/tutorials").glob("add-a-*.md")):
        language = None
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("```"):
                language = None if language is not None else line[3:].strip()
            elif language in ("cpp", "tablegen") and "..." not in line and not re.search("New|new", line):
                if normalized(line) not in tree:
                    problems.append(f"{page.relative_to(root)}:{number}: no source has this line")
    return problems


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    problems = check_paths(root) + check_names(root) + check_tutorials(root)
    print("\n".join(problems) or "documents: all right")
    sys.exit(bool(problems))


main()
