"""The worked examples of the rulebook: seats clockwise Stefan 0, Lisa 1, Chico 2, Livia 3; Stefan starts."""

from __future__ import annotations

from collections import Counter

from tests.games.aquileia.rules.judges import Judge
from tests.games.aquileia.rules.positions import COMPONENTS, REFEREE, Table, asked, faces, hand, points, stock, until

STEFAN, LISA, CHICO, LIVIA = range(4)


def test_the_fight_and_the_race(judge: Judge) -> None:
    """A28, A29, A30, A31, A32; A33, A34, A35: the Arena's and the Stadium's example, in one round."""
    table = Table().put(arena_1=STEFAN, arena_2=LIVIA, arena_3=CHICO, potentia=CHICO)
    table.put(silver_1=STEFAN, gold_1=LISA, gold_2=LISA, silver_3=CHICO, gold_3=LIVIA)
    table.track(STEFAN, LIVIA, LISA, CHICO).stadium("blue", "laurel_7")
    table.equi(STEFAN, "silver_horse_2").equi(LISA, "gold_horse_1").slaves(CHICO, singles=1)
    table.equi(CHICO, "weapon_2", "silver_horse_1", "silver_horse_1").equi(LIVIA, "weapon_2")

    rolled = [(STEFAN, 1), (CHICO, 0), (LIVIA, 3)]
    position = until(
        judge,
        table.ready(STEFAN),
        "pass",
        lambda after: all(faces(after, "arena", seat)["bronze"] == bronze for seat, bronze in rolled),
    )
    assert asked(position) == ("arena_cards", STEFAN)
    assert position["contest"] == {"strength": {"0": 2, "2": 2, "3": 4}, "last": None}
    assert position["blue_dice"] == {"owner": CHICO, "left": 4}
    assert judge.legal(position) == ["done"]  # he has a horse
    position = judge.play(position, "done")
    assert asked(position) == ("arena_cards", CHICO)
    position = judge.play(position, "play slave_1", "play weapon_2", "done")
    assert asked(position) == ("arena_cards", LIVIA)
    position = judge.play(position, "play weapon_2")  # her last card: she is done
    assert position["contest"]["strength"] == {"0": 2, "2": 5, "3": 6}
    assert asked(position) == ("arena_dice", CHICO)

    position = until(judge, position, "dice 2", lambda after: faces(after, "arena_blue")["bronze"] == 1)
    assert position["contest"]["strength"] == {"0": 2, "2": 6, "3": 6}
    assert asked(position) == ("arena_prize", LIVIA)  # on place 2 of the track, Chico on 4
    assert [stock(position, seat)[0] for seat in range(4)] == [1, 0, 2, 3]
    assert position["blue_dice"] == {"owner": CHICO, "left": 2}
    top = position["slaves"]["draw"][0]

    rolled = [(STEFAN, 2), (LISA, 1), (CHICO, 1), (LIVIA, 2)]
    side = {STEFAN: "silver", LISA: "gold", CHICO: "silver", LIVIA: "gold"}
    position = until(
        judge,
        position,
        "take points",
        lambda after: all(faces(after, "stadium", seat)[side[seat]] == found for seat, found in rolled),
    )
    assert points(position) == [0, 0, 0, 12]
    assert hand(position, CHICO) == {top: 1}
    assert asked(position) == ("stadium_cards", STEFAN)
    assert position["contest"]["strength"] == {"0": 3, "1": 3, "2": 3, "3": 4}
    position = judge.play(position, "play silver_horse_2")  # his last card
    assert asked(position) == ("stadium_cards", LISA)
    position = judge.play(position, "done", "play silver_horse_1")
    position = until(judge, position, "play silver_horse_1", lambda after: faces(after, "stadium_blue")["silver"] == 1)
    assert faces(position, "stadium_blue").total() == 2  # thrown unasked; Livia has no card
    assert position["contest"]["strength"] == {"0": 5, "1": 3, "2": 6, "3": 4}
    assert [stock(position, seat) for seat in range(4)] == [(1, 2, 0), (0, 0, 0), (2, 3, 0), (3, 0, 1)]
    assert asked(position) == ("stadium_prize", CHICO)
    assert position["blue_dice"] is None

    position = judge.play(position, "keep open")
    assert position["stadium"]["past"] == [
        {"open": "blue", "drawn": "laurel_7", "first": CHICO, "second": STEFAN, "first_kept": "open"}
    ]
    assert position["round"] == 2
    assert judge.scores(position)[STEFAN]["laurels"] == 7


def test_strength_twelve_gives_twenty_four_points(judge: Judge) -> None:
    """A32: there is no upper end of strength."""
    position = Table().put(arena_1=0, theatrum=1).coins(1, gold=1).run(judge)
    assert asked(position) == ("arena_prize", 0)
    position["contest"]["strength"]["0"] = 12
    assert points(judge.play(position, "take points")) == [24, 0, 0, 0]


def test_the_auction(judge: Judge) -> None:
    """A37, A38, A39, A40: Stefan pays Lisa 2 silver and 1 bronze; nobody else pays."""
    table = Table().put(theatrum=LISA, forum_1=LISA).theatre("white_blue")
    table.coins(STEFAN, 2, 2, 0).coins(LISA, 0, 3, 1).coins(CHICO, 1, 4, 0).coins(LIVIA, 1, 3, 1)
    position = table.run(judge)
    assert position["auction"] == {
        "card": "white_blue",
        "auctioneer": LISA,
        "bid": {"bronze": 0, "silver": 0, "gold": 0},
        "bidder": None,
        "out": [],
    }
    for seat, action in ((LISA, "bid silver"), (CHICO, "bid silver"), (LIVIA, "pass"), (STEFAN, "bid bronze")):
        assert asked(position) == ("auction", seat)
        position = judge.play(position, action)
    assert asked(position) == ("auction", CHICO)  # Lisa has no bronze
    assert position["auction"]["bid"] == {"bronze": 1, "silver": 2, "gold": 0}
    assert (position["auction"]["bidder"], position["auction"]["out"]) == (STEFAN, [LISA, LIVIA])
    position = judge.play(position, "pass")
    assert position["theatre"]["won"] == {"white_blue": STEFAN}
    assert [stock(position, seat) for seat in range(4)] == [(1, 0, 0), (1, 5, 1), (1, 4, 0), (1, 3, 1)]
    assert asked(position) == ("forum", LISA)


