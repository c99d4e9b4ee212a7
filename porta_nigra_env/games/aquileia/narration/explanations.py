"""Two sentences about every component, with the number of its ruling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.narration.facts import Explanation
from porta_nigra_env.games.aquileia.components.load import Components
from porta_nigra_env.games.aquileia.components.names import KINDS, MONEY_HOUSE, VILLA

_SPACES: Final[Mapping[str, tuple[str, str]]] = {
    "dolus": ("The holder rolls {dolus} red dice. Each die gives a coin of its kind.", "A21"),
    "pecunia": ("The holder may exchange coins. The first exchange gives {pecunia} victory points.", "A23"),
    "equi": (
        "The holder may buy the open horse or weapon. The left space also gives the next card of the pile.",
        "A25",
    ),
    "servi": ("The holder may buy slave cards. Each costs one coin of the kind of the space.", "A26"),
    "potentia": ("The holder gets {blue} blue dice. They help in the fight and in the race of this round.", "A27"),
    "arena": ("A follower here fights. The strongest get bronze coins, points or a slave card.", "A32"),
    "gold": ("A follower here races on the gold side. The first two get the stadium cards.", "A35"),
    "silver": ("A follower here races on the silver side. The first two get the stadium cards.", "A35"),
    "theatrum": ("The holder auctions a theatre card. The winner pays the holder.", "A40"),
    "forum": ("The holder may build. Some spaces allow two buildings or score the value of the building.", "A43"),
    "latro": ("The holder rolls {latro} red dice and takes these coins from the Portus. It costs nothing.", "A47"),
    "portus": ("A coin lies here under the follower. If it is not stolen, workshops and money houses work.", "A48"),
}
_BUILDINGS: Final = (
    "A villa of value {value} for {coins} coins and {slaves} slaves. Its colour scores at the end for each card of it.",
    "A workshop of value {value} for {coins} coins and {slaves} slaves. Activated, it gives {vp} victory points.",
    "A money house of value {value} for {coins} coins and {slaves} slaves. Activated, it gives {pays}.",
)
_OTHERS: Final[Mapping[str, tuple[str, str]]] = {
    "bronze": ("Bronze coins pay for equi cards. A bronze face counts in the Arena.", "A25"),
    "silver_coin": ("Silver coins are a kind of their own. No kind is worth more than another.", "A39"),
    "gold_coin": ("Gold coins are a kind of their own. No kind is worth more than another.", "A39"),
    "follower": ("Each follower takes a space and acts there once. Then it goes home.", "A17"),
    "crest": ("Your crest takes the next rank of the advantage track. It breaks ties, and rank 1 starts.", "A50"),
    "house": ("A house marks each building as yours. You have {houses} of them for the whole game.", "A41"),
    "slave_card": ("Slave cards pay for buildings and count in the fight. A card pays for one building only.", "A45"),
    "gold_horse": ("A gold horse adds its strength on the gold side. It is discarded when played.", "A33"),
    "silver_horse": ("A silver horse adds its strength on the silver side. It is discarded when played.", "A33"),
    "weapon": ("A weapon adds its strength in the fight. It is discarded when played.", "A29"),
    "stadium_card": ("A colour multiplies your villas of that colour. A laurel gives points.", "A54"),
    "theatre_card": ("It counts for one of its two colours, the better one. Each round one is auctioned.", "A54"),
    "blue_dice": ("Their owner chooses how many to roll in the fight. The rest is rolled in the race.", "A30"),
    "red_dice": ("Everyone in a fight or race rolls {contest} of them. Faces of the right kind add strength.", "A28"),
    "slave_pile": (
        "Slave cards are drawn from here, unseen by others. An empty pile is made from the discards.",
        "A51",
    ),
    "activation": ("All your workshops give points and all your money houses coins. You do not choose.", "A49"),
    "end": ("The game ends after {rounds} rounds. The most victory points win, and ties are shared.", "A55"),
}


def explanations(components: Components) -> dict[str, Explanation]:
    """Return an explanation of every component by its name in positions."""
    return dict(_all(components))


def _all(components: Components) -> Iterator[tuple[str, Explanation]]:
    constants = components.constants[0]
    numbers = {
        "dolus": int(constants["dolus_red_dice"]),
        "latro": int(constants["latro_red_dice"]),
        "contest": int(constants["contest_red_dice"]),
        "blue": int(constants["blue_dice"]),
        "pecunia": int(constants["pecunia_vp"]),
        "houses": int(constants["houses_per_player"]),
        "rounds": int(constants["rounds"]),
    }
    for name, (text, ruling) in (*_SPACES.items(), *_OTHERS.items()):
        yield name, Explanation(text, ruling, {key: value for key, value in numbers.items() if f"{{{key}}}" in text})
    for number, name in enumerate(components.buildings):
        yield name, _building(constants, number)


def _building(constants: Any, number: int) -> Explanation:
    kind = int(constants["building_kind"][number])
    values: dict[str, Any] = {
        "value": int(constants["building_value"][number]),
        "coins": int(constants["building_cost"][number].sum()),
        "slaves": int(constants["building_slaves"][number]),
        "vp": int(constants["building_vp"][number]),
        "pays": ("coin_name", np.repeat(range(len(KINDS)), constants["building_pays"][number]).tolist()),
    }
    text, ruling = _BUILDINGS[kind], "A54" if kind == VILLA else "A42" if kind == MONEY_HOUSE else "A49"
    return Explanation(text, ruling, {key: value for key, value in values.items() if f"{{{key}}}" in text})
