#!/usr/bin/env python3
"""Checks the book and the other Markdown files without building anything.

- every page that docs/src/SUMMARY.md lists exists, and every page in docs/src is listed;
- every relative link of every Markdown file in the repository leads to a file, and to a heading of it where it
  names one.

Prints one line a fault and exits with 1 if there is any.
"""

import re
import sys
from pathlib import Path

FENCE = re.compile(r"^ *(```+|~~~+)")
CODE = re.compile(r"(`+)(.+?)\1")
# [text](target), [text](<target>), [text](target "title"), and images.
LINK = re.compile(r"\]\(\s*(?:<([^>]*)>|([^()\s]*(?:\([^()\s]*\)[^()\s]*)*))(?:\s+[\"'][^\"']*[\"'])?\s*\)")
# [label]: target
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?([^>\s]+)>?")
HTML = re.compile(r"""<(?:a|img)\b[^>]*?\b(?:href|src)=["']([^"']+)["']""")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.+?)\s*#*\s*$")
SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:|^//")


def lines_of_text(path):
    """The lines outside code blocks, with their numbers."""
    fence = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark.group(1)
        elif fence is not None:
            if mark and mark.group(1).startswith(fence) and line.strip() == mark.group(1):
                fence = None
        else:
            yield number, line


def links(path):
    """The targets of all links, with the numbers of their lines."""
    for number, line in lines_of_text(path):
        line = CODE.sub("", line)
        reference = REFERENCE.match(line)
        if reference:
            yield number, reference.group(1)
        for match in LINK.finditer(line):
            yield number, match.group(1) or match.group(2)
        for match in HTML.finditer(line):
            yield number, match.group(1)


def anchors(path):
    """The names under which the headings of a file can be reached, as mdBook and GitHub make them."""
    names = set()
    for _, line in lines_of_text(path):
        heading = HEADING.match(line)
        if not heading:
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).replace("`", "")
        base = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        name, count = base, 0
        while name in names:
            count += 1
            name = f"{base}-{count}"
        names.add(name)
    return names


def faults_of_links(path, root):
    """What is wrong with the links of one file."""
    for number, target in links(path):
        if SCHEME.match(target):
            continue
        place, _, anchor = target.partition("#")
        place = place.partition("?")[0]
        file = path if not place else (path.parent / place)
        where = f"{path.relative_to(root)}:{number}"
        if place.startswith("/"):
            yield f"{where}: {target}: a link from the root leads nowhere in a copy of the book"
        elif not file.exists():
            yield f"{where}: {target}: there is no such file"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"{where}: {target}: the file has no such heading"


def faults_of_summary(source, root):
    """What is wrong with the list of pages."""
    summary = source / "SUMMARY.md"
    listed = {}
    for number, target in links(summary):
        if not target:
            continue  # a chapter that is announced and not yet written
        page = (source / target).resolve()
        if page in listed:
            yield f"{summary.relative_to(root)}:{number}: {target} is listed twice"
        listed[page] = number
    for page in sorted(source.rglob("*.md")):
        if page != summary and page.resolve() not in listed:
            yield f"{page.relative_to(root)}: the page is not listed in SUMMARY.md"


def faults(root):
    """All that is wrong under a directory."""
    found = list(faults_of_summary(root / "docs" / "src", root))
    skipped = {"target", ".git", "node_modules"}
    for path in sorted(root.rglob("*.md")):
        if not skipped.intersection(path.relative_to(root).parts):
            found.extend(faults_of_links(path, root))
    return found


def main():
    found = faults(Path(__file__).resolve().parent.parent)
    for fault in found:
        print(fault)
    print(f"book: {len(found)} faults" if found else "book: every page is listed, every link leads somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
