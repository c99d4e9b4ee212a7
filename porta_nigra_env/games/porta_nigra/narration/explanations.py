"""Two sentences about every component, with the number of its ruling."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from porta_nigra_env.core.narration.facts import Explanation
from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import COINS_3, COLOURS, ICONS

_WHITE_BRICK = (
    "A white brick serves as any colour, but a white spot takes white bricks only. It costs {price} sesterces."
)
_BRICK = (
    "A {colour} brick costs {price} sesterces and is as much worth in the Porta Nigra. It serves {colour} spots only."
)

_REWARDS = {
    "basilica": "Two rows with a majority each. Every {every} of your bricks here give a torch and a Roman.",
    "amphitheatre": ("Three rows with a majority each. Every {every} of your bricks here give sesterces and a Roman."),
    "city_wall": "One long row with one majority at the end. Every {every} of your bricks here give a white brick.",
    "porta_nigra": (
        "You choose the height of an element, and its points are its bricks times their price. "
        "Every {every} of your bricks here give an influence token and Romans."
    ),
}

_ICONS = {
    "buy_any": "This icon buys a brick of any colour. You pay the way of your master builder and the brick.",
    "build": "This icon builds one element. You need a Roman, the bricks, and sesterces for the way.",
    "influence": "This icon gives an influence token. It costs a marker or a torch token like every icon.",
    "torch": "This icon gives a torch token. Markers are used before tokens.",
    "coins": "This icon gives {sesterces} sesterces. It costs a marker or a torch token like every icon.",
}
_BUY = "This icon buys a {colour} brick. It buys any other colour if the {colour} shop is empty."

_OTHERS = {
    "card": (
        "An action card gives {markers} markers and the icons: {icons}. You play one card in a turn and draw another.",
        "R13",
    ),
    "honour": (
        "An honour card costs {cost} influence tokens. You can buy one in a turn, and it works at once or at the end.",
        "R24",
    ),
    "final_card": ("A final scoring card gives {points} points at the end. A better one can replace it.", "R32"),
    "building_card": (
        "You get the card of a building and colour when you build there and it is on display. "
        "Sets of different buildings score at the end.",
        "R31",
    ),
    "supply_card": (
        "Supply cards fill the market when it is short of bricks. A card brings a brick to each shop that it shows.",
        "R7",
    ),
    "sesterces": (
        "Sesterces pay for bricks and for the way of your master builder. At the end they give few points.",
        "R16",
    ),
    "influence_token": (
        "They buy honour cards, Romans and builds without an icon. You can use them at any time in your turn.",
        "R11",
    ),
    "torch_token": (
        "A torch token pays for one icon, like an action marker. Unlike a marker it stays until you use it.",
        "R12",
    ),
    "marker": (
        "A marker pays for one icon of the card in play. Unused markers are lost at the end of the turn.",
        "R12",
    ),
    "roman": (
        "A Roman stands on every element. You need one in your play area to build, and others wait in the reserve.",
        "R18",
    ),
    "master_builder": (
        "Your master builder walks clockwise to where you buy or build. Every border costs sesterces.",
        "R16",
    ),
    "market": (
        "The market has a shop for each colour. It is filled at the start of a turn if it holds few bricks.",
        "R7",
    ),
    "interim_scoring": (
        "After a round every player splits points for all bricks built into victory points and sesterces. "
        "The player with the fewest points then appoints the starting player.",
        "R27",
    ),
    "early_end": (
        "The game ends early when reserve and market are empty or a player has built every element. "
        "The others then have one more turn.",
        "R29",
    ),
}


def explanations(components: Components) -> dict[str, Explanation]:
    """Return an explanation of every component by its name in positions."""
    return dict(_all(components))


def _all(components: Components) -> Iterator[tuple[str, Explanation]]:
    constants = components.constants[0]
    for i, colour in enumerate(COLOURS):
        text, price = _WHITE_BRICK if colour == "white" else _BRICK, int(constants["brick_price"][i])
        yield f"{colour}_brick", Explanation(text, "R19", {"colour": ("colour", [i]), "price": price})
    for building, text in _REWARDS.items():
        yield building, Explanation(text, "R21", {"every": int(constants["reward_every_bricks"])})
    for i, icon in enumerate(ICONS):
        if i < len(COLOURS):
            yield icon, Explanation(_BUY, "R17", {"colour": ("colour", [i])})
        elif i >= COINS_3:
            yield icon, Explanation(_ICONS["coins"], "R14", {"sesterces": int(icon.rpartition("_")[2])})
        else:
            yield icon, Explanation(_ICONS[icon], "R13")
    for name, (text, ruling) in _OTHERS.items():
        if name not in ("card", "honour", "final_card"):
            yield name, Explanation(text, ruling)
    text, ruling = _OTHERS["card"]
    for card, name in enumerate(components.card_names):
        counts = constants["card_icons"][card]
        icons = np.repeat(np.arange(len(ICONS)), counts).tolist()
        yield (
            name,
            Explanation(text, ruling, {"markers": int(constants["card_torches"][card]), "icons": ("icon", icons)}),
        )
    text, ruling = _OTHERS["honour"]
    for honour, name in enumerate(components.honour_names):
        yield name, Explanation(text, ruling, {"cost": int(constants["honour_cost"][honour])})
    text, ruling = _OTHERS["final_card"]
    for value in components.final_values:
        yield f"final_card_{value}", Explanation(text, ruling, {"points": int(value)})
