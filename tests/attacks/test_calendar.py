"""Attacks on the calendar of a released text: ages from dates, tokens that stayed beside shifted dates, offsets, precision.

Texts go through rules, resolver and masker of a run; what is searched is the masked text.
"""

from __future__ import annotations

import datetime
import functools
import re
import warnings
from pathlib import Path

import pytest

from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.masking.operators.age import Age
from caspipe.annotators.masking.operators.pseudonym import Pseudonym
from caspipe.annotators.masking.operators.shift import Shift
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas, KnownPhi, MaskedSpan, Phi, PhiKind

KEY = "a key for the tests of this file, 32 or more"
PIPELINE = """
engines:
  - known_phi
  - aggregate: {{id: rules, engines: [dates, ages]}}
  - resolver: {{priority: [known_phi, rules]}}
  - masker: {{DATE: {date}, AGE: {{age: {{threshold: 89}}}}, default: placeholder{more}}}
"""
SHIFT = f"{{shift: {{days: [100, 100], key: {KEY!r}}}}}"


@functools.cache
def pipeline(folder: Path, date: str, more: str) -> Pipeline:
    file = folder / f"{len(list(folder.iterdir()))}.yaml"
    file.write_text(PIPELINE.format(date=date, more=more))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the key is written into the configuration
        return Pipeline.load(file).open()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("calendar")


def released(
    folder: Path, text: str, date: str = SHIFT, *, more: str = "", known: dict[str, str] | None = None, **metadata: str
) -> str:
    cas = Cas(text, id="note")
    cas.metadata.update(metadata)
    for kind, value in (known or {}).items():
        cas.add(KnownPhi(kind=PhiKind.of(kind), value=value, role="patient"))
    return pipeline(folder, date, more).process(cas).deidentified


