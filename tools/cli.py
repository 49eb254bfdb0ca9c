# SPDX-License-Identifier: Apache-2.0
"""The command `rvtrace`, with options made from the words that each command declares.

    rvtrace check out                          a capture of `rvtrace capture`; the same as --in out and as IN=out
    rvtrace run sort --ip etrace --xlen 32

`make <command> NAME=value` calls it with the words as they are. A command is a module of rvtrace.tools with
`main(words)`, and `known(words)` or `WORDS`, from name to help; it is loaded only when it runs, or shows its help.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import get_completion_class

from rvtrace.jobs import front
from rvtrace.jobs.arguments import ArgumentError, main_guard
from rvtrace.tools.from_make import RENAMED

CHECK, LOOK, RUN, OURS = "Check your IP", "Look into a trace", "Simulate", "This project"
SHELLS = ("bash", "zsh", "fish")
_GIVEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=", re.ASCII)


@dataclass(frozen=True)
class Command:
    """A command. kinds: of a command that is several, the module of each kind, the first of which is meant if none is
    named. turned: words that make it another module.
    """

    name: str
    group: str
    what: str
    module: str = ""
    kinds: Mapping[str, str] = field(default_factory=dict)
    turned: Mapping[str, str] = field(default_factory=dict)

    @property
    def places(self) -> tuple[str, ...]:
        """The words that are given without their names, in this order."""
        return front.PLACES.get(self.name, ())

    @property
    def works(self) -> bool:
        """Whether some of it works here."""
        return is_checkout() or bool({self.module or self.name, *self.kinds.values(), *self.turned.values()} & ALONE)

    def chosen(self, words: list[str]) -> tuple[Any, list[str]]:
        """The module for these words, and the words for it; ArgumentError for a kind that is not known, or needs a
        checkout where there is none.
        """
        name, words = self._named(words)
        if name not in ALONE and not is_checkout():
            raise ArgumentError(f"this of `rvtrace {self.name}` needs a checkout of the project, not the package alone")
        return import_module(f"rvtrace.tools.{name}"), words

    def _named(self, words: list[str]) -> tuple[str, list[str]]:
        if not self.kinds:
            turned = (module for word, module in self.turned.items() if value_of(words, word))
            return next(turned, self.module or self.name), words
        kind = value_of(words, "KIND") or next(iter(self.kinds))
        if kind not in self.kinds:
            near = get_close_matches(kind, self.kinds, 1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise ArgumentError(f"KIND={kind} is none of {self.name}; {hint}give KIND={' or '.join(self.kinds)}")
        return self.kinds[kind], [w for w in words if not w.startswith("KIND=")]

    def known(self, words: list[str]) -> dict[str, str]:
        """The words that it takes beside these, from name to help."""
        module, rest = self.chosen(words)
        known = module.known(rest) if hasattr(module, "known") else module.WORDS
        kinds = {"KIND": f"{', '.join(self.kinds)} (default {next(iter(self.kinds))})"} if self.kinds else {}
        return {**kinds, **known}


# Modules that need neither a simulator nor a checkout.
ALONE = frozenset(("check", "compare", "view", "decode", "capture_loading", "new_profile", "new_goals"))
COMMANDS = (
    Command("check", CHECK, "An IP in the testbench, or a captured trace: a compliance report"),
    Command("doctor", CHECK, "What this machine or an IP's description lacks, and what to do"),
    Command("new", CHECK, "Begin a description: of an IP, a core, a hart (tandem verifier), or the goals of a sign-off",
            kinds={"dut": "new_dut", "core": "new_core", "profile": "new_profile", "goals": "new_goals"}),
    Command("compare", CHECK, "What changed between two compliance reports"),
    Command("report", CHECK, "The page about all results; LIST=results lists them, KEEP=30d removes old ones",
            turned={"KEEP": "report_kept"}),
    Command("view", LOOK, "A trace as one HTML page: timeline, calls, bytes, messages, instructions, findings"),
    Command("decode", LOOK, "A trace as text: messages and instructions, a profile, or coverage"),
    Command("capture", LOOK, "Run a program and keep the trace as files", turned={"LOAD": "capture_loading"}),
    Command("run", RUN, "One run, or without a program the main job"),
    Command("regress", RUN, "Many random seeds of all systems, resumable, also on a cluster"),
    Command("cover", RUN, "Close the coverage"),
    Command("core", RUN, "Programs on a real core, with tandem verification", turned={"SET": "core_programs"}),
    Command("list", RUN, "Programs and devices; scenarios, tests and options by name"),
    Command("programs", RUN, "Build and record published programs"),
    Command("test", OURS, "The tests of this project", "suite"),
    Command("lint", OURS, "Linters of the RTL and of the Python"),
    Command("mutate", OURS, "Bugs in the RTL of a system, a device or a core: does a check find each?",
            kinds={"random": "mutate_random", "written": "mutate_written", "devices": "mutate_devices",
                   "core": "mutate_core"}),
    Command("figures", OURS, "Measure speed, area, trace sizes or long runs",
            kinds={"speed": "figures_speed", "area": "figures_area", "sizes": "figures_sizes",
                   "scale": "figures_scale"}),
    Command("oracle", OURS, "Record what another implementation answers, and compare with it", "oracle_sbi_pmu"),
)  # fmt: skip


def value_of(words: list[str], name: str) -> str:
    """The value of a word, "" if it is not there."""
    return next((word[len(name) + 1 :] for word in words if word.startswith(f"{name}=")), "")


def is_checkout() -> bool:
    """Whether this is a checkout of the project, and not an installed package."""
    return (Path(__file__).resolve().parents[1] / "Makefile").is_file()


def version() -> str:
    """The version, and of a checkout its commit."""
    from importlib import metadata

    found = metadata.version("rvtrace")
    if not is_checkout():
        return found
    root = Path(__file__).resolve().parents[1]
    try:
        said = subprocess.run(
            ["git", "-C", str(root), "describe", "--always", "--dirty"], capture_output=True, text=True, timeout=10
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        said = ""
    return f"{found} (checkout{' ' + said if said else ''})"


class WordsCommand(click.Command):
    """A command of ours as click sees it: its options depend on the words given, such as IP=."""

    def __init__(self, command: Command) -> None:
        super().__init__(command.name, help=command.what, add_help_option=True, no_args_is_help=False)
        self.command = command
        self.known: dict[str, str] = {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Options and words in any order."""
        asked = [arg for arg in args if arg not in ctx.help_option_names]
        front.know({front.word(arg.partition("=")[0]): "" for arg in asked if arg.startswith("--")})
        given, _ = placed(self.command, loose(asked))
        try:
            self.known = self.command.known(given)
        except ArgumentError:
            if not ctx.resilient_parsing:
                raise
        self.params = [*_options(self.known), click.Argument(["given"], nargs=-1, type=click.UNPROCESSED)]
        left = super().parse_args(ctx, switched(args, self.known))
        front.know(self.known)
        return left

    def invoke(self, ctx: click.Context) -> int:
        """Run the module; its exit code."""
        words = [f"{name}={value}" for name in self.known for value in ctx.params.get(name, ())]
        # Empty is not given.
        module, rest = self.command.chosen(placed(self.command, [*words, *ctx.params["given"]], strict=True)[0])
        return module.main(rest) or 0

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """With the words that need no name."""
        places = " ".join(f"[{name}]" for name in self.command.places)
        formatter.write_usage(ctx.command_path, " ".join(filter(None, (places, "[--option value | NAME=value]..."))))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What it takes, each with a line; words of other systems are shown with IP=."""
        rows = [(_shown(name, what), front.spoken(what)) for name, what in self.known.items()]
        with formatter.section("Options"):
            formatter.write_dl([*rows, ("--help", "Show this.")])


def _shown(name: str, what: str) -> str:
    if front.is_make():
        return f"{name}="
    if what.startswith("1: "):
        return front.option(name)
    if what.startswith("0: "):
        return front.option(f"no-{name}")
    return f"{front.option(name)} <{name.lower()}>"


def _options(known: Mapping[str, str]) -> list[click.Parameter]:
    return [click.Option([front.option(name), name], multiple=True, help=what) for name, what in known.items()]


def loose(args: list[str]) -> list[str]:
    """Options as words as far as that is possible without knowing which they are: what decides which are known."""
    words, rest = [], list(args)
    while rest:
        arg = rest.pop(0)
        if not arg.startswith("--") or arg == "--":
            words.append(arg)
            continue
        name, equals, value = arg.partition("=")
        if not equals:
            value = rest.pop(0) if rest and not rest[0].startswith("-") else "1"
        words.append(f"{front.word(name)}={value}")
    return words


def switched(args: list[str], known: Mapping[str, str]) -> list[str]:
    """Switches with their values: `--waves` as `--waves=1`, `--no-exact` as `--exact=0`."""
    out: list[str] = []
    for place, arg in enumerate(args):
        name = front.word(arg)
        after = args[place + 1] if place + 1 < len(args) else ""
        if not arg.startswith("--") or "=" in arg:
            out.append(arg)
        elif name in known and front.is_switch(known[name]) and after not in ("0", "1"):
            out.append(f"{arg}=1")
        elif name not in known and name.startswith("NO_") and front.is_switch(known.get(name[3:], "")):
            out.append(f"{front.option(name[3:])}=0")
        else:
            out.append(arg)
    return out


def placed(command: Command, given: list[str], strict: bool = False) -> tuple[list[str], list[str]]:
    """The words, those without a name by their places; and the names of the places that were used. strict:
    ArgumentError for one too many.
    """
    words, places = [], iter(command.places)
    used: list[str] = []
    for word in given:
        if _GIVEN.match(word):
            words.append(word)
            continue
        name = next(places, None)
        if name is not None:
            used.append(name)
            words.append(f"{name}={word}")
        elif strict:
            raise ArgumentError(_one_too_many(command, word))
    return words, used


def _one_too_many(command: Command, word: str) -> str:
    known = command.known([])
    near = get_close_matches(word.upper().replace("-", "_"), known, 1)
    hint = f"did you mean {near[0]}=? " if near else ""
    takes = " and ".join(command.places) or "no word"
    return f"{word} has no name; {hint}`rvtrace {command.name}` takes {takes} without one, the others as NAME=value"


class Front(click.Group):
    """All commands, by group."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in the order of the help."""
        return [one.name for one in available()] + ["completion"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name; ArgumentError if there is none."""
        if cmd_name == "completion":
            return completion
        found = _by_name().get(cmd_name)
        if found is None:
            near = get_close_matches(cmd_name, _by_name(), 1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise ArgumentError(
                f"rvtrace has no command {cmd_name}; {renamed(cmd_name) or hint}it has {', '.join(_by_name())}"
            )
        return WordsCommand(found)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Groups with their commands."""
        for group in (CHECK, LOOK, RUN, OURS):
            if rows := [(one.name, one.what) for one in available() if one.group == group]:
                with formatter.section(group):
                    formatter.write_dl(rows)


def available() -> list[Command]:
    """The commands that work here."""
    return [one for one in COMMANDS if one.works]


def _by_name() -> dict[str, Command]:
    return {one.name: one for one in COMMANDS}


def renamed(name: str) -> str:
    """What to type in place of a command that had another name; "" if it never was one."""
    return f"it is `rvtrace {RENAMED[name]}` now; " if name in RENAMED else ""


@click.command(help="Print what a shell needs to complete commands and options: `rvtrace completion bash`.")
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print it."""
    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(group, {}, "rvtrace", "_RVTRACE_COMPLETE").source())


def _print_version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"rvtrace {version()}")
        ctx.exit()


group = Front(
    "rvtrace",
    help="Verify RISC-V trace IP: E-Trace, N-Trace, tandem trace, CTR and counters.",
    epilog="`rvtrace COMMAND --help` lists the options of a command. Options can be written as words too: IP=etrace is "
    "--ip etrace.",
    params=[
        click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
                     help="The version.")
    ],
)  # fmt: skip


def run(argv: list[str]) -> int:
    """Run a command; ArgumentError if its words cannot be used."""
    if argv == ["help"]:
        argv = ["--help"]
    try:
        return group.main(argv, "rvtrace", standalone_mode=False) or 0
    except click.NoSuchOption as error:
        near = f"did you mean {' or '.join(sorted(error.possibilities))}? " if error.possibilities else ""
        where = f"`{error.ctx.command_path} --help`" if error.ctx else "--help"
        raise ArgumentError(f"there is no option {error.option_name}; {near}{where} lists them") from None
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.ClickException as error:
        text = error.format_message()
        raise ArgumentError(f"{text[:1].lower()}{text[1:].rstrip('.')}; `rvtrace --help` shows how") from None


def main() -> None:
    """The command `rvtrace`: runs `sys.argv` and exits. A `make` that it is started from, as by a test, is not its
    user's.
    """
    os.environ[front.FRONT] = "rvtrace"
    main_guard(run)


if __name__ == "__main__":  # by make, which has said so
    os.environ.setdefault(front.FRONT, "rvtrace")
    main_guard(run)
