"""Validators on numbers from their own standards; filters on near misses."""

from __future__ import annotations

import pytest

from caspipe.annotators.patterns.validators import (
    FILTERS,
    VALIDATORS,
    find_filter,
    find_validator,
    hit_filter,
    validator,
)

VALID = {
    "luhn": ["79927398713"],
    "card": ["4012-8888-8888-1881", "378282246310005"],
    "iban": ["GB33 BUKB 2020 1555 5555 55", "DE89370400440532013000"],
    "ssn": ["536-22-1234", "536221234", "536.22.1234"],
    "itin": ["912-70-1234"],
    "npi": ["1234567893", "1245319599"],
    "dea": ["AP5836727", "BB1388568"],
    "vin": ["1M8GDM9AXKP042788", "11111111111111111"],
    "imei": ["490154203237518"],
    "ip": ["192.0.2.1", "192.0.2.1:8080", "2001:db8::1/64", "[2001:db8::1]", "fe80::1%eth0"],
    "mac": ["00:1A:2B:3C:4D:5E"],
    "email": ["jane@example.org"],
    "phone": ["+44 20 7946 0958", "07700 900123", "+1 617 253 1000"],
    "phone_us": ["617-253-1000"],
    "nhs": ["943 476 5919"],
    "sin": ["046 454 286"],
    "nric": ["S2740116C"],
    "medicare_au": ["2123 45670 1"],
    "gs1": ["(01)00844588003288(17)141120", "4006381333931"],
    "eleven_digit_number": ["44051401359"],
    "bitcoin": ["1BoatSLRHtKNngkdXEeobR76b53LETtpyT"],
    "stdnum.fi.hetu": ["131052-308T"],
}
INVALID = {
    "luhn": ["79927398710", "5"],
    "card": ["4012-8888-8888-1882", "79927398713"],
    "iban": ["GB33 BUKB 2020 1555 5555 54"],
    "ssn": ["000-12-3456", "666-12-3456", "987-65-4321", "536-00-1234", "078-05-1120"],
    "itin": ["812-70-1234"],
    "npi": ["1234567890", "3234567893"],
    "dea": ["AP5836728", "AP58"],
    "vin": ["1M8GDM9A1KP042788", "1M8GDM9AXKP04278", "1M8GDM9AXKPO42788"],
    "imei": ["490154203237517"],
    "ip": ["300.1.1.1", "1.2.3"],
    "mac": ["00:1A:2B:3C:4D"],
    "email": ["jane@example", "@example.org", "jane@.org"],
    "phone": ["+1 000 000 0000", "12", "call me"],
    "phone_us": ["117-253-1000", "x"],
    "nhs": ["943 476 5918"],
    "sin": ["046 454 287", "846 454 286"],
    "nric": ["S2740116D", "2740116"],
    "medicare_au": ["2123 45671 1", "1123456701"],
    "gs1": ["(01)00844588003289", "123"],
    "eleven_digit_number": ["12345678901"],
    "bitcoin": ["1BoatSLRHtKNngkdXEeobR76b53LETtpyX"],
    "stdnum.fi.hetu": ["131052-308U"],
}


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, ts in VALID.items() for t in ts])
def test_valid_numbers_are_accepted(name: str, text: str) -> None:
    assert find_validator(name).check(text)


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, ts in INVALID.items() for t in ts])
def test_invalid_numbers_are_rejected(name: str, text: str) -> None:
    assert not find_validator(name).check(text)


def test_every_validator_has_a_valid_and_an_invalid_number_here_and_a_description() -> None:
    assert set(VALIDATORS) <= set(VALID) and set(VALID) == set(INVALID)
    assert all(v.description for v in VALIDATORS.values())