OVER = {
    "DOB: 02/03/1931. Seen 1/2/2024. She is a 92-year-old": "DOB: [DATE]. Seen 11 Apr 2024. She is a [AGE > 89]",
    "DOB: 02/03/31. Seen 1/2/24.": "DOB: [DATE]. Seen 11 Apr 2024.",
    "b. 1931. Seen 1/2/2024.": "b. [DATE]. Seen 11 Apr 2024.",
    "b 2/3/31. Seen 1/2/2024.": "b [DATE]. Seen 11 Apr 2024.",
    "A 1931-born woman. Seen 1/2/2024.": "A [DATE]-born woman. Seen 11 Apr 2024.",
    "(1931-2024)": "([DATE])",
    "*1931, seen 1/2/2024": "*[DATE], seen 11 Apr 2024",
    "geb. 3.4.1931, gesehen 2.1.2024": "geb. [DATE], gesehen 11 May 2024",
    "Born in the 1930s, seen 1/2/2024": "Born in the [DATE], seen 11 Apr 2024",
    "DOB 1931": "DOB [DATE]",
    "DOB '31": "DOB [DATE]",
    "She turned 90 on 3/4/2019. Seen 1/2/2024.": "She turned [AGE > 89] on [DATE]. Seen 11 Apr 2024.",
    "In 2019 came her 90th birthday. Seen 1/2/2024.": "In [DATE] came her [AGE > 89] birthday. Seen 11 Apr 2024.",
    "Age 85 in 2012. Seen 2021.": "[AGE] in 2012. Seen 2021.",
    "In 2012 she was 85. Seen 2021.": "In 2012 she was [AGE]. Seen 2021.",
    "At age 77, 15 years ago, she fell.": "At [AGE], 15 years ago, she fell.",
    "15 years ago, at age 77, she fell.": "15 years ago, at [AGE], she fell.",
    "85-year-old, seen 3/4/2012 and 5/6/2018.": "[AGE], seen 12 Jun 2012 and 14 Aug 2018.",
    "Died 3/4/2024. Born 5/6/1931.": "Died 12 Jun 2024. Born [DATE].",
    "Chart begun 4/5/1925, closed 6/7/2020": "Chart begun [DATE], closed 15 Sep 2020",
    "Lab 4 March 1931, then 5 March 2021.": "Lab [DATE], then 13 Jun 2021.",
    "Hypertension since 1990. Born 1918.": "Hypertension since 1990. Born [DATE].",
    "Retired in 1983 at 65. Born 1918.": "Retired in 1983 at [AGE]. Born [DATE].",
    "Retired in 1983 at 65.": "Retired in 1983 at [AGE].",
    "Born 3/4/1918, married 5/6/1940.": "Born [DATE], married 14 Aug 1940.",
    "Seen March 1995. Born 1918.": "Seen Jun 1995. Born [DATE].",
}
"""Texts from which an age over 89 could be computed, and what is released with an offset of 100 days."""
PAST = {
    "She was 40 when she emigrated in 1955.": "She was [AGE] when she emigrated in 1955.",
    "He was 65 when he retired in 1983.": "He was [AGE] when he retired in 1983.",
    "She was 40 years old when she emigrated in 1955.": "She was [AGE] when she emigrated in 1955.",
    "She emigrated in 1955 at 40.": "She emigrated in 1955 at [AGE].",
    "She emigrated at 40 in 1955.": "She emigrated at [AGE] in 1955.",
    "Aged 40 she emigrated to Canada in 1955.": "[AGE] she emigrated to Canada in 1955.",
    "At the age of 40 she emigrated to Canada in 1955.": "At the [AGE] she emigrated to Canada in 1955.",
    "In 1955 she emigrated, aged 40.": "In 1955 she emigrated, [AGE].",
    "In 1983 she retired, at the age of 65.": "In 1983 she retired, at the [AGE].",
    "A widow since 1955, when he was 40.": "A widow since 1955, when he was [AGE].",
    "She was forty when her husband died in 1955.": "She was [AGE] when her husband died in 1955.",
    "He had been 65 when the factory closed in 1983.": "He had been [AGE] when the factory closed in 1983.",
    "Rosa was 40 when she emigrated in the 1950s.": "Rosa was [AGE] when she emigrated in the 1950s.",
    "The patient was 65 at retirement in 1983.": "The patient was [AGE] at retirement in 1983.",
    "Was 40 when she emigrated in 1955.": "Was [AGE] when she emigrated in 1955.",
    "She was widowed at 40 when her husband died in 1955.": "She was widowed at [AGE] when her husband died in 1955.",
}
"""Sentences of the past whose age and year tell an age over 89 in 2024, and what is released."""


@pytest.mark.attack("age-from-dates")
@pytest.mark.parametrize("text", OVER)
def test_no_age_over_89_can_be_computed(folder: Path, text: str) -> None:
    assert released(folder, text) == OVER[text]


@pytest.mark.attack("age-from-dates")
@pytest.mark.parametrize("sentence", PAST)
def test_an_age_of_the_past_goes_if_its_year_tells_one_over_89(folder: Path, sentence: str) -> None:
    assert released(folder, f"Seen 1/2/2024. {sentence}") == f"Seen 11 Apr 2024. {PAST[sentence]}"
    assert released(folder, f"{sentence} Seen 1/2/2024.") == f"{PAST[sentence]} Seen 11 Apr 2024."


@pytest.mark.attack("age-from-dates")
@pytest.mark.parametrize(
    ("date", "new"),
    [
        ("year", "DOB: [DATE]. Seen 2024."),
        ("keep", "DOB: [DATE]. Seen 1/2/2024."),
        ("relative", "DOB: [DATE]. Seen [DAY 0]."),
        ("{relative: {reference: birth}}", "DOB: [DATE]. Seen [DATE]."),
        (f"{{surrogate: {{days: [100, 100], key: {KEY!r}}}}}", "DOB: [DATE]. Seen 4/11/2024."),
        (f"{{shift: {{days: [100, 100], key: {KEY!r}, style: original}}}}", "DOB: [DATE]. Seen 4/11/2024."),
        (f"{{shift: {{days: [98, 98], key: {KEY!r}, unit: weeks, style: iso}}}}", "DOB: [DATE]. Seen 2024-04-09."),
    ],
)
def test_every_operator_that_keeps_dates_keeps_the_contract(folder: Path, date: str, new: str) -> None:
    assert released(folder, "DOB: 02/03/1931. Seen 1/2/2024.", date) == new


