"""The report: one page, no requests, no ids, true figures, drawn by a real browser."""

import json
import re
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from command_line import run

import optanon as oa
from optanon.instances import catalog
from optanon.instances.problem_file import load_problem
from optanon.models.categories import Categories, Ordered
from optanon.models.errors import ProblemFileError
from optanon.models.hierarchy import Hierarchy
from optanon.models.numeric import Numeric
from optanon.models.requirements import registered
from optanon.solver.insight.comparison.comparing import compare
from optanon.solver.insight.report.facts import facts
from optanon.solver.insight.report.page import report_page
from optanon.solver.insight.report.sentences import (
    PROMISES,
    attack_in_words,
    promise_in_words,
    verdict_in_words,
)
from optanon.solver.insight.report.spread import spread
from optanon.solver.insight.report.told import told
from optanon.solver.price import Price
from optanon.solver.search import solve_problem

RELEASE_2 = catalog.path("hospital") / "release-2.yaml"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    assert run("solve", RELEASE_2, "-q", folder=folder).returncode == 0
    return folder / "release-2.result.json"


def page_of(path: Path) -> str:
    answer = run("report", path, "--problem", RELEASE_2, "--force", folder=path.parent)
    assert answer.returncode == 0, answer.stderr
    return path.with_suffix(".html").read_text(encoding="utf-8")


def test_page_is_whole_and_asks_for_nothing(solved):
    page = page_of(solved)
    assert not re.search(r"<(script|link|iframe|img)\b|@import|url\((?!#)|\bsrc=", page)
    assert not [link for link in re.findall(r'href="([^"]*)"', page) if not link.startswith("#")]
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))
    targets = set(re.findall(r'(?:href="#|url\(#)([^")]+)', page))
    assert targets <= set(identifiers)


def test_page_names_no_respondent_and_says_what_was_published(solved):
    problem = load_problem(RELEASE_2)
    page = page_of(solved)
    for member in problem.table.members:
        assert member.respondent not in page
    assert "[35,42]" in page
    assert "weak_m_invariance(m=3)" in page
    assert "75/7" in page
    assert "not\ndifferential privacy" in page
    assert "of its information lost" in page


def test_facts_add_up():
    problem = load_problem(RELEASE_2)
    result = solve_problem(problem)
    assert result.release is not None
    found = facts(problem, result.release)
    assert json.loads(json.dumps(found)) == {
        **found,
        "loss_per_tuple": [list(x) for x in found["loss_per_tuple"]],
    }
    loss = sum(Fraction(share) for share in found["loss_by_attribute"].values())
    assert loss == result.objective[1]
    assert sum(Fraction(each) * count for each, count in found["loss_per_tuple"]) == loss
    assert sum(int(size) * count for size, count in found["group_sizes"].items()) == 6
    for attribute in found["spreads"]:
        assert sum(attribute["original"]) == 6
        assert sum(attribute["released"]) == pytest.approx(6)
    assert [entry["release"] for entry in found["series"]] == [1, 2]
    assert {(r["release"], r["attack"], r["at_risk"]) for r in found["risks"]} >= {
        (2, "everything at once", 0)
    }
    assert not any(member.respondent in json.dumps(found) for member in problem.table.members)


def spread_of(domain, values, groups):
    """Distribution of one column grouped as told (indices of rows)."""
    import pandas as pd

    frame = pd.DataFrame(
        {"id": range(len(values)), domain.name: values, "s": [f"v{i}" for i in range(len(values))]}
    )
    table = oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={domain.name: domain}, sensitive="s"
    )
    problem = oa.Problem(table=table, policy=oa.Policy([oa.KCAnonymity(k=1, c=1)]))
    return spread(domain, 0, problem.assemble(groups))


def test_spread_of_numbers_is_even_over_the_interval():
    domain = Numeric(name="x", lo=Fraction(0), hi=Fraction(3))
    found = spread_of(domain, [0, 1, 2, 3], [[0, 1, 2, 3]])
    assert (found["labels"], found["original"]) == (["0", "1", "2", "3"], [1, 1, 1, 1])
    assert found["released"] == pytest.approx([1, 1, 1, 1])
    found = spread_of(domain, [0, 0, 1, 3], [[0, 1, 2], [3]])
    assert found["original"] == [2, 1, 0, 1]
    assert found["released"] == pytest.approx([1.5, 1.5, 0, 1])


