"""The policy as a form: requirements with help on every term, objective, limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from nicegui import ui

from ...instances.bounded import parse_yaml
from ...instances.usual_policy import SensitiveCounts, UsualPolicy, usual_policy
from ...models.errors import PolicyError, ProblemFileError
from ...models.requirement import Scope
from ...models.requirements import registered
from ..terms import Term, TermParameter, loss_names, requirement_terms
from .marks import marked
from .widgets import three_abreast

__all__ = ["PolicyForm"]

HOW = {"again": "again and again: a series of releases", "once": "once"}
"""The question that decides which policy is proposed, as `init` asks it."""
VARY = {"again": "m=2..4", "once": "k=3,5,10"}
"""What a frontier varies of the policy that is proposed."""
ATTRIBUTE = "attribute"
"""Setting that says which of several sensitive columns a requirement protects."""


@dataclass(kw_only=True)
class _Asked:
    """One requirement in the form; parameters as text."""

    term: Term
    given: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def said(self) -> dict[str, str]:
        """What is given, without fields that were left empty."""
        return {key: text.strip() for key, text in self.given.items() if text.strip()}

    @property
    def bindable(self) -> bool:
        """Whether it may be bound to one of several sensitive columns (see `for_attribute`)."""
        kind = registered()[self.term.name]
        return kind.scope is Scope.GROUP and ATTRIBUTE not in (p.name for p in self.term.parameters)


class PolicyForm:
    """State and fields of the policy part; `policy` gives it as a problem file would."""

    def __init__(self) -> None:
        self.terms = {term.name: term for term in requirement_terms()}
        self.how = "again"
        self.counts: SensitiveCounts | None = None
        self.sensitive: list[str] = []
        self.form = "generalized"
        self.max_counterfeits = ""
        self.vary = VARY[self.how]
        self._propose()

    def _propose(self) -> None:
        self.proposed: UsualPolicy = usual_policy(again=self.how == "again", counts=self.counts)
        self.asked = [
            _Asked(term=self.terms[name], given={key: str(value) for key, value in given.items()})
            for name, given in self.proposed.requirements
        ]
        self.minimize = list(self.proposed.minimize)
        self.recoding = self.proposed.recoding
        self.max_suppressed = self.proposed.max_suppressed or ""

    def suit(self, counts: SensitiveCounts | None) -> bool:
        """Propose what suits a table with such sensitive values, unless somebody chose already."""
        chosen = [(asked.term.name, asked.said) for asked in self.asked]
        usual = self.proposed.requirements
        untouched = chosen == [(name, {key: str(v) for key, v in given.items()}) for name, given in usual]
        self.counts = counts
        if untouched:
            self._propose()
        return untouched

    def refresh(self, sensitive: Sequence[str] = ()) -> None:
        """Show the requirements as they are now, for a table with these sensitive columns."""
        self.sensitive = list(sensitive)
        self._requirements.refresh()

    def _answer(self) -> None:
        self.vary = VARY[self.how]
        self._propose()
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

    @property
    def in_words(self) -> str:
        """The requirements and limits, on one line."""
        asked = [
            f"{one.term.name} ({', '.join(f'{name} {text}' for name, text in one.said.items())})"
            for one in self.asked
        ]
        limits = (("left out", self.max_suppressed), ("invented", self.max_counterfeits))
        return ", ".join(
            [*asked, *(f"at most {text.strip()} {what}" for what, text in limits if text.strip())]
        )

    # -- fields ----------------------------------------------------------------------

    def build(self) -> None:
        """Draw the form into the current part of the page."""
        how = ui.select(HOW, value=self.how, label="This table is published", on_change=self._answer)
        marked(how.bind_value(self, "how").classes("w-full max-w-full md:w-96"), "how")
        self._requirements()
        with ui.row().classes("items-center w-full"):
            chosen = ui.select(
                {name: f"{name}: {_plain(term.help)}" for name, term in self.terms.items()},
                label="Add a requirement",
            )
            marked(chosen.classes("grow max-w-full md:max-w-2xl"), "new-requirement")
            add = ui.button("Add", on_click=lambda: self._add(chosen.value)).props("no-caps")
            marked(add, "add-requirement")
        ui.select(
            {name: name.replace("_", " ") for name in loss_names()},
            multiple=True,
            value=self.minimize,
            label="Losses, the most important first",
        ).bind_value(self, "minimize").props("use-chips").classes("w-full")
        with (
            ui.expansion("More").classes("w-full"),
            ui.element("div").classes("grid grid-cols-1 md:grid-cols-2 gap-4 w-full"),
        ):
            ui.input("Rows left out, at most").bind_value(self, "max_suppressed").props(
                'hint="A number of rows, or a share such as 0.05. Empty: none."'
            )
            ui.input("Invented rows, at most").bind_value(self, "max_counterfeits").props(
                'hint="Empty: as many as it takes."'
            )
            ui.select(
                {"generalized": "one table with coarser cells", "anatomized": "two tables joined by group"},
                label="What is published",
            ).bind_value(self, "form")
            ui.select(
                {
                    "multidimensional": "any grouping: loses less",
                    "full_domain": "one level per column: faster, the same everywhere",
                },
                label="How cells are made coarser",
            ).bind_value(self, "recoding")

    @ui.refreshable_method
    def _requirements(self) -> None:
        marked(ui.label(self.proposed.why).classes("opacity-80"), "why")
        ui.label("Every requirement must hold.")
        for asked in self.asked:
            card = ui.card().classes("w-full gap-2").props("flat bordered")
            with marked(card, "requirement", asked.term.name):
                with ui.row().classes("items-center w-full flex-nowrap"):
                    ui.label(asked.term.name).classes("font-semibold")
                    ui.space()
                    remove = ui.button(icon="close", on_click=partial(self._remove, asked))
                    name = asked.term.name
                    marked(remove.props("flat dense"), "remove", name, label=f"remove {name}")
                ui.label(f"{_plain(asked.term.help)} ({asked.term.reference})").classes("text-sm opacity-80")
                self._fields(asked)

    def _fields(self, asked: _Asked) -> None:
        """Fields of what must be given, or is; then all others, folded."""
        shown = [p for p in asked.term.parameters if p.needed or p.name in asked.said]
        folded = [p for p in asked.term.parameters if p not in shown]
        with three_abreast():
            for parameter in shown:
                _field(asked, parameter)
            if asked.bindable and (len(self.sensitive) > 1 or ATTRIBUTE in asked.said):
                _field(asked, _bound_to(self.sensitive))
        if folded:
            with ui.expansion("Optional settings").classes("w-full text-sm"), three_abreast():
                for parameter in folded:
                    _field(asked, parameter)

    def _add(self, name: str | None) -> None:
        if name:
            self.asked.append(_Asked(term=self.terms[name]))
            self._requirements.refresh()

    def _remove(self, asked: _Asked) -> None:
        self.asked.remove(asked)
        self._requirements.refresh()


def _bound_to(sensitive: Sequence[str]) -> TermParameter:
    words = (
        f"Which sensitive column it protects ({', '.join(sensitive)}). Leave it empty for requirements that "
        "look at earlier releases: they protect the combinations."
    )
    return TermParameter(name=ATTRIBUTE, help=words, default=None, needed=False)


def _field(asked: _Asked, parameter: TermParameter) -> None:
    """A field for one parameter, with its help below."""
    unsaid = "optional" if parameter.default is None else f"default {parameter.default}"
    label = parameter.name if parameter.needed else f"{parameter.name} ({unsaid})"
    with ui.element("div"):
        made = ui.input(label, value=asked.given.get(parameter.name, "")).classes("w-full")
        made.on_value_change(lambda event: asked.given.__setitem__(parameter.name, str(event.value)))
        marked(made.props("dense"), f"{asked.term.name}.{parameter.name}")
        ui.label(_plain(parameter.help)).classes("text-xs opacity-80 mt-1")


def _settings(asked: _Asked) -> dict[str, Any]:
    for parameter in asked.term.parameters:
        if parameter.needed and parameter.name not in asked.said:
            raise PolicyError(f"{asked.term.name}: give its parameter {parameter.name}")
    return {
        # A column may be called `on` or `2024`.
        key: text
        if key == ATTRIBUTE and not text.startswith("[")
        else _read(f"{asked.term.name}.{key}", text)
        for key, text in asked.said.items()
    }


def _read(name: str, text: str) -> Any:
    """A parameter as a problem file would have it: 3, 0.5, 1/3, true, [a, b], a word."""
    try:
        return parse_yaml(text, name)
    except ProblemFileError as error:
        raise PolicyError(
            f"{name}: {text[:60]!r} cannot be read: write a number, a word or [a, b]"
        ) from error


def _plain(text: str) -> str:
    return text.replace("``", "").replace("`", "")
