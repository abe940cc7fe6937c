#!/usr/bin/env bash
# No warning of the compiler or of clippy, tests and benches included.
set -euxo pipefail
cd "$(dirname "$0")/.."
cargo clippy --workspace --all-targets -- -D warnings