def test_spread_of_numbers_in_many_steps_has_twelve_bins():
    domain = Numeric(name="x", lo=Fraction(0), hi=Fraction(1200))
    found = spread_of(domain, [0, 100, 650, 1200], [[0, 1], [2], [3]])
    assert len(found["labels"]) == 12
    assert found["original"] == [1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    assert found["released"] == pytest.approx([2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])


def test_spread_of_a_single_point_and_of_one_category():
    point = Numeric(name="x", lo=Fraction(5), hi=Fraction(5))
    assert spread_of(point, [5, 5], [[0, 1]])["released"] == [2.0]
    alone = Ordered(name="x", categories=("only",))
    assert spread_of(alone, ["only", "only"], [[0, 1]])["released"] == [2.0]


def test_spread_of_categories_is_even_over_leaves_and_rare_ones_are_put_together():
    ordered = Ordered(name="x", categories=("a", "b", "c"))
    found = spread_of(ordered, ["a", "b", "c", "c"], [[0, 1], [2, 3]])
    assert found["original"] == [1, 1, 2]
    assert found["released"] == pytest.approx([1, 1, 2])
    flat = Categories(name="x", hierarchy=Hierarchy.flat([f"c{i:02}" for i in range(20)]))
    found = spread_of(flat, ["c00", "c00", "c19", "c18"], [[0, 1], [2, 3]])
    assert len(found["labels"]) == 16
    assert found["labels"][-1] == "all others"
    assert sum(found["original"]) == 4
    assert sum(found["released"]) == pytest.approx(4)


def test_a_result_without_release_and_other_files_are_refused(tmp_path):
    (tmp_path / "other.json").write_text('{"a": 1}', encoding="utf-8")
    answer = run("report", "other.json", "-p", RELEASE_2, folder=tmp_path)
    assert answer.returncode == 2
    assert "REFUSED: other.json: the certificate is of format unknown" in answer.stderr
    answer = run("report", "missing.json", "-p", RELEASE_2, folder=tmp_path)
    assert answer.returncode == 2
    assert "missing.json" in answer.stderr
    problem = load_problem(RELEASE_2)
    strict = oa.Problem(table=problem.table, policy=oa.Policy([oa.KCAnonymity(k=7)]))
    with pytest.raises(ProblemFileError, match="no release to report on: the result is INFEASIBLE"):
        oa.write_report(solve_problem(strict), strict, tmp_path / "page.html")
    assert not list(tmp_path.glob("*.html"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: record["certificate"].update(status="FEASIBLE"), "disagree about the status"),
        (
            lambda record: (
                record.update(status="FEASIBLE"),
                record["certificate"].update(status="FEASIBLE"),
            ),
            "the status is FEASIBLE",
        ),
        (lambda record: record["objective"][1].update(value="1"), "disagree about the values"),
        (lambda record: record["objective"][1].update(loss="discernibility"), "disagree about the losses"),
        (lambda record: record.update(facts={}), "facts"),
    ],
)
def test_a_forged_result_is_no_report(solved, tmp_path, change, message):
    record = json.loads(solved.read_text(encoding="utf-8"))
    change(record)
    forged = tmp_path / "forged.result.json"
    forged.write_text(json.dumps(record), encoding="utf-8")
    answer = run(
        "report", forged, "-p", RELEASE_2, "-r", solved.with_name("release-2.release.csv"), folder=tmp_path
    )
    assert answer.returncode == 2
    assert "REFUSED" in answer.stderr
    assert message in answer.stderr
    assert not list(tmp_path.glob("*.html"))


@pytest.fixture(scope="module")
def shown():
    """What was verified of a release, and its facts."""
    problem = load_problem(RELEASE_2)
    result = solve_problem(problem)
    assert result.certificate is not None
    assert result.release is not None
    return told(result.certificate, problem, result.release), facts(problem, result.release)


