#!/usr/bin/env bash
# Every public item is documented and every link in the documentation leads somewhere.
set -euxo pipefail
cd "$(dirname "$0")/.."
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
