#!/usr/bin/env bash
# The engine's threaded tests under ThreadSanitizer, on stable Rust. Not part of .ci/run: it takes some minutes.
set -euxo pipefail
cd "$(dirname "$0")/.."
# The standard library and the test harness are not instrumented, so what they do inside is not understood.
suppressions="$(mktemp)"
trap 'rm -f "$suppressions"' EXIT
cat > "$suppressions" <<'END'
race:std::thread::scoped
race:alloc::sync::Arc*drop_slow
race:std::thread::lifecycle
race:drop_in_place*
race:test::event
END
export TSAN_OPTIONS="suppressions=$suppressions"
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/tsan"
cargo test -p dts-engine --lib --release --target "$(rustc -vV | sed -n 's/^host: //p')" stress
