#!/usr/bin/env bash
# Every page of the book is listed and every relative link leads somewhere.
set -euxo pipefail
cd "$(dirname "$0")/.."
python3 -B ci/book_test.py
python3 -B ci/book.py
