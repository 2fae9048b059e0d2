# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip completion`: prints a script that lets a shell complete the words of coachwhip's command line.

Options are read from the --help of the subcommand when the user asks for them.
"""

import argparse
from collections.abc import Sequence

from ..__main__ import SUBCOMMANDS
from .command import Parser

UCI_COMMANDS = "position go d eval compiler help"  # that make sense on a command line
BASH = """\
_coachwhip() {
  local word=${COMP_WORDS[COMP_CWORD]} command= i
  for ((i = COMP_CWORD - 1; i > 0; i--)); do
    case " @SUBCOMMANDS@ " in *" ${COMP_WORDS[i]} "*) command=${COMP_WORDS[i]} ;; esac
  done
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$(coachwhip $command --help 2> /dev/null | grep -oE -- '--[a-z0-9-]+' | sort -u)" -- "$word"))
  elif [[ -z $command ]]; then
    COMPREPLY=($(compgen -W "@SUBCOMMANDS@ @UCI_COMMANDS@" -- "$word"))
  else
    COMPREPLY=()
  fi
}
complete -o default -F _coachwhip coachwhip
"""
ZSH = "autoload -Uz compinit bashcompinit && compinit && bashcompinit\n" + BASH
FISH = """\
set -l subcommands @SUBCOMMANDS@
complete -c coachwhip -n "not __fish_seen_subcommand_from $subcommands" -f -a "@UCI_COMMANDS@"
@DESCRIBED@
function __coachwhip_options
    set -l command (string match -- (commandline -opc)[2..] @SUBCOMMANDS@)[1]
    coachwhip $command --help 2> /dev/null | string match -arg -- '(--[a-z0-9-]+)' | sort -u
end
complete -c coachwhip -n "string match -q -- '-*' (commandline -ct)" -f -a "(__coachwhip_options)"
"""
SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}
EPILOG = """\
To complete with Tab in every new shell, add one line to its start file:
  ~/.bashrc                    eval "$(coachwhip completion bash)"
  ~/.zshrc                     eval "$(coachwhip completion zsh)"
  ~/.config/fish/config.fish   coachwhip completion fish | source
"""


def main(argv: Sequence[str]) -> int:
    """Run the subcommand."""
    parser = Parser("completion", "Print a script that lets a shell complete subcommands and options.", EPILOG)
    parser.add_argument("shell", choices=SCRIPTS, metavar="|".join(SCRIPTS))
    return parser.run(argv, _completion)


def _completion(args: argparse.Namespace) -> int:
    described = "\n".join(
        f'complete -c coachwhip -n "not __fish_seen_subcommand_from $subcommands" -f -a {name} -d "{about}"'
        for name, (_, _, about) in SUBCOMMANDS.items()
    )
    script = SCRIPTS[args.shell].replace("@DESCRIBED@", described).replace("@UCI_COMMANDS@", UCI_COMMANDS)
    print(script.replace("@SUBCOMMANDS@", " ".join(SUBCOMMANDS)), end="")
    return 0