@pytest.mark.attack("age-from-dates")
def test_a_policy_that_keeps_dates_keeps_the_contract(folder: Path) -> None:
    policy = ", policy: {keep: [DATE, AGE], mask: [PERSON]}"
    assert released(folder, "born 1931, seen 1/2/2024", more=policy) == "born [DATE], seen 1/2/2024"


@pytest.mark.attack("age-from-dates")
def test_dates_of_the_record_count(folder: Path) -> None:
    assert released(folder, "DOB 3/4/1931.", visit="2015-01-02") == "DOB 12 Jun 1931."
    assert released(folder, "DOB 3/4/1931.", visit="2024-01-02") == "DOB [DATE]."
    assert released(folder, "Seen 3/4/1999.", visit="2024-01-02") == "Seen 12 Jun 1999."


@pytest.mark.attack("age-from-dates")
@pytest.mark.parametrize(
    "text",
    [
        "DOB 5/6/1935, aged 89, seen 4/5/2025.",
        "DOB 5/6/1950, 70-year-old, CABG 3/4/1990, seen 6/7/2020.",
        "85-year-old man who had a CABG 15 years ago, seen 3/4/2020.",
        "85-year-old, seen 3/4/2012 and 5/6/2013.",
        "Age 60 in 2012. Seen 2021.",
        "He turned 70 on 3/4/2019. Seen 3/4/2020.",
        "She was 40 when the dose was raised in 2020. Seen 3/4/2021.",
        "She was 5 when diagnosed in 2010. Seen 3/4/2021.",
        "Her dose was 40 when it was raised in 1955. Seen 3/4/2021.",
        "BMI was 40 when she was weighed in 1955. Seen 3/4/2021.",
        "80-year-old, MI in 1990. Seen 3/4/2021.",
        "Aged 80 with hypertension since 1990. Seen 3/4/2021.",
        "Hypertension since 1990 and a stroke at age 75. Seen 3/4/2021.",
        "Born 1940, hypertension since 1990. Seen 3/4/2021.",
        "Hypertension since 1990. Born 1950.",
        "Born 1918. Seen 1/2/1995.",
    ],
)
def test_people_under_90_keep_their_intervals_and_ages(folder: Path, text: str) -> None:
    new = released(folder, text)
    assert "[" not in new
    before, after = days(text, "%m/%d/%Y", r"\d{1,2}/\d{1,2}/\d{4}"), days(new, "%d %b %Y", r"\d{1,2} [A-Z]\w\w \d{4}")
    assert [(b - after[0]).days for b in after] == [(b - before[0]).days for b in before]


def days(text: str, layout: str, looks: str) -> list[datetime.datetime]:
    return [datetime.datetime.strptime(found, layout) for found in re.findall(looks, text)]


@pytest.mark.attack("age-from-dates")
def test_the_threshold_of_the_ages_is_that_of_the_dates() -> None:
    cas = Cas("born 3/4/1950, seen 5/6/2020", id="note")
    cas.add(Phi(5, 13, kind=PhiKind.DATE_BIRTH))
    cas.add(Phi(20, 28, kind=PhiKind.DATE))
    shift = Shift(key=KEY, days=(100, 100))
    Masker(kinds={PhiKind.DATE: shift, PhiKind.AGE: Age(threshold=65)}).process(cas)
    assert cas.deidentified == "born [DATE], seen 14 Aug 2020"
    assert cas.view("deidentified").select(MaskedSpan)[0].fallback == "a date that may tell an age over 65"