def test_the_buildings(judge: Judge) -> None:
    """A41, A43, A44, A45, A46: Livia on 2 and 5 scores her values, Lisa on 3 builds twice and scores nothing."""
    table = Table().put(forum_2=LIVIA, forum_3=LISA, forum_5=LIVIA)
    table.coins(LIVIA, 4, 2, 1).slaves(LIVIA, doubles=3).coins(LISA, 5, 1, 1).slaves(LISA, singles=1, doubles=1)
    position = table.run(judge)
    assert asked(position) == ("forum", LIVIA)  # space 1 is empty
    position = judge.play(position, "build villa_blue_10")
    assert stock(position, LIVIA) == (2, 0, 0)
    assert hand(position, LIVIA) == {"slave_2": 1}  # two cards, four slaves
    assert position["slaves"]["discard"] == {"slave_1": 0, "slave_2": 2}
    assert points(position) == [0, 0, 0, 10]
    assert (asked(position), position["builds_left"]) == (("forum", LISA), 2)

    position = judge.play(position, "build workshop_smith")
    assert (asked(position), position["builds_left"]) == (("forum", LISA), 1)
    assert hand(position, LISA) == {"slave_2": 1}
    position = judge.play(position, "build villa_blue_4")
    assert hand(position, LISA) == {}  # the second slave of the double is lost
    assert asked(position) == ("forum", LIVIA)
    assert judge.legal(position) == ["build money_house_silver_gold", "pass"]
    position = judge.play(position, "build money_house_silver_gold")
    assert points(position) == [0, 0, 0, 12]
    owners = dict.fromkeys(("villa_blue_10", "money_house_silver_gold"), LIVIA)
    assert position["buildings"] == owners | {"workshop_smith": LISA, "villa_blue_4": LISA}


def test_the_two_slaves_of_a_double_never_serve_two_buildings(judge: Judge) -> None:
    """A45: on space 3 with one double: the second building can need no slave."""
    position = Table().put(forum_3=1).coins(1, 4, 1, 1).slaves(1, doubles=1).run(judge)
    position = judge.play(position, "build workshop_smith")
    assert judge.legal(position) == ["build workshop_baker", "build workshop_potter", "pass"]


def test_the_harbour(judge: Judge) -> None:
    """A47, A48, A49: Livia pays again, Stefan's silver still lies there, Chico has no gold left."""
    table = Table().put(latro=LISA, portus_bronze=LIVIA, portus_silver=STEFAN, portus_gold=CHICO).coins(LIVIA, 2)
    table.build(LIVIA, "money_house_silver_gold", "workshop_smith").build(STEFAN, "workshop_goldsmith")
    table.build(CHICO, "workshop_potter")
    dice = Counter(["bronze", "gold"])
    position = until(judge, table.ready(STEFAN), "pass", lambda after: faces(after, "latro") == dice)
    assert stock(position, LISA) == (1, 0, 1)
    assert (asked(position), position["portus_coins"]) == (("portus", LIVIA), ["silver"])
    position = judge.play(position, "activate")
    assert [stock(position, seat) for seat in range(4)] == [(0, 0, 0), (1, 0, 1), (0, 0, 0), (1, 1, 1)]
    assert points(position) == [5, 0, 0, 4]
    assert asked(position) == ("place", STEFAN)


def test_the_villas(judge: Judge) -> None:
    """A54: a blue stadium card and a blue-yellow theatre card: 2 x (10 + 6); the yellow villas score nothing."""
    table = Table(round=2).build(LIVIA, "villa_blue_10", "villa_blue_6", "villa_yellow_8", "villa_yellow_4")
    table.past(open="blue", drawn="laurel_5", first=LIVIA, second=None, first_kept="open")
    table.theatre("white_blue", blue_yellow=LIVIA)
    assert judge.scores(table.asked(STEFAN))[LIVIA] == {
        "vp": 0,
        "laurels": 0,
        "villas": {"white": 0, "blue": 32, "yellow": 0, "purple": 0},
        "theatre": {"blue_yellow": "blue"},
        "total": 32,
    }


def test_the_counts(judge: Judge) -> None:
    """A2, A36: 28 spaces of 11 kinds, 27 placements at most, two stadium cards a round, the cards of the four decks."""
    board = REFEREE.board
    assert (len(board.spaces), len({space.area for space in board.spaces.values()})) == (28, 11)
    position = Table().coins(0, 1, 1, 1).asked(0)
    alike = {"arena_2", "gold_2", "silver_2"}
    places = [f"place {name}" for name in board.spaces if name not in alike]
    assert judge.legal(position) == sorted([*places, "place crest", "pass"])
    assert len(judge.legal(position)) == 27
    assert {name: cards.total() for name, cards in REFEREE.decks().items()} == {
        "slaves": 22, "equi": 17, "stadium": 12, "theatre": 6,
    }  # fmt: skip
    assert 2 * COMPONENTS["constants"]["rounds"] == 12
    assert sum(space.most for space in board.spaces.values() if space.area == "forum") == 6
