"""Top-level domains that make a bare word with a dot a web address: country codes and the generic ones in common use.

Compiled from IANA's root zone (country codes of ISO 3166-1, the original generic domains and common newer ones). Newer
generic domains that are everyday English words (`.bar`, `.help`, `.now` ...) are left out on purpose: without a scheme or
`www.` they are far more often a missing space after a full stop.
"""

from __future__ import annotations

_COUNTRY = """
ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv bw by bz ca cc
    cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd
    ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh
    ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx
    my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd
    se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy
    uz va vc ve vg vi vn vu wf ws ye yt za zm zw
"""
_GENERIC = """
com org net edu gov mil int info biz aero coop museum mobi arpa app dev online site website blog cloud tech xyz club
    london berlin paris nyc tokyo local internal
"""
_UNSAFE = """
am as at be by do et go he id im in is it la me ms my no of on or pm re so to us mg ml al dr st pt
py sh pl rs md cc ps ai mk gz bz az ec tm cv vi so bb bs bw cm cd ht kg mm ng nm np pa pg pn ps sd tt vc
"""

COUNTRY = frozenset(_COUNTRY.split())
GENERIC = frozenset(_GENERIC.split())
UNSAFE = frozenset(_UNSAFE.split())
"""Country codes that are also words, units or abbreviations: alone they do not make `word.xx` an address."""