@pytest.mark.attack("age-from-dates")
def test_a_replacement_that_says_nothing_of_a_date_stays() -> None:
    cas = Cas("born 3/4/1931, seen 5/6/2021", id="note")
    cas.add(Phi(5, 13, kind=PhiKind.DATE_BIRTH))
    cas.add(Phi(20, 28, kind=PhiKind.DATE))
    Masker(kinds={PhiKind.DATE: Pseudonym(key=KEY)}).process(cas)
    assert re.fullmatch(r"born \[DATE \w{8}\], seen \[DATE \w{8}\]", cas.deidentified)


AGES = """94th birthday; her ninety-fourth birthday; born 93 years ago; 1128 months; 34,000 days; 4,900 weeks; y/o 91F; 91 y.o.;
yo: 91; she is ninety-four; Frail. Ninety-four, lives alone; a nonagenarian; a nonagenerian; a centenarian; in her nineties;
age: 9 decades; nine decades of life; in her tenth decade; in her 95th year; 92.5 years; aet. 93; 90-something; 93 Jahre alt;
93-jährige; will be 95 in; 1,128-month-old; 34000 days of life; he is over 90;  90+ years old;
born more than ninety years ago; born nine decades ago; over a century old; a century-old man; she has lived nine decades;
four score and fourteen; fourscore and twelve years; Age (months): 1128; Age [days]: 34,000; Pt in late nineties; 90s female;
9O yo man; l02 y/o; 9l-year-old; age: 9O; 93 år gammal; w wieku 93 lat; 93 éves; 93 yaşında; 93-vuotias; 93歳; 93 лет;
une nonagénaire; she's pushing ninety-five; 95 summers old""".replace("\n", " ").split("; ")
NEAR = """90 mg; 94th percentile; temp 91F; 95 %; BP 94/60; 91 F catheter; for 1128 days; 95 months of data; over 34,000 steps;
4,900 weeks of follow-up; 34,000 days of hospital stay; ninety-four mg; ninety minutes; ninety-four percent; sats over 90;
94th Street; allopurinol at one hundred in two weeks; bone 13.1 years; ninth decade of the century; HR 90ish; EF over 90;
pulse in the nineties; room ninety-four; a century-old house; FOUR score and ten points; pain score four; half a century;
sats nearing 95; Q4 years; G6PD; the turn of the century; 9 decades of research; B12; L4-5; late nineties""".replace(
    "\n", " "
).split("; ")


@pytest.mark.attack("age-phrases")
@pytest.mark.parametrize("phrase", AGES)
def test_an_age_over_89_is_masked_in_any_words(folder: Path, phrase: str) -> None:
    new = released(folder, f"Note: {phrase}.")
    assert "[AGE > 89]" in new
    assert not re.search(
        r"\d{2}|ninet|nine |tenth|narian|nerian|centur|score|9O|9l|l0|genaire", new.replace("[AGE > 89]", "")
    )


@pytest.mark.attack("age-phrases")
@pytest.mark.parametrize("phrase", NEAR)
def test_other_numbers_are_no_ages(folder: Path, phrase: str) -> None:
    text = f"Note: {phrase}."
    assert released(folder, text) == text


