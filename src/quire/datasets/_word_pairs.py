"""Word vectors that are made up, of words whose pairs are facts: capitals, and translations.

Vectors of words are learned from large texts, which are not ours to ship. These are drawn instead,
so that they behave as such vectors do: words of a kind lie together, one linear map takes the words
of one side near to their partners, and noise spoils some of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.datasets._dataset import Dataset

if TYPE_CHECKING:  # it needs scikit-learn, which this package does not
    from quire.alignment import WordVectors

__all__ = ["WordPairs", "load_capitals", "load_translation"]

_DIMENSION = 20
_CAPITALS = {
    "Africa": """Algeria Algiers, Angola Luanda, Botswana Gaborone, Cameroon Yaounde, Chad Ndjamena,
        Egypt Cairo, Ethiopia Addis_Ababa, Gabon Libreville, Ghana Accra, Guinea Conakry,
        Kenya Nairobi, Liberia Monrovia, Libya Tripoli, Madagascar Antananarivo, Malawi Lilongwe,
        Mali Bamako, Morocco Rabat, Mozambique Maputo, Namibia Windhoek, Niger Niamey,
        Nigeria Abuja, Rwanda Kigali, Senegal Dakar, Somalia Mogadishu, Sudan Khartoum, Togo Lome,
        Tunisia Tunis, Uganda Kampala, Zambia Lusaka, Zimbabwe Harare""",
    "America": """Argentina Buenos_Aires, Bahamas Nassau, Brazil Brasilia, Canada Ottawa,
        Chile Santiago, Colombia Bogota, Costa_Rica San_Jose, Cuba Havana, Ecuador Quito,
        El_Salvador San_Salvador, Haiti Port-au-Prince, Honduras Tegucigalpa, Jamaica Kingston,
        Mexico Mexico_City, Nicaragua Managua, Panama Panama_City, Paraguay Asuncion, Peru Lima,
        Uruguay Montevideo, Venezuela Caracas""",
    "Asia": """Afghanistan Kabul, Armenia Yerevan, Azerbaijan Baku, Bangladesh Dhaka,
        Bhutan Thimphu, Cambodia Phnom_Penh, China Beijing, India New_Delhi, Iran Tehran,
        Iraq Baghdad, Japan Tokyo, Jordan Amman, Kyrgyzstan Bishkek, Laos Vientiane,
        Lebanon Beirut, Malaysia Kuala_Lumpur, Mongolia Ulaanbaatar, Nepal Kathmandu, Oman Muscat,
        Pakistan Islamabad, Philippines Manila, Qatar Doha, Saudi_Arabia Riyadh, Syria Damascus,
        Tajikistan Dushanbe, Thailand Bangkok, Turkey Ankara, Turkmenistan Ashgabat,
        Uzbekistan Tashkent, Vietnam Hanoi""",
    "Europe": """Albania Tirana, Austria Vienna, Belarus Minsk, Belgium Brussels, Bulgaria Sofia,
        Croatia Zagreb, Cyprus Nicosia, Denmark Copenhagen, Estonia Tallinn, Finland Helsinki,
        France Paris, Georgia Tbilisi, Germany Berlin, Greece Athens, Hungary Budapest,
        Iceland Reykjavik, Ireland Dublin, Italy Rome, Latvia Riga, Lithuania Vilnius,
        Malta Valletta, Moldova Chisinau, Norway Oslo, Poland Warsaw, Portugal Lisbon,
        Romania Bucharest, Russia Moscow, Serbia Belgrade, Slovakia Bratislava,
        Slovenia Ljubljana, Spain Madrid, Sweden Stockholm, Ukraine Kyiv""",
}
_TELUGU = {
    "numbers": """one ఒకటి, two రెండు, three మూడు, four నాలుగు, five ఐదు, six ఆరు, seven ఏడు,
        eight ఎనిమిది, nine తొమ్మిది, ten పది, hundred వంద""",
    "family": """mother తల్లి, father తండ్రి, son కొడుకు, daughter కూతురు, brother సోదరుడు,
        sister సోదరి, friend స్నేహితుడు, king రాజు, queen రాణి, child పిల్లవాడు""",
    "body": """hand చేయి, foot పాదం, eye కన్ను, ear చెవి, nose ముక్కు, head తల, heart గుండె,
        tooth పన్ను, tongue నాలుక, blood రక్తం, hair జుట్టు""",
    "animals": """dog కుక్క, cat పిల్లి, cow ఆవు, horse గుర్రం, bird పక్షి, fish చేప, snake పాము,
        elephant ఏనుగు, lion సింహం, tiger పులి, monkey కోతి, rat ఎలుక""",
    "nature": """water నీరు, fire నిప్పు, sky ఆకాశం, earth భూమి, sun సూర్యుడు, moon చంద్రుడు,
        star నక్షత్రం, rain వర్షం, wind గాలి, tree చెట్టు, flower పువ్వు, leaf ఆకు, river నది,
        mountain పర్వతం, sea సముద్రం, forest అడవి""",
    "food": """milk పాలు, rice అన్నం, salt ఉప్పు, sugar చక్కెర, fruit పండు, egg గుడ్డు, oil నూనె,
        honey తేనె, mango మామిడి, curd పెరుగు""",
    "things": """house ఇల్లు, door తలుపు, book పుస్తకం, road దారి, village గ్రామం, boat పడవ,
        chair కుర్చీ, key తాళంచెవి, money డబ్బు, gold బంగారం, silver వెండి, lamp దీపం""",
    "colours": "white తెలుపు, black నలుపు, red ఎరుపు, green ఆకుపచ్చ, yellow పసుపు, blue నీలం",
    "time": "day రోజు, night రాత్రి, year సంవత్సరం, month నెల, week వారం, today ఈరోజు, tomorrow రేపు",
    "qualities": """big పెద్ద, small చిన్న, good మంచి, bad చెడు, new కొత్త, old పాత, hot వేడి,
        cold చల్లని, sweet తీపి, beautiful అందమైన""",
}


@dataclass(frozen=True, eq=False, repr=False)
class WordPairs(Dataset):
    """Two vocabularies and the words of them that belong together.

    From :func:`load_capitals` and :func:`load_translation`.

    Attributes
    ----------
    source, target : WordVectors
        The vocabularies; one and the same for capitals.
    pairs : list of (str, str)
        A word of the source and its partner in the target, in an order that mixes the groups.
    group : dict of str to str
        The group of every word of the source.
    """

    source: WordVectors
    target: WordVectors
    pairs: list[tuple[str, str]]
    group: dict[str, str]


def load_capitals() -> WordPairs:
    r"""Return made-up vectors of countries and their capitals in one space.

    Which city is the capital of which country is a fact; the vectors are drawn. A country is
    :math:`c = g + p`, the centre of its continent and a part of its own. Its capital lies at
    :math:`c M + h + e`, with a map :math:`M` that is the same for all of them (a rotation that
    stretches some directions), the place :math:`h` where cities are, and noise :math:`e`. As in the
    spaces that are learned from texts, what leads from a country to its capital is nearly linear.

    Returns
    -------
    WordPairs
        113 countries and 113 capitals with vectors of 20 numbers, and the pairs.

    Examples
    --------
    >>> from quire.alignment import VectorMap
    >>> from quire.datasets import load_capitals
    >>> data = load_capitals()
    >>> model = VectorMap("least_squares").fit(data.source, data.target, data.pairs[:75])
    >>> model.translate("Italy", k=1)[0][0][0]
    'Rome'
    """
    from quire.alignment import WordVectors

    pairs, group = _listed(_CAPITALS)
    rng = np.random.default_rng(113)
    countries = _grouped(rng, [group[country] for country, _ in pairs])
    stretch = np.linspace(0.6, 1.4, _DIMENSION)
    cities = countries @ (_rotation(rng) * stretch) + 0.5 * rng.normal(size=_DIMENSION)
    cities += 0.8 * rng.normal(size=cities.shape)
    words = [country for country, _ in pairs] + [city for _, city in pairs]
    space = WordVectors(words, np.vstack([countries, cities]).round(4))
    return WordPairs(source=space, target=space, pairs=_mixed(rng, pairs), group=group)


def load_translation() -> WordPairs:
    r"""Return made-up vectors of everyday English words and of their Telugu translations.

    The dictionary is one of common words; the vectors are drawn. An English word is
    :math:`x = g + p`, the centre of its group (numbers, animals, colours and so on) and a part of
    its own. The Telugu word lies at :math:`x Q + e` in a space of its own, with a rotation
    :math:`Q` and noise :math:`e`: two spaces that were learned apart differ by little more than
    that.

    Returns
    -------
    WordPairs
        105 words of either language with vectors of 20 numbers, and the pairs.

    Examples
    --------
    >>> from quire.alignment import VectorMap
    >>> from quire.datasets import load_translation
    >>> data = load_translation()
    >>> model = VectorMap("orthogonal").fit(data.source, data.target, data.pairs[:70])
    >>> data.pairs[-1]
    ('year', 'సంవత్సరం')
    >>> model.translate("year", k=1)[0][0][0]
    'సంవత్సరం'
    """
    from quire.alignment import WordVectors

    pairs, group = _listed(_TELUGU)
    rng = np.random.default_rng(91)
    english = _grouped(rng, [group[word] for word, _ in pairs])
    telugu = english @ _rotation(rng)
    telugu += 0.8 * rng.normal(size=telugu.shape)
    order = rng.permutation(len(pairs))  # neither space knows the order of the other
    return WordPairs(
        source=WordVectors([word for word, _ in pairs], english.round(4)),
        target=WordVectors([pairs[k][1] for k in order], telugu[order].round(4)),
        pairs=_mixed(rng, pairs),
        group=group,
    )


def _listed(groups: dict[str, str]) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """Return the pairs, and the group of each first word."""
    pairs, group = [], {}
    for name, text in groups.items():
        for pair in text.split(","):
            first, second = pair.split()
            pairs.append((first.replace("_", " "), second.replace("_", " ")))
            group[pairs[-1][0]] = name
    return pairs, group


def _grouped(rng: np.random.Generator, groups: list[str]) -> Any:
    """Draw vectors that lie about the centres of their groups."""
    names = sorted(set(groups))
    centres = rng.normal(size=(len(names), _DIMENSION))
    return centres[[names.index(name) for name in groups]] + 0.8 * rng.normal(
        size=(len(groups), _DIMENSION)
    )


def _rotation(rng: np.random.Generator) -> Any:
    """Draw a rotation, or a rotation and a reflection."""
    Q, R = np.linalg.qr(rng.normal(size=(_DIMENSION, _DIMENSION)))
    return Q * np.sign(np.diag(R))  # the signs are up to the library, and would not be the same


def _mixed(rng: np.random.Generator, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [pairs[k] for k in rng.permutation(len(pairs))]
