"""One release in the tables of a store, written and read."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, insert, select

from .codec import Entry, canonical
from .schema import AUDITS, CERTIFICATES, GROUPS, MEMBERSHIPS, RELEASES, SPELLINGS

__all__ = ["newest", "read_entries", "try_to_write", "write_entry"]


def newest(connection: Connection) -> tuple[int, str | None]:
    """Number and digest of the newest release; (0, None) before the first."""
    row = connection.execute(
        select(RELEASES.c.number, RELEASES.c.digest).order_by(RELEASES.c.number.desc()).limit(1)
    ).first()
    return (0, None) if row is None else (int(row[0]), str(row[1]))


def try_to_write(connection: Connection) -> None:
    """Insert a row and take it back: a database that can only be read may well begin to write."""
    row = dict.fromkeys(("digest", "appended", "attributes", "sensitive", "form", "cells"), "")
    inserted = connection.begin_nested()
    connection.execute(insert(RELEASES).values(number=0, **row))
    inserted.rollback()


def write_entry(connection: Connection, number: int, entry: Entry, digest: str) -> None:
    """Insert one release with its memberships, policy, certificate and audit."""
    release = entry.release
    connection.execute(
        insert(RELEASES).values(
            number=number,
            digest=digest,
            appended=entry.appended,
            attributes=canonical(release["attributes"]),
            sensitive=release["sensitive"],
            form=release["form"],
            cells=canonical(release["cells"]),
            policy=None if entry.policy is None else canonical(entry.policy),
        )
    )
    groups: list[dict[str, Any]] = []
    people: list[dict[str, Any]] = []
    for index, group in enumerate(release["groups"], start=1):
        groups.append(
            {
                "release": number,
                "number": index,
                "box": None if group["box"] is None else canonical(group["box"]),
                "counterfeits": canonical(group["counterfeits"]),
                "hidden": canonical(group["hidden"]),
            }
        )
        people += [_person(number, index, member) for member in group["members"]]
    people += [_person(number, None, member) for member in release["suppressed"]]
    for position, person in enumerate(people):
        person["position"] = position
    if groups:
        connection.execute(insert(GROUPS), groups)
    if people:
        connection.execute(insert(MEMBERSHIPS), people)
    if entry.certificate is not None:
        connection.execute(insert(CERTIFICATES).values(release=number, content=canonical(entry.certificate)))
    if entry.audit is not None:
        connection.execute(insert(AUDITS).values(release=number, content=canonical(entry.audit)))
    if entry.spellings is not None:
        connection.execute(insert(SPELLINGS).values(release=number, content=canonical(entry.spellings)))


def read_entries(connection: Connection, above: int) -> list[tuple[int, str, Entry]]:
    """Number, stated digest and content of every release with a number above `above`, oldest first."""
    found: list[tuple[int, str, Entry]] = []
    certificates, audits, spellings = (
        {
            int(number): json.loads(content)
            for number, content in connection.execute(
                select(kept.c.release, kept.c.content).where(kept.c.release > above)
            )
        }
        for kept in (CERTIFICATES, AUDITS, SPELLINGS)
    )
    rows = connection.execute(
        select(RELEASES).where(RELEASES.c.number > above).order_by(RELEASES.c.number)
    ).all()
    for row in rows:
        number = int(row.number)
        groups: dict[int, dict[str, Any]] = {
            int(group.number): {
                "members": list[Any](),
                "counterfeits": json.loads(group.counterfeits),
                "hidden": json.loads(group.hidden),
                "box": None if group.box is None else json.loads(group.box),
            }
            for group in connection.execute(
                select(GROUPS).where(GROUPS.c.release == number).order_by(GROUPS.c.number)
            )
        }
        suppressed: list[Any] = []
        for person in connection.execute(
            select(MEMBERSHIPS).where(MEMBERSHIPS.c.release == number).order_by(MEMBERSHIPS.c.position)
        ):
            member = [person.respondent, json.loads(person.point), person.value]
            place = suppressed if person.group_number is None else groups[person.group_number]["members"]
            place.append(member)
        record = {
            "attributes": json.loads(row.attributes),
            "sensitive": row.sensitive,
            "form": row.form,
            "cells": json.loads(row.cells),
            "groups": list(groups.values()),
            "suppressed": suppressed,
        }
        entry = Entry(
            release=record,
            appended=row.appended,
            policy=None if row.policy is None else json.loads(row.policy),
            certificate=certificates.get(number),
            audit=audits.get(number),
            spellings=spellings.get(number),
        )
        found.append((number, str(row.digest), entry))
    return found


def _person(number: int, group: int | None, member: list[Any]) -> dict[str, Any]:
    who, point, value = member
    return {
        "release": number,
        "group_number": group,
        "respondent": who,
        "point": canonical(point),
        "value": value,
    }