LEFT = """2020-W10; 2020-W10-3; 2020W103; week 10 of 2020; KW 10/2020; wk 10 2020; 2020-064; timestamp 1583323200;
"created_at": 1583323200000; 4 mars 2020; 4 mars; 4. März 2020; 4. März; 4 de marzo de 2020; 4 de marzo; 4 marzo 2020; 4 maart;
2 al 4 de abril de 2022; 2. bis 4. März 2022; 2 au 4 mars 2022; 2.-4. März 2022;
4 de março de 2020; 3.März.2020; marzo de 2020; 5 okt 2020; 5 févr. 2020; 12 août 2019; III/5/2020; 5/III/2020; 5.III.2020;
2020年3月4日; 3月4日; 2020년 3월 4일; 28.12. to 04.01.; since 04.03. and; 3rd Jan. '09; 28 Dec to 4 Jan; Mar 4-6, 2020; Q1 2020;
H1 2020;
1Q20; day 64 of 2020; 20200304; 2020/3; 2020-03-04T10:22:33+02:00; 2020-03-04 10:22 EST; Monday, 2 March 2020; Mar 2020; 3/2020;
fourth of March 2020; March fourth, two thousand twenty; 04MAR20; 2020-03; 3, 5 and 9 March 2020; 3., 5. und 9. März 2020;
los días 3 y 5 de marzo de 2020; los días 3, 5 y 9 de marzo; du 3 au 5 mars 2020; les 3, 5 et 9 mars; 3 e 5 marzo 2020;
3 i 5 marca 2020; 3 en 5 maart 2020; 3 och 5 mars 2020; 3 og 5 marts 2020; 3. ja 5. maaliskuuta 2020; 3 e 5 de março de 2020;
3. a 5. března 2020; 3. až 5. března; 3 ve 5 Mart 2020; 3 și 5 martie 2020; 3. i 5. ožujka 2020; 3 и 5 марта 2020;
3 та 5 березня 2020; 3 και 5 Μαρτίου 2020; 2020. március 3. és 5.; március 3-5.; vom 28.12. bis zum 04.01.; 28.12 bis 04.01;
March and April 2020; March, April and May 2020; März/April 2020; marzo y abril de 2020; March 3, 5 and 9;
March 3, 5, 9 and 12, 2020; the 3rd, 5th and 9th of March; Mar 3 & 5 & 9; 5 maja; 5. helmikuuta; 5 Şubat; 5 iunie 2020""".replace(
    "\n", " "
).split("; ")
_OLD = re.compile(
    r"W10|w10|064|15833|mars|märz|marzo|maart|março|okt|févr|août|III|年|月|년|월|28\.12|04\.01|04\.03|Jan\. '09|28 Dec|4 Jan"
    r"|Mar|mar 4|[ ,.][359][ ,.;]|april|April|abril|marca|maalis|březn|martie|ožuj|марта|берез|Μαρτ|márc|maja|helmi|Şub|iunie"
    r"|Q1|H1|1Q|day 64|0304|2020/3\b|10:22|EST|Monday|2 Mar|3/2020|fourth|20-03\b|week|wk|KW",
)


@pytest.mark.attack("half-shifted")
@pytest.mark.parametrize("token", LEFT)
def test_no_date_stays_as_it_was_beside_a_shifted_one(folder: Path, token: str) -> None:
    new = released(folder, f"Visit 6 May 2020, noted {token}, then home.")
    assert new.startswith("Visit 14 Aug 2020, noted ")
    assert new.endswith(", then home.")
    assert not _OLD.search(new), "a part stayed"


@pytest.mark.attack("half-shifted")
@pytest.mark.parametrize(
    "text",
    [
        "Case no. 2020-064 closed.",
        "NPI 1583323200, phone 1583323200.",
        "GAUGE III/5, class IV.",
        "She is in week 10.",
        "Mars and 4 Marco drinks.",
        "values 2.5 to 3.5 ml",
        "W10 x 20",
    ],
)
def test_other_tokens_stay_beside_a_shifted_date(folder: Path, text: str) -> None:
    assert released(folder, f"Visit 5/6/2020. {text}") == f"Visit 14 Aug 2020. {text}"


@pytest.mark.attack("half-shifted")
def test_a_weekday_agrees_with_the_shifted_date_or_goes(folder: Path) -> None:
    new = released(folder, "Monday, 4 May 2020 (Monday). Later that Tuesday.")
    assert new == "Wed 12 Aug 2020 (Wednesday). Later that [DATE]."


@pytest.mark.attack("whole-weeks")
def test_offsets_in_whole_weeks_and_how_many_remain() -> None:
    offsets, said = set(), set()
    for number in range(60):
        cas = Cas("3/2/2020", id=f"note {number}")
        cas.add(Phi(0, 8, kind=PhiKind.DATE))
        Masker(kinds={PhiKind.DATE: Shift(key=KEY, unit="weeks", style="iso")}).process(cas)
        offsets.add((datetime.date.fromisoformat(cas.deidentified) - datetime.date(2020, 3, 2)).days)
        said.add(cas.metadata["possible_offsets"])
    assert len(offsets) > 30
    assert {offset % 7 for offset in offsets} == {0}
    assert max(map(abs, offsets)) <= 365
    assert said == {"104 of 104"}


