#!/usr/bin/env python3
"""Tests of book.py: a check that finds nothing must be known to find something."""

import tempfile
import unittest
from pathlib import Path

import book


class Faults(unittest.TestCase):
    def check(self, pages, expected):
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory).resolve()
            for name, text in pages.items():
                file = root / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            self.assertEqual(book.faults(root), expected)

    def test_a_sound_book(self):
        self.check(
            {
                "docs/src/SUMMARY.md": "# Summary\n\n- [One](one.md)\n  - [Two](deep/two.md)\n- [Later]()\n- [Much later]()\n",
                "docs/src/one.md": "# One `x`: a (b)\n\n[two](deep/two.md#two-1) [here](#one-x-a-b) <https://a.b>\n"
                "`[no](link.md)`\n\n```\n[no](link.md)\n```\n\n![picture](a.svg \"title\") [web](https://a.b/c)\n",
                "docs/src/deep/two.md": "# Two\n## Two\n[one]\n\n[one]: ../one.md\n",
                "docs/src/a.svg": "<svg/>",
                "README.md": '[book](docs/src/one.md) <img src="docs/src/a.svg">\n',
                "target/doc.md": "[nowhere](nowhere.md)\n",
            },
            [],
        )

    def test_faults_are_named(self):
        self.check(
            {
                "docs/src/SUMMARY.md": "- [One](one.md)\n- [Gone](gone.md)\n- [One](one.md)\n",
                "docs/src/one.md": "# One\n\n[a](b.md)\n[c](#no) [d](/e.md)\n\n[f]: g.md\n\n<img src='h.png'>\n",
                "docs/src/lost.md": "",
            },
            [
                "docs/src/SUMMARY.md:3: one.md is listed twice",
                "docs/src/lost.md: the page is not listed in SUMMARY.md",
                "docs/src/SUMMARY.md:2: gone.md: there is no such file",
                "docs/src/one.md:3: b.md: there is no such file",
                "docs/src/one.md:4: #no: the file has no such heading",
                "docs/src/one.md:4: /e.md: a link from the root leads nowhere in a copy of the book",
                "docs/src/one.md:6: g.md: there is no such file",
                "docs/src/one.md:8: h.png: there is no such file",
            ],
        )


if __name__ == "__main__":
    unittest.main()
