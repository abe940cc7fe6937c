#!/usr/bin/env bash
# The quick tests: what to run before every commit.
set -euxo pipefail
cd "$(dirname "$0")/.."
cargo test --workspace
