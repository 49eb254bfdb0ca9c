"""Directed scenarios that are written as a script of what happens at a block's ports: the record of one, and their registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

Configs = tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Scenario:
    """One story. what: in a sentence. clauses: those it is there for. build: makes the rows of a configuration.

    configs: option overrides to run it with; base: those of every configuration. job: overrides of the job.
    """

    name: str
    what: str
    clauses: tuple[str, ...]
    build: Callable[[Any, Random], Any]
    configs: Configs
    job: dict[str, Any] = field(default_factory=dict)
    base: dict[str, Any] = field(default_factory=dict)


class Scenarios(dict[str, Scenario]):
    """The scenarios of one block by name. story: the class of its scripts, made of configuration, generator and `fresh` (without set-up)."""

    def __init__(self, story: Callable[[Any, Random, bool], Any]) -> None:
        super().__init__()
        self.story = story

    def told(self, tell: Callable[[Any], Any], story: Any) -> Any:
        """What a scenario gives: the rows of its script."""
        tell(story)
        return story.rows()

    def scenario(self, *clauses: str, configs: Configs, fresh: bool = False, **job: Any) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
        """Register the decorated function under its name; its docstring's first line is the scenario's `what`."""

        def register(tell: Callable[[Any], Any]) -> Callable[[Any], Any]:
            name = tell.__name__
            if name in self:
                raise ValueError(f"scenario {name} stands twice; give it another name")

            def build(config: Any, rng: Random) -> Any:
                return self.told(tell, self.story(config, rng, fresh))

            what = (tell.__doc__ or "").strip().splitlines()[0]
            self[name] = Scenario(name, what, clauses, build, configs, job)
            return tell

        return register
