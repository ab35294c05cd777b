"""Medical nouns of WordNet: hyponyms of body part, symptom, ill health, medical procedure and medicine.

Part of `build_lexicon_pack.py`; reads the database files `index.noun` and `data.noun` (wndb(5WN)) themselves.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOTS = {
    "ANATOMICAL_SITE": ("body_part 1", "body_covering 1", "body_substance 1"),
    "SIGN_SYMPTOM": ("symptom 1", "pain 1"),
    "DISEASE_DISORDER": ("ill_health 1", "mental_disorder 1", "injury 1", "neoplasm 1", "inflammation 1"),
    "LAB_PROCEDURE": (
        "medical_procedure 1",
        "diagnostic_procedure 1",
        "diagnostic_test 1",
        "operation 7",
        "medical_care 1",
    ),
    "MEDICATION": ("medicine 2", "drug 1", "vaccine 1", "vitamin 1", "antibody 1"),
}
"""WordNet noun senses (lemma and sense number) whose hyponyms form each group."""

NOT_UNDER = {
    "ANATOMICAL_SITE": (
        "feather 1", "fur 1", "hide 3", "horn 2", "plumage 1", "coat 3", "fleece 1", "scale 4", "milk 1", "body_hair 1",
        "hormone 1", "hairdo 1", "blood_clot 1", "beard 1", "mustache 1", "nectar 1", "receptor 1", "plant_organ 1", "antibody 1",
        "spike 3",
    ),
    "SIGN_SYMPTOM": ("inflammation 1",),
    "DISEASE_DISORDER": ("plant_disease 1", "animal_disease 1"),
    "MEDICATION": ("drug_of_abuse 1", "cannabis 2", "intoxicant 1"),
}  # fmt: skip
"""Senses whose hyponyms are left out: parts of animals and plants, hair styles, hormones as body substances, street drugs."""

_DENY = """
abductor acoustic acumen adam add afferent aftercare altering anterior aphrodisiac arse arsehole ass asshole
aster aura auricle awn back balsam bandaging barbel beak behind bends bighead bite blowhole bobtail boil boob
booger botanical bouffant bracer braid breadbasket bucktooth bump bunghole buns bunt burl burn callus canine
canker carapace castration cathartic chafe chafing chignon chine chlorination chrism cilium cirrus cistern
claw clit cloaca cock coif cold collapse come congestion conk convolution coronet cortex cowlick coxcomb craw
creeps crick crimp croup crud cunt cupping curative cure cusp dactyl debility deformity depressor dewlap dick
dilator disinfection distemper dosage dose drug drugging duct dug efferent efflorescence ejaculate elixir
emasculation enamel endemic enervation entrails evisceration excision extirpation eye facial fanny feeler
fenestration fester fetlock flab flagellum flattop flesh floater flooding forefoot forelimb fossa founder
frailty frenzy frill fugue furring fuzz gall galvanism gameness gimp girdle gizzard gladiolus gland glans
goatee goop graft graze gripes griping gristle gut haircut hairdo hallucinogen hamstring hand handicap
hardening harm haw head heaves hives honker hoof hooks hooter hormone horseback hospice hurt hurting hypnotic
imperial implantation incisor infirmity inhalant inhalation innards intoxicant jowl kink kisser lameness lap
lappet lash lat leaflet lenitive lichen lien limping lineament lobe loins looseness maladjustment mane mange
maulers maw max medicament medication midriff milt mitt monoclonal mummification murrain musk mustachio neb
neutering nib nipper nodule noggin nostrum nucleus optic orb oxtail pageboy painkiller palliative palm pastern
pathway paunch paw pcp pearly pecker peeper pennon perm permanent perspiration pes pest pestilence
pharmaceutical pheromone phiz physic physiognomy pigtail piles pincer pip plague plait pock ponytail popper
posterior ppp prat preventative preventive pricker prickle privates puss pussy putz quad quat quick quiff
receptor redness refill resection restorative rick roach rosette rudiment ruff rump rupture salve scald schnoz
schnozzle scorch scours scratch sedation shiner shunt singe skullcap slash slobber slough small smart
smartness snoot snout sob socket sore sores spavin spaying spiracle spittle spots staggers sticker stifle
stigmata strangles suffering tail talon teat tensor thatch therapeutic throe ticker tit titty topknot torment
transplant trembles tress trotter tubule tuft tum tummy tunic tush twat tympanum udder unction underpart
unfitness valve vas venation vesicle vessel villus visage vitals vivisection wale warble wasting wattle weal
webfoot welt whey whiskers whorl wilt windpipe wishbone withers wrench yap yaws
"""
DENY = frozenset((*_DENY.split(), "wing"))
"""Single words with another everyday meaning, which are left out."""


def read_wordnet(folder: Path) -> tuple[dict[str, list[str]], dict[str, list[str]], dict[str, list[str]]]:
    """Return lemma -> noun synsets in sense order, synset -> lemmas as printed, synset -> direct hyponyms."""
    senses: dict[str, list[str]] = {}
    lemmas: dict[str, list[str]] = {}
    hyponyms: dict[str, list[str]] = collections.defaultdict(list)
    for line in (folder / "index.noun").read_text(encoding="ascii").splitlines():
        if not line.startswith(" "):
            fields = line.split()
            senses[fields[0]] = fields[-int(fields[2]) :]
    for line in (folder / "data.noun").read_text(encoding="ascii").splitlines():
        if line.startswith(" "):
            continue
        fields = line.split(" | ")[0].split()
        count = int(fields[3], 16)
        lemmas[fields[0]] = fields[4 : 4 + 2 * count : 2]
        pointers = fields[4 + 2 * count + 1 :]
        for kind, target, pos in zip(pointers[::4], pointers[1::4], pointers[2::4], strict=False):
            if kind in ("~", "~i") and pos == "n":
                hyponyms[fields[0]].append(target)
    return senses, lemmas, hyponyms


def closure(roots: Iterable[str], senses: dict[str, list[str]], hyponyms: dict[str, list[str]]) -> set[str]:
    synsets: set[str] = set()
    stack = []
    for root in roots:
        lemma, number = root.split()
        if len(senses.get(lemma, ())) >= int(number):
            stack.append(senses[lemma][int(number) - 1])
    while stack:
        synset = stack.pop()
        if synset not in synsets:
            synsets.add(synset)
            stack += hyponyms[synset]
    return synsets


def medical_nouns(folder: Path, words: dict[str, int]) -> Iterator[tuple[str, str, str]]:
    """Yield (form, group, synset) of each noun under the roots. `words`: common words with their SCOWL size."""
    senses, lemmas, hyponyms = read_wordnet(folder)
    for group, roots in ROOTS.items():
        excluded = closure(NOT_UNDER.get(group, ()), senses, hyponyms)
        for synset in sorted(closure(roots, senses, hyponyms) - excluded):
            for lemma in lemmas[synset]:
                form = lemma.replace("_", " ").strip()
                rank = senses[lemma.lower()].index(synset)
                if len(form) >= 3 and is_common_sense(form, rank, words):
                    yield form, group, f"wn30:{synset}"


def is_common_sense(form: str, rank: int, words: dict[str, int]) -> bool:
    """Return whether readers would think of this sense: for a common word, only of its first sense."""
    if form.lower() in DENY:
        return False
    size = words.get(form.lower(), 99)
    return rank == 0 if size <= 35 else rank <= 2
