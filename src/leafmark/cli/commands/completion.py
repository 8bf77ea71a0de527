"""`leafmark completion`."""

from __future__ import annotations

from leafmark.cli.options import Argument, Call, Command

__all__ = ["COMMAND"]


def run(call: Call) -> int:
    """Print the completion script of a shell."""
    from leafmark.cli.catalogue import all_commands
    from leafmark.cli.completion import completion_script

    call.console.write(completion_script(call.words[0], all_commands()))
    return 0


COMMAND = Command(
    name="completion",
    summary="print a script that completes commands and options in a shell",
    description="Completes commands, options and the values that an option takes.",
    examples=(
        ("source <(leafmark completion bash)", "in ~/.bashrc"),
        ("source <(leafmark completion zsh)", "in ~/.zshrc, after compinit"),
        ("leafmark completion fish | source", "in ~/.config/fish/config.fish"),
    ),
    run=run,
    argument=Argument("SHELL", "bash, zsh or fish.", 1, 1, choices=("bash", "zsh", "fish")),
)