PASSES = {
    "not_date": ["1234567", "0490 75 40 81", "12-3456", "45-46-2020", "20211305", "4012888888881881"],
    "not_leading_date": ["60-56-85-91", "617-555-0199"],
    "not_years": ["2019-123", "1234"],
    "not_age": ["27-123", "27-yrs-4", "1234-year"],
    "not_year": ["1899", "20210"],
    "not_decimal": ["12345", "10.20.30", "AB-1.2"],
    "not_trailing_unit": ["12345678Z", "AB1000MG", "55555555K"],
    "not_compound": ["AB1234567", "ROX1"],
    "e164_length": ["555-0199", "+44 20 7946 0123 x44", "0041446681800"],
    "iban_shape": ["GB33BUKB20201555555555"],
    "zip_shape": ["880", "7412 SL", "M5G 2C4"],
    "postcode_shape": ["SW1A 1AA"],
    "not_tnm": ["M5G2C4"],
    "email_shape": ["a.b@example.org"],
    "ipv6_shape": ["2001:db8::1", "::1", "::ffff:192.0.2.1"],
    "known_tld": "example.com|EXAMPLE.ORG|a.co.uk|www.abc.zw|example.de|t.co/abc|Example.com|shop.example.de".split(
        "|"
    ),
    "not_common_word": ["jdoe42", "hunter2"],
    "not_at_word": ["@janedoe"],
    "not_plate_words": ["AB12 CDE", "8abc123"],
    "street_shape": "12 Elm Street|4500 Lake Shore Dr.|123 MAIN ST|1 St. James Ct.|12 elm street|77 W. 34th St. NW".split(
        "|"
    ),
    "no_stop_word": ["3911 fourth avenue"],
    "foreign_street_shape": ["Koskikatu 25", "Hauptstrasse 5a"],
    "address_words": ["Edeby 55", "the corner of Edeby and Main"],
    "spanish_street_shape": ["calle Mayor 8"],
    "has_digit": ["a1"],
    "has_letter_and_digit": ["a1"],
    "has_digit_or_upper": ["DEUTDEFF", "a1"],
    "six_digits": ["12-34-56"],
    "six_characters": ["ab-12-cd"],
    "sixteen_characters": ["MORGA753116SM9IJ"],
    "not_range": ["23-00517", "882-104", "5-118204", "2017/22188"],
    "code_like": ["448190", "A-99201-K", "24-331"],
    "not_label": ["WB 330176", "MR/03318/23", "HSB/PEART/1"],
    "not_clock": ["0940", "12-34"],
    "misread": ["5O6 555 Ol82"],
    "login_word": ["htrent", "kdelacruz2"],
    "login_shape": ["rcabrera2", "rhodri.pugh", "macask_m"],
    "not_round": ["5507", "98426 61077"],
    "eircode_shape": ["H91 X1X9"],
    "unit_shape": ["Flat 3, 12 Mill Lane"],
    "house_shape": ["16 Swan Tce", "88a Brickfield Parade", "One Hospital Plaza"],
    "bare_street": ["Otley Road", "Cook St"],
    "on_street": ["Gallatin Pike", "sprague"],
    "lower_street": ["14 cobbler's rise", "pearl road"],
}
VETOES = {
    "not_date": "20210405|2021-04-05|3/4/21|19-Jan-2021|19Jan2021|2021|04052021|20210405123000|2021.4.5".split("|"),
    "not_leading_date": ["04-05-2021 12", "2021-04-05-1", "3/4/21 5"],
    "not_age": ["27-yr-old", "3-month-old", "90-years", "8-y-o"],
    "not_years": ["2021", "2019-2021", "2019/20", "2019 2020 2021"],
    "not_year": ["2021"],
    "not_decimal": ["3.5", "3.5-5.0", "12,5"],
    "not_trailing_unit": ["2000000MG", "100ML"],
    "not_compound": ["PF-07302048", "LY2963016", "NCT01234567", "rs12345"],
    "e164_length": ["12345", "1234567890123456789", "00123456"],
    "iban_shape": ["LT12 WITH SOME PAIN AND MORE", "GB33"],
    "zip_shape": ["12", "A1"],
    "postcode_shape": ["L4 5TH", "E1 1ST"],
    "not_tnm": ["T2N0M0", "TisN0M0", "G1P0A1"],
    "email_shape": ["a@b..org", "a.@b.org"],
    "ipv6_shape": ["10:30:45", "abc::", "a::b", "1::"],
    "known_tld": ["arm.The", "report.pdf", "fever.no", "e.g", "run.py", "Dr.Li", "it.was.in", "word.Com.", "x.IT"],
    "not_common_word": ["required", "The"],
    "not_at_word": ["@noon", "@home"],
    "not_plate_words": ["2 screws"],
    "street_shape": "15 May Dr.|5 Patients drive|64 Slice CT|2 Weeks Way|10 Patients. Drive|3 Chest CT|12 Big ST".split(
        "|"
    ),
    "no_stop_word": ["2 men in the street"],
    "foreign_street_shape": ["Decade 3", "Monday 5"],
    "address_words": ["Pathology 3", "Phase 2", "12"],
    "spanish_street_shape": ["via oral 5", "C/o fever of 101"],
    "has_digit": ["a"],
    "has_letter_and_digit": ["a", "1"],
    "has_digit_or_upper": ["swift"],
    "six_digits": ["12-34-5"],
    "six_characters": ["ab-12"],
    "sixteen_characters": ["MORGA753116SM9"],
    "not_range": ["135-145", "3500-10500", "120/80", "0-125"],
    "code_like": ["1000", "09:40", "28w3d", "T38"],
    "not_label": ["DOB 01", "BP 120/80", "AC/14/450", "PHQ-9", "3rd"],
    "not_clock": ["09:40", "9.40"],
    "misread": ["506 555 0182"],
    "login_word": ["electronically", "vitals"],
    "login_shape": ["CD4", "stage2", "report.pdf", "Dr.ssa"],
    "not_round": ["x4000", "60000 90000"],
    "eircode_shape": ["T12 PAIN", "V10 1234"],
    "unit_shape": ["flat affect, Mood", "Unit Admission"],
    "house_shape": ["17 Rang Dr", "20 Hz", "5 Vicryl Pl"],
    "bare_street": ["The Road", "Wall Street", "Nathan Lane"],
    "on_street": ["Monday", "hold", "Lovenox"],
    "lower_street": ["2 mm horizontal st", "open road"],
}


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, ts in PASSES.items() for t in ts])
def test_possible_identifiers_pass_their_filter(name: str, text: str) -> None:
    assert find_filter(name).check(text)


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, ts in VETOES.items() for t in ts])
def test_lookalikes_of_identifiers_are_vetoed(name: str, text: str) -> None:
    assert not find_filter(name).check(text)


def test_every_filter_is_tested_here_and_has_a_description() -> None:
    counted = {
        f"{n}_{what}"
        for n in "three four five seven eight nine ten eleven".split()
        for what in ("digits", "characters")
    }
    assert set(FILTERS) - counted == set(PASSES) == set(VETOES)
    assert all(f.description for f in FILTERS.values())


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="validator luhn is claimed twice"):
        validator("luhn")(lambda text: True)
    with pytest.raises(ValueError, match="filter not_date is claimed twice"):
        hit_filter("not_date")(lambda text: True)


def test_unknown_names_are_reported_with_the_nearest() -> None:
    with pytest.raises(LookupError, match="no validator called 'lunh'; did you mean luhn"):
        find_validator("lunh")
    with pytest.raises(LookupError, match="no filter called 'not_dat'; did you mean not_date"):
        find_filter("not_dat")
    with pytest.raises(LookupError, match="iban is a validator, and a failed checksum never vetoes masking"):
        find_filter("iban")
    with pytest.raises(LookupError, match=r"python-stdnum has no module stdnum\.xx"):
        find_validator("stdnum.xx.yy")