def test_a_comparison_of_several_problems_is_no_part_of_a_report(shown, compared):
    with pytest.raises(ProblemFileError, match="not of one problem"):
        report_page(*shown, comparison={"problems": {}})
    with pytest.raises(ProblemFileError, match="not have as many cells"):
        report_page(*shown, comparison={**compared, "rows": [["mondrian"]]})


def test_a_comparison_is_part_of_a_report(shown, compared):
    assert "subsets OPTIMAL" in report_page(*shown, comparison=compared)


@pytest.fixture(scope="module")
def compared():
    """What `optanon compare --json` writes of the problem that `shown` is of."""
    return compare(load_problem(RELEASE_2), "none", queries=0).to_dict()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tuples": 8}, "rows 8, not 6"),
        ({"release": 1}, "release 1, not 2"),
        ({"requirements": ["k_anonymity(k=2)"]}, r"requirements k_anonymity\(k=2\), not weak_m_invariance"),
        ({"minimize": ["discernibility"]}, "minimize discernibility, not"),
        ({"policy": "0" * 64}, "another policy"),
        ({"reference": {"optimum": ["1/2"]}}, "another table"),
        ({"reference": {"optimum": ["0", "1000"]}}, "another table"),
    ],
)
def test_a_comparison_of_another_problem_is_no_part_of_a_report(shown, compared, change, message):
    with pytest.raises(ProblemFileError, match=f"of another problem than the result: .*{message}"):
        report_page(*shown, comparison={**compared, **change})


def test_words_of_the_table_cannot_become_markup(shown):
    said, found = shown
    found = json.loads(json.dumps(found))
    found["sensitive"] = "<script>alert(1)</script>"
    found["spreads"][0]["labels"][0] = "$<i>&"
    found["spreads"][0]["attribute"] = r"$\frac{$<b>"
    levels = (replace(said.levels[0], name="<script>"), *said.levels[1:])
    page = report_page(replace(said, levels=levels), found)
    assert "<script" not in page
    assert "<i>" not in page
    assert r"$\frac{$&lt;b&gt;" in page
    assert "default-src 'none'" in page  # and were there script, it would not run


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: apt-get install chromium)")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_draws_every_chart_without_a_complaint(solved, scheme, tmp_path):
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install optanon[browser]")
    page_of(solved)
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(color_scheme=scheme, viewport={"width": 1100, "height": 900})
        said, asked = [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(solved.with_suffix(".html").as_uri())
        boxes = [figure.bounding_box() for figure in page.locator("figure svg").all()]
        (ink,) = page.evaluate(
            "[...new Set([...document.querySelectorAll('svg text')].map(t => getComputedStyle(t).fill))]"
        )
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        overflow = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        browser.close()
    assert said == []
    assert asked == [solved.with_suffix(".html").as_uri()]
    assert len(boxes) == 8  # the course of the search is in no file
    assert all(box["width"] > 200 and box["height"] > 60 for box in boxes)
    assert overflow <= 0

    def light(colour):
        return sum(int(part) for part in re.findall(r"\d+", colour)[:3])

    assert (light(paper) > light(ink)) == (scheme == "light")


WIDE, HIGH = 680, 1009
"""A sheet of A4 without its margins of 15 mm, in pixels of print (96 to the inch)."""
CUT = """([wide, high]) => [...document.querySelectorAll('body *')].filter(each => {
  const box = each.getBoundingClientRect();
  const whole = each.matches('figure, tr, p, li, h1, h2, h3');
  return box.right > wide + 1 || box.left < -1 || (whole && box.height > high)
    || (each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX !== 'visible');
}).map(each => each.tagName + ' ' + each.textContent.slice(0, 60))"""
"""What would be cut off at an edge of the sheet, or cannot stay whole on one."""


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: apt-get install chromium)")
def test_the_report_prints_on_pages_and_nothing_is_cut_off(tmp_path):
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install optanon[browser]")
    problem = load_problem(RELEASE_2)
    result = solve_problem(problem)
    oa.write_report(result, problem, tmp_path / "page.html")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDE, "height": HIGH})
        page.goto((tmp_path / "page.html").as_uri())
        page.emulate_media(media="print", color_scheme="dark")  # the dark page prints on white paper
        cut = page.evaluate(CUT, [WIDE, HIGH])
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        hidden = page.evaluate(
            "[...document.querySelectorAll('details table')].filter(t => !t.getClientRects().length).length"
        )
        printed = page.pdf(prefer_css_page_size=True)
        browser.close()
    assert cut == []
    assert paper == "rgb(255, 255, 255)"
    assert hidden == 0
    pages = re.findall(rb"/Type\s*/Page\b", printed)
    assert 3 <= len(pages) <= 12
    assert set(re.findall(rb"/MediaBox\s*\[([^\]]*)\]", printed)) == {b"0 0 594.95996 841.91998"}


