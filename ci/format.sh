#!/usr/bin/env bash
# Is every file as rustfmt writes it?
set -euxo pipefail
cd "$(dirname "$0")/.."
cargo fmt --all --check
