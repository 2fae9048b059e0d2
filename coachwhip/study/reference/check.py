# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip reference --check`: watches the process in which `hand_in` runs searches, and may end it."""

from multiprocessing import get_context
from pathlib import Path

from ...cli.command import CommandError
from .hand_in import work

SECONDS = 10  # for one search
NEW = Path("new")  # instead of a file: print one to start from
EXERCISE = """\
# Delete what you do not write, and keep either form of a function: (game, state) or (tree).
# Check it with: coachwhip reference --check THIS_FILE
#
# tree   nested lists with numbers as leaves: [[3, 12, 8], [2, 4, 6]]. MAX moves first, then MIN, in turn.
#        In expectimax, MAX first, then chance (all branches equally likely), in turn.
#        In max_n a leaf has one number for each player: (1, 2, 6). Player 0 moves first, then player 1, ...
# game   game.to_move(state)          0 for MAX, 1 for MIN, -1 for chance; player 0 moves first
#        game.is_terminal(state)      whether the game is over
#        game.utility(state, player)  the value of a terminal state for a player
#        game.actions(state)          the moves
#        game.result(state, move)     the state after a move
#        game.odds(state)             at a chance node: a list of (probability, move)
#        game.players                 in max_n: how many there are
# A search returns the value for player 0, or the pair (value, move); max_n a value for each player.
# A move of a tree is the number of the branch, from 0. best_move returns only the move.


def minimax(game, state):
    raise NotImplementedError


def alpha_beta(tree, alpha=float("-inf"), beta=float("inf"), is_max=True):
    raise NotImplementedError


def expectimax(game, state):
    raise NotImplementedError


def max_n(game, state):
    raise NotImplementedError


def best_move(tree):
    raise NotImplementedError
"""


def check(path: Path) -> int:
    """Check the functions of a file and print a report.

    Returns 0 if all are right, 1 if one is not, 2 if there is none.
    """
    if path == NEW:
        print(EXERCISE, end="")
        return 0
    if not path.is_file():
        raise CommandError(f"{path}: no such file; --check new prints one to start from")
    ours, theirs = get_context("spawn").Pipe(duplex=False)
    process = get_context("spawn").Process(target=work, args=(str(path.resolve()), theirs), daemon=True)
    process.start()
    theirs.close()
    case = "the file"
    try:
        while ours.poll(SECONDS):
            message = ours.recv()
            if isinstance(message, tuple):
                lines, code = message
                print("\n\n".join(lines))
                return int(code)
            case = message
        print(f"{case}: did not end in {SECONDS} seconds. Does every call come nearer to a leaf?")
    except EOFError:
        process.join()
        print(f"{case}: ended the process of the check (exit code {process.exitcode}).")
    finally:
        process.kill()
        process.join()
    return 1