def test_the_page_begins_with_what_an_officer_asks(solved):
    page = page_of(solved)
    order = [page.index(f'id="{part}"') for part in ("summary", "pictures", "promise", "risk", "technical")]
    assert order == sorted(order)
    plain, technical = page[: page.index('id="technical"')], page[page.index('id="technical"') :]
    assert not re.search(r"\(\w+=", plain[plain.index("</style>") :]), "no parameters without words"
    assert "in a group with the same 3 or more values" in plain
    assert "even for somebody who knows the value of one other person" in plain
    assert "It reaches nobody; the likeliest value of any person has a probability of 1/3." in plain
    assert "It was not carried out: 2 people of release 1 are not in the new table" in plain
    assert "drop the requirement" not in plain, "nobody asked for it"
    assert "is found by &#39;everything at once&#39; as well" in plain
    assert "<code>m</code> = 3: How many values a group has at least; 1 or more." in technical


def test_promises_say_their_parameters_in_words():
    told = [
        promise_in_words(requirement)
        for requirement in (
            oa.KCAnonymity(k=5, c="1/2"),
            oa.KAnonymity(k=5),
            oa.HcSafety(n=3),
            oa.ResistsInference(max_posterior="1/2", compromised=1),
            oa.SafeCorrelation(attribute="age", l=2, min_confidence=0, max_confidence=1),
        )
    ]
    assert told[0] == (
        "Everybody is in a group of at least 5 rows that look alike, "
        "and no value makes up more than 1/2 of a group."
    )
    assert told[1] == "Everybody is in a group of at least 5 rows that look alike."
    assert str(told[2]).endswith("even for somebody who knows the values of 2 other people.")
    assert "above 1/2, even for somebody who knows the value of one other person" in str(told[3])
    assert told[4] == "Nobody is linked to a value that goes along with age with a probability above 1/2."
    assert set(PROMISES) == set(registered()), "every requirement has its promise in PROMISES"
    bound = promise_in_words(oa.for_attribute(oa.DistinctLDiversity(l=3), "diagnosis"))
    assert bound == "Every group holds at least 3 different values. This holds for diagnosis."
    links = promise_in_words(oa.Geometric(l="3/2", protected_values=["flu"]))
    assert str(links).endswith("with a probability above 2/3.")


def test_python_writes_the_same_page(tmp_path):
    problem = load_problem(RELEASE_2)
    price = Price(value=Fraction(6), bound=Fraction(5), without=Fraction(4))
    oa.write_report(replace(solve_problem(problem), price=price), problem, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Proven optimal" in page
    assert f"as this search found it: {price}." in page


def test_attacks_and_their_verdict_are_told_in_sentences(solved):
    page = page_of(solved)
    assert "Whoever has all 2 releases, and knows who is in the table" in page
    assert "is certain of nobody&#39;s value" in page
    assert "is found again in the next by its quasi-identifiers" in page


def risk(attack, release, at_risk, worst=None, undecided=0):
    return {
        "release": release,
        "attack": attack,
        "at_risk": at_risk,
        "respondents": 9,
        "undecided": undecided,
        "worst": worst,
    }


def test_the_verdict_counts_who_is_disclosed_and_who_is_not_decided():
    risks = [risk("everything at once", 1, 0, "1/2"), risk("everything at once", 2, 3, "1", 2)]
    told = verdict_in_words(risks)
    assert "all 2 releases" in told
    assert "the value of 3 of 9 people; for 2 more this is not known" in told
    assert verdict_in_words([risk("difference(k=2, c=1/2)", 1, 0)]) is None
    assert attack_in_words("difference(k=2, c=1/2)").startswith("A group of one release")
