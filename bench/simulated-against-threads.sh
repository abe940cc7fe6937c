#!/bin/sh
# Simulated speedups beside those measured on threads, at two processors: eight boards of kalah and eight artificial trees, each of
# some seconds at one processor. What things cost in the simulation is measured here and now, on other boards and trees; nothing is
# fitted to the result. The least time of the repeats counts: what else a shared machine does only ever adds, and more where both
# processors have to be undisturbed. The speedup by medians is in the table as well.
#
# simulated-against-threads.sh [directory [repeats [table]]]
#
# Each step is kept in the directory as it is done; the same command goes on from there, if the program is of the same commit. With
# `table` nothing is measured, and only the table is made again. Half an hour on an idle machine, and on a busy
# one the figures are worth nothing: the load is printed.
# Options are words.
# shellcheck disable=SC2086
set -eu
cd "$(dirname "$0")/.."
out=${1:-bench/results/simulated-against-threads}
repeats=${2:-3}
dts=${CARGO_TARGET_DIR:-target}/release/dts
calibrate=${CARGO_TARGET_DIR:-target}/release/examples/calibrate

# The experiments: a name, the game whose costs it has, and what is searched.
experiments() {
    cat <<'END'
kalah       kalah     --hash 64 --positions bench/simulated-against-threads.txt
wide        synthetic --game synthetic --width 30 --depth 9 --seeds 2
slim        synthetic --game synthetic --width 6 --depth 19 --seeds 2
planted     synthetic --game synthetic --width 30 --depth 9 --planted --first 0.7 --seeds 2
turns       synthetic --game synthetic --width 24 --depth 8 --extra-turns 0.2 --grain 3 --seeds 2
END
}

load() { cut -d' ' -f1 /proc/loadavg; }

measure() {
    cargo build --release --quiet -p dts-cli
    cargo build --release --quiet -p dts-bench --example calibrate
    mkdir -p "$out"

    # 1. What things cost.
    for game in kalah synthetic; do
        [ -s "$out/costs-$game.txt" ] || {
            "$calibrate" "$game" > "$out/costs.partial" 2> "$out/costs-$game.log"
            mv "$out/costs.partial" "$out/costs-$game.txt"
        }
        echo "$game: $(cat "$out/costs-$game.txt")" >&2
    done

    experiments | while read -r name game options; do
        # 2. On threads, one and two processors in turns.
        echo "$name on threads, load $(load)" >&2
        "$dts" speedup $options --processors 1,2 --repeat "$repeats" --out "$out/$name-threads" >/dev/null

        # 3. In virtual time, with the costs of 1.
        echo "$name in virtual time" >&2
        "$dts" speedup $options --processors 1,2 --backend simulated --costs "$(cat "$out/costs-$game.txt")" \
            --out "$out/$name-simulated" >/dev/null
    done
}
if [ "${3:-}" != table ]; then measure; fi

# 4. The table.
table() {
    experiments | while read -r name game _; do
        awk -F, -v name="$name" -v game="$game" '
            function median(list, count,   i, j, t) {
                for (i = 2; i <= count; i++)
                    for (j = i; j > 1 && list[j - 1] > list[j]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
                return (list[int((count + 1) / 2)] + list[int(count / 2) + 1]) / 2
            }
            function least(file, position, processors,   i, smallest) {
                smallest = time[file, position, processors, 1]
                for (i = 2; i <= runs[file, position, processors]; i++)
                    if (time[file, position, processors, i] < smallest) smallest = time[file, position, processors, i]
                return smallest
            }
            function middle(file, position, processors,   list, i, count) {
                count = runs[file, position, processors]
                for (i = 1; i <= count; i++) list[i] = time[file, position, processors, i]
                return median(list, count)
            }
            FNR == 1 { file++; next }
            {
                if (file == 1 && !($1 in seen)) { seen[$1]; order[++positions] = $1 }
                time[file, $1, $3, ++runs[file, $1, $3]] = $7
                nodes[file, $1, $3] += $6
            }
            END {
                for (i = 1; i <= positions; i++) {
                    p = order[i]
                    threads = least(1, p, 1) / least(1, p, 2)
                    medians = middle(1, p, 1) / middle(1, p, 2)
                    simulated = middle(2, p, 1) / middle(2, p, 2)
                    ratio[1] = nodes[1, p, 2] / nodes[1, p, 1]; ratio[2] = nodes[2, p, 2] / nodes[2, p, 1]
                    printf "%s,%s %s,%.2f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n", game, name, p, least(1, p, 1), threads,
                        medians, simulated, simulated / threads, ratio[1], ratio[2]
                }
            }' "$out/$name-threads/rows.csv" "$out/$name-simulated/rows.csv"
    done
}
{
    echo game,position,seconds,threads,threads_by_medians,simulated,ratio,node_ratio_threads,node_ratio_simulated
    table
} > "$out/table.csv"
awk -F, '
    function show(a, b, c, d, e, f, g, h) { printf "%-30s %8s %9s %11s %10s %6s %14s %16s\n", a, b, c, d, e, f, g, h }
    NR == 1 { show("position", "seconds", "threads", "by medians", "simulated", "ratio", "nodes, threads", "nodes, simulated"); next }
    {
        show($2, $3, $4, $5, $6, $7, $8, $9)
        for (i = 1; i <= 2; i++) {
            g = i == 1 ? $1 : "all"
            count[g]++; threads[g] += $4; medians[g] += $5; simulated[g] += $6; ratios[g] += $7
            nodes[g] += $8; nodes_simulated[g] += $9
        }
    }
    END {
        n = split("kalah synthetic all", names, " ")
        for (i = 1; i <= n; i++) {
            g = names[i]
            if (count[g])
                printf "mean of %d, %s: threads %.3f (%.3f by medians), simulated %.3f, %.3f times as much; ratio %.3f; nodes %.3f and %.3f\n", \
                    count[g], g, threads[g] / count[g], medians[g] / count[g], simulated[g] / count[g],
                    simulated[g] / threads[g], ratios[g] / count[g], nodes[g] / count[g], nodes_simulated[g] / count[g]
        }
    }' "$out/table.csv"
