"""Area codes of the North American Numbering Plan by state and province."""

from __future__ import annotations

from functools import cache

_CODES = """
AL 205 251 256 334|AK 907|AZ 480 520 602 623 928|AR 479 501 870
CA 209 213 310 323 408 415 510 530 559 562 619 626 650 661 707 714 760 805 818 831 858 909 916 925 949 951
CO 303 719 720 970|CT 203 860|DC 202|DE 302|FL 305 321 352 386 407 561 727 772 813 850 863 904 941 954
GA 229 404 478 678 706 770 912|HI 808|IA 319 515 563 641 712|ID 208|IL 217 309 312 618 630 708 773 815 847
IN 219 260 317 574 765 812|KS 316 620 785 913|KY 270 502 606 859|LA 225 318 337 504 985|MA 413 508 617 774 781 978
MD 240 301 410 443|ME 207|MI 231 248 269 313 517 586 616 734 810 906 989|MN 218 320 507 612 651 763 952
MO 314 417 573 636 660 816|MS 228 601 662|MT 406|NC 252 336 704 828 910 919|ND 701|NE 308 402|NH 603
NJ 201 609 732 856 908 973|NM 505 575|NV 702 775|NY 212 315 516 518 585 607 631 716 718 845 914
OH 216 330 419 440 513 614 740 937|OK 405 580 918|OR 503 541|PA 215 412 570 610 717 724 814|RI 401|SC 803 843 864|SD 605
TN 423 615 731 865 901 931|TX 210 214 254 281 325 361 409 432 512 713 806 817 830 903 915 936 940 956 972 979|UT 435 801
VA 276 434 540 703 757 804|VT 802|WA 206 253 360 425 509|WI 262 414 608 715 920|WV 304|WY 307|AB 403 587 780
BC 250 604 778|MB 204|NB 506|NL 709|NS 902|ON 416 519 613 705 807 905|PE 902|QC 418 450 514 819|SK 306
"""
"""Facts of the numbering plan (NANPA, CNA), without overlays of recent years."""
_PROVINCES = frozenset("AB BC MB NB NL NS ON PE QC SK".split())
TOLL_FREE = ("800", "833", "844", "855", "866", "877", "888")


@cache
def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for entry in _CODES.strip().replace("\n", "|").split("|"):
        place, *codes = entry.split()
        table[place] = table.get(place, ()) + tuple(codes)
    return table


def area_codes_of(place: str) -> tuple[str, ...]:
    """Return the area codes of a state of the USA or a province of Canada; empty if it is unknown."""
    return _table().get(place, ())


@cache
def _places() -> dict[str, str]:
    found: dict[str, str] = {}
    for place, codes in _table().items():
        for code in codes:
            found.setdefault(code, place)
    return found


def place_of_area_code(code: str) -> tuple[str, str]:
    """Return the country and the state or province of an area code; empty if it is unknown."""
    place = _places().get(code, "")
    return ("CA" if place in _PROVINCES else "US" if place else "", place)
