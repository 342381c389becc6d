"""Twelve people, and what other tools made of them, as they printed it."""

from __future__ import annotations

import io

import pandas as pd

import optanon as oa

PEOPLE = """id,age,city,disease
p01,21,Oslo,flu
p02,23,Oslo,cold
p03,28,Rome,flu
p04,30,Rome,asthma
p05,34,Bari,cold
p06,37,Oslo,flu
p07,40,Bari,asthma
p08,42,Bari,cold
p09,45,Rome,flu
p10,51,Oslo,asthma
p11,55,Oslo,flu
p12,58,Rome,cold
"""

CITIES = "Oslo;north;*\nRome;south;*\nBari;south;*\n"

PROBLEM = """table: people.csv
respondent: id
quasi_identifiers:
  age: numeric
  city: {kind: taxonomy, hierarchy: city.csv}
sensitive: disease
policy:
  requirements:
    - k_c_anonymity: {k: 3}
"""

ANONYPY = """age,city,disease,count
['21-37'],['Oslo'],cold,1
['21-37'],['Oslo'],flu,2
['28-34'],"['Bari,Rome']",asthma,1
['28-34'],"['Bari,Rome']",cold,1
['28-34'],"['Bari,Rome']",flu,1
['40-45'],"['Rome,Bari']",asthma,1
['40-45'],"['Rome,Bari']",cold,1
['40-45'],"['Rome,Bari']",flu,1
['51-58'],"['Oslo,Rome']",asthma,1
['51-58'],"['Oslo,Rome']",cold,1
['51-58'],"['Oslo,Rome']",flu,1
"""
"""anonypy 0.2.1: anonymize_k_anonymity(k=3), its rows as a frame, to_csv."""

ANJANA = """id,age,city,disease
*,"[20, 40)",north,flu
*,"[20, 40)",north,cold
*,"[20, 40)",south,flu
*,"[20, 40)",south,asthma
*,"[20, 40)",south,cold
*,"[20, 40)",north,flu
*,"[20, 40)",south,asthma
*,"[40, 60)",south,cold
*,"[40, 60)",south,flu
*,"[40, 60)",north,asthma
*,"[40, 60)",north,flu
*,"[40, 60)",south,cold
"""
"""ANJANA 1.2.3: k_anonymity(k=2), ages by its own generate_intervals: 40 is in "[20, 40)"."""

ANJANA_SUPPRESSED = """index,id,age,city,disease
0,*,"[20, 40)",north,flu
1,*,"[20, 40)",north,cold
2,*,"[20, 40)",south,flu
3,*,"[20, 40)",south,asthma
4,*,"[20, 40)",south,cold
5,*,"[20, 40)",north,flu
6,*,"[20, 40)",south,asthma
7,*,"[40, 60)",south,cold
8,*,"[40, 60)",south,flu
11,*,"[40, 60)",south,cold
"""
"""The same with k=3 and up to 20 % suppressed: rows 9 and 10 are left out."""

ARX = """disease;city;age
flu;Oslo;[20, 40[
cold;Oslo;[20, 40[
flu;Oslo;[20, 40[
flu;{Rome, Bari};[20, 40[
asthma;{Rome, Bari};[20, 40[
cold;{Rome, Bari};[20, 40[
asthma;{Rome, Bari};>=40
cold;{Rome, Bari};>=40
flu;{Rome, Bari};>=40
cold;{Rome, Bari};>=40
asthma;*;*
flu;*;*
"""
"""In ARX's notation: half-open intervals, one open to the top, two suppressed records."""

SDCMICRO = """age,city,disease
"(20,38]",Oslo,flu
"(20,38]",Oslo,cold
"(20,38]",Oslo,flu
"(20,38]",NA,flu
"(20,38]",NA,asthma
"(20,38]",NA,cold
"(38,58]",NA,asthma
"(38,58]",NA,cold
"(38,58]",NA,flu
"(38,58]",NA,asthma
"(38,58]",NA,flu
"(38,58]",NA,cold
"""
"""In sdcMicro's notation: intervals of R's cut, local suppression as NA."""


def frame(text: str, delimiter: str = ",") -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text), sep=delimiter)


def people() -> oa.Microdata:
    cities = oa.Hierarchy(tuple(tuple(line.split(";")) for line in CITIES.split()))
    return oa.Microdata.from_frame(
        frame(PEOPLE),
        respondent="id",
        quasi_identifiers={"age": "numeric", "city": cities},
        sensitive="disease",
    )


def problem(k: int = 3, **limits: float) -> oa.Problem:
    policy = oa.Policy([oa.KCAnonymity(k=k)], ["information_loss"], max_suppressed=limits.get("suppressed"))
    return oa.Problem(table=people(), policy=policy)
