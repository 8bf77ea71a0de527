"""Shell scripts that complete commands, options and their choices, made from the tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leafmark.cli.options import Command, Option

__all__ = ["SHELLS", "completion_script"]


def completion_script(shell: str, commands: Sequence[Command]) -> str:
    """Return the script for a shell of `SHELLS`."""
    return SHELLS[shell](commands)


def _names(command: Command) -> str:
    return "|".join((command.name, *command.aliases))


def _all_names(commands: Sequence[Command]) -> str:
    return " ".join(name for command in commands for name in (command.name, *command.aliases))


def _spellings(command: Command) -> str:
    return " ".join(name for option in command.all_options for name in option.names)


def _bash(commands: Sequence[Command]) -> str:
    cases, values = [], []
    for command in commands:
        words = [_spellings(command)]
        if command.argument and command.argument.choices:
            words.append(" ".join(command.argument.choices))
        cases.append(f'        {_names(command)}) words="{" ".join(words)}" ;;')
        values += [
            f'        {name}:{spelling}) words="{" ".join(option.choices)}" ;;'
            for option in command.all_options
            if option.choices
            for name in (command.name, *command.aliases)
            for spelling in option.names
        ]
    return f"""# bash completion for leafmark; in ~/.bashrc: source <(leafmark completion bash)
_leafmark() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    local command="" words="" at
    # bash takes --mode=value apart at the sign, unless COMP_WORDBREAKS was changed
    if [[ $before == "=" ]]; then
        before=${{COMP_WORDS[COMP_CWORD-2]}}
    elif [[ $word == "=" ]]; then
        word=""
    fi
    for ((at = 1; at < COMP_CWORD; at++)); do
        case ${{COMP_WORDS[at]}} in
        -C | --directory | --color)
            [[ ${{COMP_WORDS[at+1]}} == "=" ]] && ((at++))
            ((at++))
            ;;
        -*) ;;
        *) command=${{COMP_WORDS[at]}}; break ;;
        esac
    done
    case $command:$before in
{chr(10).join(values)}
        *) case $command in
        "") words="{_all_names(commands)} --help --version" ;;
{chr(10).join(cases)}
        esac ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o bashdefault -o default -F _leafmark leafmark
"""


def _zsh(commands: Sequence[Command]) -> str:
    summaries = "\n".join(
        f"        {_quoted(f'{name}:{command.summary}')}"
        for command in commands
        for name in (command.name, *command.aliases)
    )
    cases = "\n".join(
        f"        {_names(command)}) _arguments -s {_zsh_specs(command)} ;;" for command in commands
    )
    return f"""#compdef leafmark
# zsh completion for leafmark; in ~/.zshrc: source <(leafmark completion zsh)
_leafmark() {{
    local -a commands
    commands=(
{summaries}
    )
    while ((CURRENT > 3)) && [[ $words[2] == (-C|--directory|--color) ]]; do
        words[2,3]=()
        ((CURRENT -= 2))
    done
    while ((CURRENT > 2)) && [[ $words[2] == -* ]]; do
        words[2]=()
        ((CURRENT--))
    done
    if ((CURRENT == 2)); then
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    ((CURRENT--))
    case $command in
{cases}
    esac
}}
compdef _leafmark leafmark
"""


def _zsh_specs(command: Command) -> str:
    specs = [_zsh_spec(option, name) for option in command.all_options for name in option.names]
    if command.argument:
        known = command.argument.choices
        specs.append(
            _quoted(f"*:{command.argument.name}:({' '.join(known)})" if known else "*:file:_files")
        )
    return " ".join(specs)


def _zsh_spec(option: Option, name: str) -> str:
    told = option.help.replace("[", "(").replace("]", ")").replace(":", "\\:")
    repeated = "*" if option.repeat else ""
    if option.metavar is None:
        return _quoted(f"{repeated}{name}[{told}]")
    values = f"({' '.join(option.choices)})" if option.choices else ""
    if option.metavar == "DIR":
        values = "_files -/"
    return _quoted(f"{repeated}{name}[{told}]:{option.metavar}:{values}")


def _fish(commands: Sequence[Command]) -> str:
    lines = ["# fish completion for leafmark; leafmark completion fish | source"]
    for command in commands:
        lines += [
            f"complete -c leafmark -n __fish_use_subcommand -a {name} -d {_quoted(command.summary)}"
            for name in (command.name, *command.aliases)
        ]
        seen = f"-n '__fish_seen_subcommand_from {command.name} {' '.join(command.aliases)}'"
        lines += [f"complete -c leafmark {seen} {_fish_option(one)}" for one in command.all_options]
        if command.argument and command.argument.choices:
            lines.append(
                f"complete -c leafmark {seen} -f -a {_quoted(' '.join(command.argument.choices))}"
            )
    return "\n".join(lines) + "\n"


def _fish_option(option: Option) -> str:
    names = [
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
    ]
    value = ""
    if option.choices:
        value = f" -x -a {_quoted(' '.join(option.choices))}"
    elif option.metavar:
        value = " -r" if option.metavar == "DIR" else " -x"
    return f"{' '.join(names)}{value} -d {_quoted(option.help)}"


def _quoted(text: str) -> str:
    """Text in single quotes, as bash, zsh and fish all read it."""
    return "'" + text.replace("'", "’") + "'"


SHELLS: dict[str, Callable[[Sequence[Command]], str]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
