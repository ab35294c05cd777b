import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.ages import cues as ages
from caspipe.annotators.ages import places
from caspipe.annotators.dates import cues, negative_cues, parse
from caspipe.annotators.dates.calendar import Calendar
from caspipe.annotators.dates.windows import Before, Ending, spans

PATTERNS = [
    pytest.param(value, id=f"{module.__name__.rsplit('.', 2)[1]}-{name}")
    for module in (cues, negative_cues, ages)
    for name, value in vars(module).items()
    if isinstance(value, Before)
]
ENDINGS = [pytest.param(value, id=name) for name, value in vars(places).items() if isinstance(value, Ending)]
WORDS = (
    "seen on the 3 4/5 in 2020 , . ( ) : # - aged DOB born died around at 12:30 pm last Rua do Carmo lot no case report "
    "x2- he was in his mid late early temp max hr 80 for about ~ \n \t on\xa0 é"
).split(" ")
windows = st.lists(st.sampled_from([*WORDS, " ", "  ", "\n"]), max_size=12).map(" ".join).map(lambda text: text[-48:])


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
@given(window=windows, space=st.sampled_from(["", " ", ": ", "\n"]))
def test_both_engines_agree_on_a_window(pattern: Before, window: str, space: str) -> None:
    assert (pattern.search(window + space) is None) == (pattern.exact.search(window + space) is None)


names = "pt name Rosa Diaz son Eli kids ( , / and & 9 (9) in-law sister died d. MI koro ali tía Ål *".split()


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ENDINGS)
@given(
    window=st.lists(st.sampled_from([*names, " ", "\n"]), max_size=9).map(" ".join),
    joint=st.sampled_from(["", " ", ", ", " (", ": ", " / now "]),
)
def test_the_first_search_never_hides_a_match(pattern: Ending, window: str, joint: str) -> None:
    assert (pattern.search(window + joint) is None) == (pattern.exact.search(window + joint) is None)


@given(text=st.text(alphabet="a1/ é😀\ud800", max_size=40))
def test_spans_are_code_points_in_any_script(text: str) -> None:
    import re

    import re2

    assert list(spans(re2.compile(r"\d+/"), text)) == [m.span() for m in re.finditer(r"[0-9]+/", text)]


@given(
    text=st.lists(
        st.sampled_from(
            "3 03 12 2020 20 1st 4th / - . , ' of the Jan march May october Friday Easter Q3 FY second quarter spring "
            "1980s '80s II nineteen ninety third to T12:30 UTC".split()
        ),
        min_size=1,
        max_size=5,
    ),
    joint=st.sampled_from(["", " "]),
)
def test_rules_skipped_by_the_first_character_or_without_a_word_would_not_match(text: list[str], joint: str) -> None:
    expression, calendar = joint.join(text), Calendar()
    every = [(rule, rule.pattern.fullmatch(expression)) for rule in parse.RULES]
    interpretations = [r for rule, match in every if match for r in rule.interpret(match, calendar)]
    assert list(parse.interpret_whole(expression, calendar)) == interpretations
