"""Shell scripts that complete commands, options and their choices, made from the tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leafmark.cli.options import COLORS, COMMON, Command, Option

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
    cases = [_bash_words(command) for command in commands]
    values = [_bash_value("", option) for option in COMMON if option.metavar]
    values += [
        _bash_value(name, option)
        for command in commands
        for option in command.all_options
        if option.metavar
        for name in (command.name, *command.aliases)
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
        *) case $command:$word in
        :*) words="{_all_names(commands)} --help --version" ;;
{chr(10).join(cases)}
        esac ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o bashdefault -o default -F _leafmark leafmark
"""


def _bash_words(command: Command) -> str:
    """What to complete where no option's value stands: options, else words, else files."""
    names, argument = _names(command).split("|"), command.argument
    options = "|".join(f"{name}:-*" if argument else f"{name}:*" for name in names)
    found = [f'        {options}) words="{_spellings(command)}" ;;']
    if argument and argument.choices:
        others = "|".join(f"{name}:*" for name in names)
        found.append(f'        {others}) words="{" ".join(argument.choices)}" ;;')
    return "\n".join(found)


def _bash_value(command: str, option: Option) -> str:
    """What to complete after an option: its choices, folders and files, or nothing."""
    if option.choices:
        then = f'words="{" ".join(option.choices)}"'
    elif option.metavar == "DIR":
        then = ""  # bash completes files where we have no words
    else:
        then = "compopt +o default +o bashdefault 2>/dev/null"
    return f"        {'|'.join(f'{command}:{name}' for name in option.names)}) {then} ;;"


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
    while ((CURRENT > 2)) && [[ $words[2] == -* ]]; do
        if [[ $words[2] == (-C|--directory|--color) ]]; then
            if ((CURRENT == 3)); then
                [[ $words[2] == --color ]] && compadd {" ".join(COLORS)} || _files -/
                return
            fi
            words[2]=()
            ((CURRENT--))
        fi
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
    after = "=" if name.startswith("--") else ""  # its value may follow the sign or a space
    return _quoted(f"{repeated}{name}{after}[{told}]:{option.metavar}:{values}")


_FISH_COMMAND = """# fish completion for leafmark; leafmark completion fish | source
function __leafmark_command --description 'The command on the line, if there is one'
    set -l words (commandline -opc)
    set -l takes_value 0
    for word in $words[2..]
        if test $takes_value = 1
            set takes_value 0
        else if contains -- $word -C --directory --color
            set takes_value 1
        else if not string match -q -- '-*' $word
            echo $word
            return 0
        end
    end
    return 1
end"""


def _fish(commands: Sequence[Command]) -> str:
    before = "complete -c leafmark -n 'not __leafmark_command >/dev/null'"
    lines = [_FISH_COMMAND, f"{before} -f"]
    lines += [f"{before} {_fish_option(option)}" for option in COMMON]
    for command in commands:
        names = (command.name, *command.aliases)
        lines += [f"{before} -a {name} -d {_quoted(command.summary)}" for name in names]
        within = f"complete -c leafmark -n 'contains -- (__leafmark_command) {' '.join(names)}'"
        lines += [f"{within} {_fish_option(one)}" for one in command.all_options]
        if command.argument and command.argument.choices:
            lines.append(f"{within} -f -a {_quoted(' '.join(command.argument.choices))}")
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
