"""Secret queries: which associations of an identifier and a property are to be protected.

A secret is written as ``SecretQuery`` or in the smallest useful piece of SQL (Wang and
Lakshmanan, section 3.1)::

    select Problem from T where Name = 'George'
    select Problem from T where Name = 'George' and Problem = 'HIV'
    select Name, Problem from T where Problem = 'Cold'

The text is split into tokens and matched against this grammar; nothing of it is executed.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Number

import pandas as pd

from ..errors import PolicyError, TableError

__all__ = ["SecretQuery", "associations", "parse_secret_query", "require_comparable"]

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>'(?:[^']|'')*')
      | (?P<quoted>"(?:[^"]|"")+"|`[^`]+`)
      | (?P<number>-?\d+(?:\.\d+)?(?![\w.]))
      | (?P<word>[^\W\d]\w*)
      | (?P<symbol>[=,;])
    )""",
    re.VERBOSE,
)
_KEYWORDS = frozenset({"select", "from", "where", "and"})
_FORM = "select [ID,] P from T [where ID = 'i' [and P = 'p']]"


@dataclass(frozen=True, kw_only=True)
class SecretQuery:
    """The private association (ID = i, P = p), either value possibly open.

    Parameters
    ----------
    id_attribute, property_attribute
        Two different column names: who, and what is secret about them.
    id_value, property_value
        The values ``i`` and ``p``; None stands for ``*``, every value in the table.

    Raises
    ------
    PolicyError
        If a name is empty or both names are the same.
    """

    id_attribute: str
    property_attribute: str
    id_value: Hashable = None
    property_value: Hashable = None

    def __post_init__(self) -> None:
        if not self.id_attribute or not self.property_attribute:
            raise PolicyError("SecretQuery: id_attribute and property_attribute must name a column")
        if self.id_attribute == self.property_attribute:
            raise PolicyError(
                f"SecretQuery: column {self.id_attribute!r} cannot be both the identifier and"
                " the property; name two columns"
            )

    @property
    def is_association(self) -> bool:
        """Whether both values are given, so that the query means one association."""
        return self.id_value is not None and self.property_value is not None

    def sql(self, table: str = "T") -> str:
        """Write the query as text that `parse_secret_query` reads back.

        Parameters
        ----------
        table
            Name after ``from``.

        Returns
        -------
        str
            The statement, column names quoted.

        Raises
        ------
        PolicyError
            If a value is neither text nor a decimal number and so has no literal.
        """
        columns = (self.id_attribute, self.property_attribute)
        conditions = [
            f"{_quote(column)} = {_literal(value)}"
            for column, value in zip(columns, (self.id_value, self.property_value), strict=True)
            if value is not None
        ]
        where = f" where {' and '.join(conditions)}" if conditions else ""
        return f"select {', '.join(map(_quote, columns))} from {_quote(table)}{where}"


def associations(query: SecretQuery, table: pd.DataFrame) -> tuple[SecretQuery, ...]:
    """List the associations a query means on the base table.

    Parameters
    ----------
    query
        A secret; if both its values are given it is its own single association, whether
        or not the table contains it.
    table
        The base table, with both columns.

    Returns
    -------
    tuple of SecretQuery
        Distinct (identifier, property) pairs selected, in the order of the rows.

    Raises
    ------
    TableError
        If a column is missing or holds another kind of value than the query, or if no row
        is selected: a secret that protects nobody is a slip.
    """
    for column in (query.id_attribute, query.property_attribute):
        if column not in table.columns:
            raise TableError(
                f"column {column!r} of a secret query is not in the table; rename it or the column"
            )
    ids: list[Hashable] = table[query.id_attribute].tolist()
    properties: list[Hashable] = table[query.property_attribute].tolist()
    require_comparable(query.id_attribute, query.id_value, ids)
    require_comparable(query.property_attribute, query.property_value, properties)
    if query.is_association:
        return (query,)
    pairs = dict.fromkeys(
        (i, p)
        for i, p in zip(ids, properties, strict=True)
        if query.id_value in (None, i) and query.property_value in (None, p)
    )
    if not pairs:
        raise TableError(
            f"the secret query on columns {query.id_attribute!r}, {query.property_attribute!r}"
            " selects no row of the table; correct its values or drop it"
        )
    return tuple(replace(query, id_value=i, property_value=p) for i, p in pairs)


def require_comparable(column: str, value: Hashable, cells: Sequence[Hashable]) -> None:
    """Refuse to look for a number among texts or for a text among numbers.

    Such a search finds nothing, and a secret nobody finds would pass for safe.

    Parameters
    ----------
    column
        Name for the message.
    value
        Value searched for; None is always accepted.
    cells
        The column's values.

    Raises
    ------
    TableError
        If no cell is of the value's kind.
    """
    if value is None or not cells:
        return
    kinds = {_kind(cell) for cell in cells}
    if _kind(value) not in kinds:
        raise TableError(
            f"column {column!r} holds {' and '.join(sorted(kinds))} but the secret query asks"
            f" for {_kind(value)}; in SQL texts are quoted ('45') and numbers are not (45)"
        )


