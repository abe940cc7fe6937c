#!/usr/bin/env bash
# The shared-memory parts of the engine under every schedule that loom can make of them.
set -euxo pipefail
cd "$(dirname "$0")/.."
# Two preemptions find nearly all that more would, in seconds where all of them take minutes.
export LOOM_MAX_PREEMPTIONS="${LOOM_MAX_PREEMPTIONS:-2}"
# A target directory of its own: the flag would make cargo build everything else again, and again after it.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom"
RUSTFLAGS="--cfg dts_loom" cargo test -p dts-engine --lib --release loom
