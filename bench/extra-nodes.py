#!/usr/bin/env python3
"""Where the extra nodes of a parallel search come from, by node type and number of the move.

    cargo build --release
    bench/extra-nodes.py [--profile classic|modern] [--strategy NAME] [--processors P] [--effort quick|full] [--dts target/release/dts]
    bench/extra-nodes.py --game bridge [--boards N] [--strategy NAME] [--processors P] [--dts target/release/dts]

Searches each of the paper's 24 positions of chess, from an empty table, to the depth that `dts tables` takes, or each of the 20
hardest single boards of bridge, with one and with P simulated processors, and adds up what the processors say of the branches of split
blocks.
"""

import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys

GAMES = pathlib.Path(__file__).resolve().parent.parent / "games"
KINDS = ["pv", "cut", "all"]


def chess(options):
    """The commands that search the positions of chess."""
    with open(GAMES / "chess" / "data" / "dts24_fen.csv", newline="") as file:
        positions = list(csv.DictReader(file))
    with open(GAMES / "chess" / "data" / "dts24-depths.csv", newline="") as file:
        depths = {row["position"]: row[options.effort] for row in csv.DictReader(file) if row["profile"] == options.profile}
    return [["chess", "search", position["fen"], "--depth", depths[position["pos"]], "--profile", options.profile]
            for position in positions]


def bridge(options):
    """The commands that solve the boards of bridge."""
    lines = (GAMES / "bridge" / "data" / "f_hard_single20.tsv").read_text().splitlines()
    boards = [line.split("\t") for line in lines if not line.startswith("#")]
    return [["bridge", "solve", deal, "--trump", trump, "--leader", leader, "--cards", "one"]
            for _, deal, trump, leader, *_ in boards[:options.boards]]


def search(options, command, processors):
    command = [options.dts, *command, "--strategy", options.strategy, "--simulate", str(processors), "--hash", "128"]
    command += ["--counters", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=["chess", "bridge"], default="chess")
    parser.add_argument("--boards", type=int, default=20, help="of bridge, the first N")
    parser.add_argument("--profile", choices=["classic", "modern"], default="modern")
    parser.add_argument("--strategy", default="dts")
    parser.add_argument("--processors", type=int, default=16)
    parser.add_argument("--effort", choices=["quick", "full"], default="full")
    parser.add_argument("--dts", default="target/release/dts")
    options = parser.parse_args()

    if not pathlib.Path(options.dts).is_file():
        parser.error(f"--dts: there is no {options.dts}; build it with cargo build --release, or say where it is")
    if options.boards < 1:
        parser.error("--boards: at least 1")
    if options.processors < 2:
        parser.error("--processors: at least 2, for one searches nothing twice")

    commands = chess(options) if options.game == "chess" else bridge(options)
    title = options.profile if options.game == "chess" else "bridge"

    alone, together, speedups = 0, 0, []
    branches = {kind: {} for kind in KINDS}
    for number, command in enumerate(commands, start=1):
        one = search(options, command, 1)
        alone += one["nodes"]
        found = search(options, command, options.processors)
        together += found["nodes"]
        speedups.append(one["virtual_time"] / found["virtual_time"])
        for processor in found["counters"]:
            for kind in KINDS:
                for entry in processor["branches"][kind]:
                    total = branches[kind].setdefault(entry["number"], [0, 0, 0, 0])
                    for at, name in enumerate(["finished", "nodes", "stopped", "nodes_thrown_away"]):
                        total[at] += entry[name]
        print(f"{number} of {len(commands)}", file=sys.stderr)

    extra = together - alone
    print(f"{title}, {options.strategy}: {alone} nodes at 1 processor, {together} at {options.processors}, "
          f"{extra} more ({100 * extra / alone:.1f} %)")
    print(f"speedup in virtual time: mean {statistics.fmean(speedups):.2f}, geometric {statistics.geometric_mean(speedups):.2f}, "
          f"worst {min(speedups):.2f}, best {max(speedups):.2f}")
    thrown = sum(entry[3] for kind in KINDS for entry in branches[kind].values())
    print(f"{thrown} of all nodes ({100 * thrown / alone:.1f} % of one processor's) were thrown away: searched below a split block that "
          f"died meanwhile. The other extra nodes belong to branches that were searched to the end, but that one processor "
          f"would not have searched, or with a better bound, reduction or order.")
    print("Nodes below; those of a block inside a branch of another count at both.")
    groups = [("0", 0, 0), ("1", 1, 1), ("2", 2, 2), ("3-5", 3, 5), ("6-9", 6, 9), ("10-15", 10, 15), ("16-", 16, 16)]
    print(f"{'type':<5} {'move':>6} {'finished':>9} {'nodes':>12} {'stopped':>8} {'thrown away':>12} {'of all thrown':>13}")
    for kind in KINDS:
        for name, first, last in groups:
            total = [sum(column) for column in zip(*(branches[kind].get(number, [0] * 4)
                                                      for number in range(first, last + 1)))]
            if any(total):
                share = 100 * total[3] / thrown if thrown else 0.0
                print(f"{kind:<5} {name:>6} {total[0]:>9} {total[1]:>12} {total[2]:>8} {total[3]:>12} {share:>11.1f} %")


if __name__ == "__main__":
    main()