def parse_secret_query(text: str) -> SecretQuery:
    """Read a secret query from ``select [ID,] P from T [where … = … [and … = …]]``.

    With one selected column the identifier is the other column named in ``where``; with two
    the first is the identifier. Column names may be quoted with ``"`` or a backquote.

    Parameters
    ----------
    text
        The statement; keywords in any case, one closing semicolon allowed.

    Returns
    -------
    SecretQuery
        Columns without a condition have the value None.

    Raises
    ------
    PolicyError
        If the text is not of this form. The message gives the place, never the text, which
        may hold an identifier.

    Examples
    --------
    >>> parse_secret_query("select Problem from T where Name = 'George'").id_value
    'George'
    """
    reader = _TokenCursor(text)
    reader.keyword("select")
    selected = [reader.name("a column name")]
    while reader.accept(","):
        selected.append(reader.name("a column name"))
    reader.keyword("from")
    reader.name("a table name")
    conditions = _conditions(reader) if reader.accept("where") else {}
    reader.end()
    id_attribute, property_attribute = _roles(selected, conditions)
    return SecretQuery(
        id_attribute=id_attribute,
        property_attribute=property_attribute,
        id_value=conditions.get(id_attribute),
        property_value=conditions.get(property_attribute),
    )


def _conditions(reader: _TokenCursor) -> dict[str, Hashable]:
    """What columns are compared with, after ``where``."""
    conditions: dict[str, Hashable] = {}
    while True:
        column = reader.name("a column name")
        if column in conditions:
            raise PolicyError(f"secret query: column {column!r} is compared twice; keep one condition")
        reader.symbol("=")
        conditions[column] = reader.literal()
        if not reader.accept("and"):
            return conditions


def _roles(selected: list[str], compared: Iterable[str]) -> tuple[str, str]:
    """Which column is the identifier, and which the property."""
    if len(selected) > 2:
        raise PolicyError("secret query: select at most two columns, the identifier and the property")
    others = [column for column in compared if column not in selected]
    if len(selected) == 2 and others:
        raise PolicyError(
            f"secret query: column {others[0]!r} is compared but not selected; compare the two"
            " selected columns only"
        )
    if len(selected) == 1 and len(others) != 1:
        raise PolicyError(
            "secret query: with one selected column, where must compare exactly one other"
            f" column, the identifier; write {_FORM}"
        )
    return (selected[0], selected[1]) if len(selected) == 2 else (others[0], selected[0])


class _TokenCursor:
    """A cursor over the tokens of one statement."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str, int]] = []
        place, end = 0, len(text.rstrip())
        while place < end:
            match = _TOKEN.match(text, place)
            if match is None:
                start = place + len(text[place:]) - len(text[place:].lstrip())
                raise self._error("a name, a number, a quoted text, '=' or ','", start)
            kind = str(match.lastgroup)
            self._tokens.append((kind, match.group(kind), match.start(kind)))
            place = match.end()
        self._tokens.append(("end", "", end))

    @staticmethod
    def _error(expected: str, place: int) -> PolicyError:
        return PolicyError(f"secret query: expected {expected} at character {place + 1}; write {_FORM}")

    def _is(self, word: str) -> bool:
        kind, token, _ = self._tokens[0]
        return kind in ("word", "symbol") and token.lower() == word

    def accept(self, word: str) -> bool:
        """Step over ``word`` if it comes next."""
        found = self._is(word)
        if found:
            del self._tokens[0]
        return found

    def keyword(self, word: str) -> None:
        """Step over a keyword that must come next."""
        if not self.accept(word):
            raise self._error(f"'{word}'", self._tokens[0][2])

    symbol = keyword

    def name(self, expected: str) -> str:
        """Take a column or table name."""
        kind, token, place = self._tokens[0]
        if kind == "quoted":
            name = token[1:-1].replace('""', '"') if token[0] == '"' else token[1:-1]
        elif kind == "word" and token.lower() not in _KEYWORDS:
            name = token
        else:
            raise self._error(expected, place)
        del self._tokens[0]
        return name

    def literal(self) -> Hashable:
        """Take a quoted text or a number."""
        kind, token, place = self._tokens[0]
        if kind not in ("string", "number"):
            raise self._error("a quoted text or a number", place)
        del self._tokens[0]
        if kind == "string":
            return token[1:-1].replace("''", "'")
        return float(token) if "." in token else int(token)

    def end(self) -> None:
        """Check that nothing follows."""
        self.accept(";")
        kind, _, place = self._tokens[0]
        if kind != "end":
            raise self._error("the end of the query (only '=' and 'and' are known)", place)


def _kind(value: Hashable) -> str:
    if isinstance(value, str):
        return "text"
    return "numbers" if isinstance(value, Number) else f"values of type {type(value).__name__}"


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(value: Hashable) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    text = repr(value)
    if isinstance(value, int | float) and re.fullmatch(r"-?\d+(\.\d+)?", text):
        return text
    raise PolicyError(
        f"SecretQuery: a value of type {type(value).__name__} cannot be written in SQL; use text"
        " or a decimal number"
    )
