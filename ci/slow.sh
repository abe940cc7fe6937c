#!/usr/bin/env bash
# The tests that take minutes, marked #[ignore = "slow: ..."]. Not part of .ci/run.
set -euxo pipefail
cd "$(dirname "$0")/.."
cargo test --workspace --release -- --ignored
