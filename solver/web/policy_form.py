"""The policy as a form: requirements with help on every term, objective, limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import yaml
from nicegui import ui

from ...instances.series_policy import MINIMIZE, series_requirements
from ...models.errors import PolicyError
from ..terms import Term, TermParameter, loss_names, requirement_terms
from .marks import marked

__all__ = ["PolicyForm"]


def _usual(counts: Mapping[str, int] | None = None) -> dict[str, dict[str, str]]:
    """What the form starts with, as `init` does: the right choice for what is published again and again."""
    return {
        name: {key: str(value) for key, value in given.items()}
        for name, given in series_requirements(counts).items()
    }


@dataclass(kw_only=True)
class _Asked:
    """One requirement in the form; parameters as text."""

    term: Term
    given: dict[str, str] = field(default_factory=dict[str, str])


class PolicyForm:
    """State and fields of the policy part; `policy` gives it as a problem file would."""

    def __init__(self) -> None:
        self.terms = {term.name: term for term in requirement_terms()}
        self.asked = [_Asked(term=self.terms[name], given=dict(given)) for name, given in _usual().items()]
        self.minimize = list(MINIMIZE)
        self.form, self.recoding = "generalized", "multidimensional"
        self.max_suppressed = self.max_counterfeits = ""

    def suit(self, counts: Mapping[str, int]) -> bool:
        """Start with what suits a table with such sensitive values, unless somebody chose already."""
        if {asked.term.name: asked.given for asked in self.asked} != _usual():
            return False
        for asked in self.asked:
            asked.given.update(_usual(counts)[asked.term.name])
        return True

    def refresh(self) -> None:
        """Show the requirements as they are now."""
        self._requirements.refresh()

    def policy(self) -> dict[str, Any]:
        """The policy part of a problem file.

        Raises
        ------
        PolicyError
            If nothing is required or a parameter is missing.
        """
        if not self.asked:
            raise PolicyError("the policy has no requirement: add at least one")
        found: dict[str, Any] = {
            "requirements": [{asked.term.name: _settings(asked)} for asked in self.asked],
            "minimize": list(self.minimize),
            "form": self.form,
            "recoding": self.recoding,
        }
        if not self.minimize:
            raise PolicyError("minimize: choose at least one loss")
        for name, text in (
            ("max_suppressed", self.max_suppressed),
            ("max_counterfeits", self.max_counterfeits),
        ):
            if text.strip():
                found[name] = _read(name, text)
        return found

    # -- fields ----------------------------------------------------------------------

    def build(self) -> None:
        """Draw the form into the current part of the page."""
        ui.label("Every requirement must hold; the loss is as small as can be, most important first.")
        self._requirements()
        with ui.row().classes("items-center"):
            chosen = ui.select(
                {name: f"{name}: {_plain(term.help)}" for name, term in self.terms.items()},
                label="Add a requirement",
            ).classes("w-full md:w-96")
            marked(ui.button("Add", on_click=lambda: self._add(chosen.value)), "add-requirement")
            marked(chosen, "new-requirement")
        ui.select(
            list(loss_names()), multiple=True, value=self.minimize, label="Minimize, in this order"
        ).bind_value(self, "minimize").props("use-chips").classes("w-full")
        with ui.expansion("More").classes("w-full"), ui.row().classes("items-center"):
            ui.input("Most suppressed tuples (count or share)").bind_value(self, "max_suppressed").classes(
                "w-72"
            )
            ui.input("Most counterfeits").bind_value(self, "max_counterfeits").classes("w-48")
            ui.select(
                {"generalized": "generalized cells", "anatomized": "two tables (anatomy)"},
                label="What is published",
            ).bind_value(self, "form").classes("w-56")
            ui.select(
                {"multidimensional": "any grouping", "full_domain": "one level per column"}, label="Recoding"
            ).bind_value(self, "recoding").classes("w-56")

    @ui.refreshable_method
    def _requirements(self) -> None:
        for asked in self.asked:
            card = ui.card().classes("w-full").props("flat bordered")
            with marked(card, "requirement", asked.term.name):
                with ui.row().classes("items-center w-full flex-nowrap"):
                    ui.label(asked.term.name).classes("font-semibold")
                    ui.label(f"{_plain(asked.term.help)} ({asked.term.reference})").classes(
                        "text-sm opacity-80"
                    )
                    ui.space()
                    remove = ui.button(icon="close", on_click=partial(self._remove, asked))
                    name = asked.term.name
                    marked(remove.props("flat dense"), "remove", name, label=f"remove {name}")
                with ui.row().classes("items-center"):
                    for parameter in asked.term.parameters:
                        _field(asked, parameter)

    def _add(self, name: str | None) -> None:
        if name:
            self.asked.append(_Asked(term=self.terms[name]))
            self._requirements.refresh()

    def _remove(self, asked: _Asked) -> None:
        self.asked.remove(asked)
        self._requirements.refresh()


def _field(asked: _Asked, parameter: TermParameter) -> None:
    """A field for one parameter, its help shown on it."""
    unsaid = "optional" if parameter.default is None else f"default {parameter.default}"
    label = parameter.name if parameter.needed else f"{parameter.name} ({unsaid})"
    made = ui.input(label, value=asked.given.get(parameter.name, "")).classes("w-56")
    made.on_value_change(lambda event: asked.given.__setitem__(parameter.name, str(event.value)))
    marked(made.props("dense"), f"{asked.term.name}.{parameter.name}")
    words = f"{parameter.kind}. {_plain(parameter.help)}".strip(". ")
    if words:
        made.tooltip(words)


def _settings(asked: _Asked) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for parameter in asked.term.parameters:
        text = asked.given.get(parameter.name, "").strip()
        if text:
            found[parameter.name] = _read(f"{asked.term.name}.{parameter.name}", text)
        elif parameter.needed:
            raise PolicyError(f"{asked.term.name}: give its parameter {parameter.name}")
    return found


def _read(name: str, text: str) -> Any:
    """A parameter as a problem file would have it: 3, 0.5, 1/3, true, [a, b], a word."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise PolicyError(f"{name}: {text!r} cannot be read: write a number, a word or [a, b]") from error


def _plain(text: str) -> str:
    return text.replace("``", "").replace("`", "")