@pytest.mark.attack("whole-weeks")
@pytest.mark.parametrize(
    ("text", "marks", "said"),
    [
        ("seen 3/2/2020", [(5, 13, "DATE")], "730 of 730"),
        ("Monday, 3/2/2020", [(8, 16, "DATE"), (0, 6, "DATE_WEEKDAY")], "730 of 730"),  # the weekday is recomputed
        ("Monday, 3/2/2020", [(8, 16, "DATE")], "104 of 730"),
        ("3/2/2020 (Mon)", [(0, 8, "DATE")], "104 of 730"),
        ("no date", [], None),
    ],
)
def test_a_weekday_that_stays_leaves_one_offset_in_seven(
    text: str, marks: list[tuple[int, int, str]], said: str
) -> None:
    cas = Cas(text, id="note")
    for begin, end, kind in marks:
        cas.add(Phi(begin, end, kind=PhiKind.of(kind)))
    Masker(kinds={PhiKind.DATE: Shift(key=KEY)}).process(cas)
    assert cas.metadata.get("possible_offsets") == said


@pytest.mark.attack("whole-weeks")
def test_offsets_that_are_not_whole_weeks_are_refused() -> None:
    for days_, new in (("14", "16 Mar 2020"), ("15", "[DATE]")):
        cas = Cas("3/2/2020", id="note")
        cas.metadata["date_shift_days"] = days_
        cas.add(Phi(0, 8, kind=PhiKind.DATE))
        Masker(kinds={PhiKind.DATE: Shift(unit="weeks")}).process(cas)
        assert cas.deidentified == new
    with pytest.raises(ValueError, match="expected an offset of 1 days or more in whole weeks between -6 and 6"):
        Shift(unit="weeks", days=(-6, 6))
    with pytest.raises(
        ValueError, match="season: its offsets of days, months and years are not whole weeks; expected unit: days"
    ):
        Shift(unit="weeks", season=True)


PRECISION = {
    "Born 1985.": r"Born \d{4}\.",
    "Since 2019.": r"Since \d{4}\.",
    "In March 2020.": r"In [A-Z]\w\w \d{4}\.",
    "In spring 2020.": r"In (spring|summer|autumn|winter) \d{4}\.",
    "Since 02/2020.": r"Since \d\d/\d{4}\.",
    "Since 2-2020.": r"Since \d{1,2}-\d{4}\.",
    "Since 2020-02.": r"Since \d{4}-\d\d\.",
    "In '09.": r"In '\d\d\.",
    "On 03/04.": r"On \d\d/\d\d\.",
    "On 3-14.": r"On \d{1,2}-\d{1,2}\.",
    "The 2010s.": r"The \d{3}0s\.",
    "Early 2020.": r"(early|mid|late) \d{4}\.",
}


@pytest.mark.attack("precision")
@pytest.mark.parametrize("text", PRECISION)
def test_a_date_keeps_its_precision_and_a_bare_one_its_form(folder: Path, text: str) -> None:
    new = released(folder, f"Seen 3/14/2020. {text}", known={"DATE_BIRTH": "1985-07-08"})
    assert re.fullmatch(rf"Seen \d+ \w{{3}} \d{{4}}\. {PRECISION[text]}", new)


@pytest.mark.attack("precision")
def test_months_and_years_keep_their_order_and_distances(folder: Path) -> None:
    months = [f"{m}/{y}" for y in (2018, 2019, 2020) for m in range(1, 13)]
    new = re.findall(r"(\d+)/(\d{4})", released(folder, "Seen " + ", ".join(months)))
    numbers = [12 * int(y) + int(m) for m, y in new]
    assert numbers == list(range(numbers[0], numbers[0] + 36))
    years = re.findall(r"\d{4}", released(folder, "In 2015, in 2016, in 2018, in 2019"))
    assert [int(y) - int(years[0]) for y in years] == [0, 1, 3, 4]
