#!/usr/bin/env python3
"""Plays a match of two UCI engines from balanced openings, each opening twice with colours swapped.

    pip install chess
    cargo build --release -p dts-cli
    bench/chess-match.py --first "target/release/dts chess uci" --second "gnuchess -u" \\
        --second-option OwnBook=false --openings bench/chess-openings.txt --games 200 --milliseconds 100

Openings are eight random moves from the start position, kept if both engines judge them about even: nobody has prepared
them, and neither side's taste alone decides. They are made from a seed, once, and kept in a file
(--openings); those of bench/chess-openings.txt were judged even by dts and GNU Chess 6.2.7.

Prints a line a game, then the score of the first engine with a 95 % interval (over the pairs of games, for the two games of
an opening are not independent), crashes, illegal moves, and moves that took longer than they may. Exit code 1 if the first
engine crashed, made an illegal move, or took too long.
"""

import argparse
import math
import random
import shlex
import statistics
import sys
import time
from pathlib import Path

import chess
import chess.engine

RANDOM_PLIES = 8
EVEN = 40  # centipawns
LONGEST_GAME = 400  # plies; longer games are draws


def options_of(texts):
    """`Name=value` as the engine's options."""
    return dict(text.split("=", 1) for text in texts)


def open_engine(command, options):
    engine = chess.engine.SimpleEngine.popen_uci(shlex.split(command), timeout=60)
    engine.configure({name: value for name, value in options.items() if name in engine.options})
    return engine


def judged(engine, board):
    """What the side to move has, in centipawns."""
    info = engine.analyse(board, chess.engine.Limit(time=0.1), game=object())
    return info["score"].relative.score(mate_score=100_000)


def make_openings(engines, count, seed):
    chance = random.Random(seed)
    openings = []
    while len(openings) < count:
        board = chess.Board()
        while board.ply() < RANDOM_PLIES and any(board.legal_moves):
            board.push(chance.choice(list(board.legal_moves)))
        if board.is_game_over() or board.is_check():
            continue
        line = " ".join(move.uci() for move in board.move_stack)
        if line not in openings and all(abs(judged(engine, board)) <= EVEN for engine in engines):
            openings.append(line)
    return openings


def play(white, black, opening, limit, margin):
    """White's points, the reason, and how many moves of each took too long."""
    board = chess.Board()
    for move in opening.split():
        board.push_uci(move)
    game, late = object(), [0, 0]
    while True:
        outcome = board.outcome(claim_draw=True)
        if outcome:
            points = {True: 1.0, False: 0.0, None: 0.5}[outcome.winner]
            return points, outcome.termination.name.lower(), late, board.ply(), None
        if board.ply() >= LONGEST_GAME:
            return 0.5, "too long", late, board.ply(), None
        engine = white if board.turn else black
        began = time.monotonic()
        try:
            move = engine.play(board, limit, game=game).move
        except chess.engine.EngineError as error:
            return (0.0 if board.turn else 1.0), f"fault: {error}", late, board.ply(), board.turn
        if time.monotonic() - began > limit.time + margin:
            late[0 if board.turn else 1] += 1
        board.push(move)


def elo(share):
    return float("inf") if share >= 1 else float("-inf") if share <= 0 else -400 * math.log10(1 / share - 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", required=True, help="command of the first engine")
    parser.add_argument("--second", required=True, help="command of the second engine")
    parser.add_argument("--first-option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--second-option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--games", type=int, default=200, help="an even number (%(default)s)")
    parser.add_argument("--milliseconds", type=int, default=100, help="for each move (%(default)s)")
    parser.add_argument("--margin", type=int, default=50, help="milliseconds over that before a move is too late (%(default)s)")
    parser.add_argument("--openings", type=Path, help="a file of openings, a line each in UCI; made if it is not there")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    first = open_engine(arguments.first, options_of(arguments.first_option))
    second = open_engine(arguments.second, options_of(arguments.second_option))
    pairs = arguments.games // 2
    if arguments.openings and arguments.openings.exists():
        openings = arguments.openings.read_text().split("\n")
        openings = [line for line in openings if line.strip()]
    else:
        openings = make_openings((first, second), pairs, arguments.seed)
        if arguments.openings:
            arguments.openings.write_text("\n".join(openings) + "\n")
    if len(openings) < pairs:
        parser.error(f"{len(openings)} openings; {pairs} are needed")

    limit = chess.engine.Limit(time=arguments.milliseconds / 1000)
    margin = arguments.margin / 1000
    results, pair_points, late, faults = [], [], [0, 0], [0, 0]
    for number, opening in enumerate(openings[:pairs], 1):
        points_of_pair = 0.0
        for first_is_white in (True, False):
            engines = (first, second) if first_is_white else (second, first)
            points, why, slow, plies, faulty = play(*engines, opening, limit, margin)
            own = points if first_is_white else 1 - points
            late[0] += slow[0 if first_is_white else 1]
            late[1] += slow[1 if first_is_white else 0]
            if faulty is not None:
                own_fault = faulty == first_is_white
                faults[0 if own_fault else 1] += 1
                if own_fault:
                    first.close()
                    first = open_engine(arguments.first, options_of(arguments.first_option))
                else:
                    second.close()
                    second = open_engine(arguments.second, options_of(arguments.second_option))
            results.append(own)
            points_of_pair += own
            colour = "white" if first_is_white else "black"
            print(f"opening {number:>3}, first {colour}: {own:g}  {why}, {plies} plies; {sum(results):g} of {len(results)}", flush=True)
        pair_points.append(points_of_pair / 2)
    first.quit()
    second.quit()

    share = statistics.mean(pair_points)
    half = 1.96 * statistics.stdev(pair_points) / math.sqrt(len(pair_points)) if len(pair_points) > 1 else 0.5
    low, high = max(share - half, 0), min(share + half, 1)
    wins, losses = results.count(1.0), results.count(0.0)
    print(f"first: {wins} won, {results.count(0.5)} drawn, {losses} lost: {share:.1%} ({low:.1%} to {high:.1%}), "
          f"Elo {elo(share):+.0f} ({elo(low):+.0f} to {elo(high):+.0f})")
    print(f"faults (crashes, illegal moves): first {faults[0]}, second {faults[1]}; "
          f"moves over {arguments.milliseconds} + {arguments.margin} ms: first {late[0]}, second {late[1]}")
    return 1 if faults[0] or late[0] else 0


if __name__ == "__main__":
    sys.exit(main())
