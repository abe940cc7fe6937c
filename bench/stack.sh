#!/bin/sh
# Instructions a node of the engine's stack and of plain recursion over the same game, counted by callgrind (valgrind), so that
# a busy machine does no harm. Start-up is taken off: it is what a search of one move costs.
#
# stack.sh [depth]
set -eu
cd "$(dirname "$0")/.."
depth=${1:-11}
command -v valgrind >/dev/null || { echo "stack.sh: valgrind is needed (apt install valgrind)" >&2; exit 1; }
cargo build --release --quiet -p dts-bench --example stack
program=${CARGO_TARGET_DIR:-target}/release/examples/stack
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Prints the nodes and the instructions of one run.
count() {
    nodes=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$log" "$program" "$@")
    echo "$nodes $(sed -n 's/.*Collected : *//p' "$log")"
}

plain=
row() {
    name=$1
    shift
    how=$1
    shift
    figures="$(count "$how" 1 "$@") $(count "$how" "$depth" "$@")"
    line=$(echo "$figures ${plain:-0}" | awk '{ each = ($4 - $2) / ($3 - $1); print $3, each, $5 ? each / $5 : 1 }')
    plain=${plain:-$(echo "$line" | cut -d' ' -f2)}
    echo "$name;$line" | awk -F'[; ]' '{ n = NF; printf "%-24s %10d %10.1f %8.3f\n", substr($0, 1, index($0, ";") - 1), $(n-2), $(n-1), $n }'
}

printf '%-24s %10s %10s %8s\n' "depth $depth" nodes "instr/node" ratio
row "plain recursion" plain
row "sequential" sequential
row "dts" dts
row "sequential, no grain" sequential -1
row "dts, no grain" dts -1
