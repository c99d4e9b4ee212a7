"""Mistakes that a programmer could make in the kernel or in what it calls, one replacement of text each.

The old text must stand exactly once in its file, so a change of the kernel that moves a mutant is noticed at once.
"""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """A mistake: in `file`, `old` becomes `new`.

    The file is one of the kernel, or with a folder in its name one of the package (``core/piles.py``).
    """

    file: str
    old: str
    new: str
    mistake: str


CATALOGUE = [
    # market.py
    Mutant(
        "market.py",
        'if stocked >= int(t["market_refill_below"]):',
        'if stocked > int(t["market_refill_below"]):',
        "the market is refilled one brick too early",
    ),
    Mutant(
        "market.py",
        'while stocked < int(t["market_refill_to"]) and',
        'while stocked <= int(t["market_refill_to"]) and',
        "one supply card too many",
    ),
    Mutant(
        "market.py",
        'and int(s["reserve"]) > 0:\n        card',
        ":\n        card",
        "supply cards are drawn with an empty reserve",
    ),
    Mutant(
        "market.py",
        "for colour in range(NUM_COLOURS - 1, -1, -1):\n            bricks = min(int(t",
        "for colour in range(NUM_COLOURS):\n            bricks = min(int(t",
        "a short reserve serves the cheapest shops first",
    ),
    Mutant(
        "market.py",
        's["reserve"] = int(s["reserve"]) - bricks\n            stocked',
        "stocked",
        "the refill makes bricks out of nothing",
    ),
    Mutant(
        "market.py",
        "if left == 0:\n        left",
        "if left <= 1:\n        left",
        "the supply pile is shuffled before its last card is drawn",
    ),
    Mutant(
        "market.py",
        'shuffle_draw(s["key"], s["counters"], SUPPLY_STREAM, cards, left)\n',
        "pass\n",
        "the supply discard pile is turned over without shuffling",
    ),
    Mutant(
        "market.py",
        'lay_out(s["building_cards"], displayed, drawable, int(t["building_display"]))',
        "0",
        "building cards are not refilled",
    ),
    Mutant(
        "market.py",
        'lay_out(s["honour_cards"], displayed, drawable, int(t["honour_display"]))',
        "0",
        "honour cards are not refilled",
    ),
    Mutant(
        "core/piles.py",
        "draw_card(cards, drawable - i)",
        "draw_card(cards, i + 1)",
        "displays are refilled from the pile's bottom",
    ),
    Mutant(
        "core/piles.py",
        "cards[later] = cards[later + 1]",
        "cards[later] = cards[opened - 1]",
        "the gap in a display is filled with the last card",
    ),
    Mutant(
        "core/piles.py",
        "for place in range(opened):\n        if cards[place] == card:",
        "for place in range(opened - 1, -1, -1):\n        if cards[place] == card:",
        "the last of two equal cards is taken",
    ),
    Mutant(
        "market.py",
        'romans = min(int(gains[GAIN_ROMANS]), int(s["romans_reserve"][player]))',
        "romans = int(gains[GAIN_ROMANS])",
        "Romans come from nowhere",
    ),
    Mutant("market.py", 's["romans_reserve"][player] -= romans', "pass", "Romans gained stay in the reserve too"),
    Mutant("market.py", 's["vp"][player] += gains[GAIN_VP]', "pass", "cards give no VP"),
    Mutant("market.py", 's["influence"][player] += gains[GAIN_INFLUENCE]', "pass", "rewards give no influence"),
    Mutant(
        "market.py",
        "for colour in range(NUM_COLOURS - 1, -1, -1):\n        bricks = min(int(gains",
        "for colour in range(NUM_COLOURS):\n        bricks = min(int(gains",
        "a short reserve gives the cheapest brick of a card",
    ),
    # cards.py
    Mutant(
        "cards.py",
        'if int(t["card_players"][card]) >= int(s["num_players"]):',
        "if True:",
        "the card for 2 or 3 players stays in a game of four",
    ),
    Mutant(
        "cards.py",
        'for _ in range(min(size, int(t["hand_size"]))):',
        "for _ in range(2):",
        "the hand size is typed by hand",
    ),
    Mutant("cards.py", 's["honour_bought"] = 0\n', "pass\n", "one honour card a game"),
    Mutant(
        "cards.py",
        's["markers_left"] = t["card_torches"][card]',
        's["markers_left"] = 3',
        "every card has three torches",
    ),
    Mutant("cards.py", 's["markers_left"] = 0\n', "", "unused markers are kept"),
    Mutant(
        "cards.py",
        "    draw_action_card(s, player)\n\n\n@jit\ndef can_pay_torch",
        "\n\n@jit\ndef can_pay_torch",
        "no card is drawn at the end of a turn",
    ),
    Mutant(
        "cards.py",
        'if s["markers_left"] > 0:\n        s["markers_left"] -= 1',
        'if s["torches"][player] == 0:\n        s["markers_left"] -= 1',
        "torch tokens are used before markers",
    ),
    Mutant(
        "cards.py",
        'return bool(s["markers_left"] > 0 or s["torches"][player] > 0)',
        'return bool(s["markers_left"] > 0)',
        "torch tokens cannot be used for icons",
    ),
    Mutant("cards.py", 's["icons_left"][icon] -= 1\n', "pass\n", "an icon can be used again and again"),
    # building.py
    Mutant(
        "building.py",
        "for _ in range((before + bricks) // every - before // every):",
        "if (before + bricks) // every > before // every:",
        "a build gives at most one reward",
    ),
    Mutant(
        "building.py",
        "(before + bricks) // every - before // every",
        "bricks // every",
        "rewards count the new bricks only",
    ),
    Mutant(
        "building.py",
        's["sesterces"][player] -= t["way_to_building"][int(s["quarter"][player]), building]',
        's["sesterces"][player] -= t["way_to_building"][building, int(s["quarter"][player])]',
        "the builder walks counter-clockwise",
    ),
    Mutant("building.py", 's["quarter"][player] = building\n', "", "the builder stays where he was"),
    Mutant(
        "building.py",
        'coloured = min(height, int(s["bricks"][player, colour]))',
        'coloured = max(0, height - int(s["bricks"][player, WHITE]))',
        "white bricks are used first",
    ),
    Mutant("building.py", 's["romans"][player] -= 1', "pass", "an element needs no Roman"),
    Mutant(
        "building.py",
        'height * int(t["brick_price"][colour])',
        "height * colour",
        "the Porta Nigra pays one less a brick",
    ),
    Mutant(
        "building.py",
        's["vp"][player] += t["spot_vp"][spot]',
        's["vp"][player] += t["spot_vp"][spot] - 1',
        "a fixed spot scores one less",
    ),
    Mutant(
        "building.py",
        'if t["row_gives_card"][int(t["spot_row"][spot])] != 0 and take',
        "if take",
        "row C gives building cards",
    ),
    Mutant(
        "building.py",
        's["num_building_display"] = displayed - 1\n',
        "",
        "a taken building card leaves the display too long",
    ),
    Mutant(
        "building.py",
        's["buildings_owned"][player, building] += 1',
        's["buildings_owned"][0, building] += 1',
        "building cards go to seat 0",
    ),
    Mutant(
        "building.py",
        'if s["reserve"] > 0:\n        for place',
        "if True:\n        for place",
        "a crown is placed from an empty reserve",
    ),
    Mutant(
        "building.py",
        'and s["spot_height"][spot] < t["porta_nigra_max_height"]',
        "",
        "a crown makes an element too high",
    ),
    Mutant(
        "building.py",
        's["reserve"] = int(s["reserve"]) - 1\n',
        "pass\n",
        "the crowning brick is not taken from the reserve",
    ),
    Mutant(
        "building.py", "    add_to_building(t, s, player, PORTA_NIGRA, 1)\n", "", "a crowning brick triggers no reward"
    ),
    Mutant("building.py", 'if s["spot_owner"][spot] == player and', "if", "any element may be crowned"),
    # honours.py
    Mutant(
        "honours.py",
        'if s["influence"][player] < t["honour_cost"][kind]:',
        'if s["influence"][player] <= t["honour_cost"][kind]:',
        "an honour card needs one influence more",
    ),
    Mutant(
        "honours.py",
        's["influence"][player] -= t["honour_cost"][kind]',
        's["influence"][player] -= 1',
        "every honour card costs one",
    ),
    Mutant(
        "honours.py",
        "                return False\n",
        "                pass\n",
        "a 30 can be bought without four buildings",
    ),
    Mutant("honours.py", 's["buildings_owned"][player, building] -= 1', "pass", "the four building cards are kept"),
    Mutant("honours.py", 's["finals_owned"][player, discarded] -= 1', "pass", "the lower final card is kept"),
    Mutant(
        "honours.py",
        'return discarded < 0 or bool(s["finals_owned"][player, discarded] > 0)',
        "return True",
        "a 42 can be bought without a 30",
    ),
    Mutant("honours.py", 's["honour_bought"] = 1', "pass", "any number of honour cards a turn"),
    Mutant("honours.py", "and crown_targets(t, s, player) != 0)", ")", "a crown without a target is asked for"),
    Mutant(
        "honours.py",
        's["buildings_owned"][player, int(t["honour_substitute"][kind])] += 1',
        "pass",
        "substitutes are worth nothing",
    ),
    # turn.py
    Mutant(
        "turn.py",
        "    refill_market(t, s)\n    refill_displays(t, s)\n",
        "    refill_displays(t, s)\n",
        "the market refill is forgotten",
    ),
    Mutant(
        "turn.py",
        'if s["early_player"] >= 0:\n        return\n    player',
        "if False:\n        return\n    player",
        "the early end happens again and again",
    ),
    Mutant("turn.py", 's["vp"][player] += t["early_end_bonus_vp"]', "pass", "no bonus for the early end"),
    Mutant(
        "turn.py",
        'if not last_element and (s["reserve"] > 0 or market_bricks(s) > 0):',
        "if not last_element:",
        "empty reserve and market do not end the game",
    ),
    Mutant(
        "turn.py",
        'if not last_element and (s["reserve"] > 0 or market_bricks(s) > 0):',
        'if not last_element and s["reserve"] > 0:',
        "an empty reserve alone ends the game",
    ),
    Mutant(
        "turn.py",
        's["romans"][player] == 0 and s["romans_reserve"][player] == 0',
        's["romans"][player] == 0',
        "Romans in the reserve do not count for the fifteenth element",
    ),
    Mutant(
        "turn.py",
        's["final_turns"][i] = (player + 1 + i) % players',
        's["final_turns"][i] = (player + players - 1 - i) % players',
        "final turns go counter-clockwise",
    ),
    Mutant("turn.py", "    use_final_turn(s, player)\n", "", "final turns never end"),
    Mutant(
        "turn.py",
        'if s["early_player"] >= 0 and s["num_final_turns"] == 0:',
        "if False:",
        "the game goes on after the final turns",
    ),
    Mutant(
        "turn.py",
        'elif int(s["round"]) >= int(t["rounds"][int(s["num_players"])]):',
        'elif int(s["round"]) > int(t["rounds"][int(s["num_players"])]):',
        "one round too many",
    ),
    Mutant(
        "turn.py",
        's["phase"] = SPLIT_TENS\n        s["current_player"] = s["starting_player"]',
        's["phase"] = SPLIT_TENS\n        s["current_player"] = 0',
        "seat 0 always splits first",
    ),
    Mutant(
        "turn.py",
        'return bricks * int(t["interim_multiplier"][int(s["num_players"])])',
        "return bricks * 2",
        "bricks always count double",
    ),
    Mutant(
        "turn.py",
        's["vp"][player] += split_total(t, s, player) - sesterces',
        's["vp"][player] += split_total(t, s, player)',
        "the interim scoring pays twice",
    ),
    Mutant(
        "turn.py",
        'if fewest < 0 or s["vp"][seat] < s["vp"][fewest]:',
        'if fewest < 0 or s["vp"][seat] <= s["vp"][fewest]:',
        "the oldest of a tie appoints",
    ),
    Mutant(
        "turn.py",
        'if fewest < 0 or s["vp"][seat] < s["vp"][fewest]:',
        'if fewest < 0 or s["vp"][seat] > s["vp"][fewest]:',
        "the leader appoints",
    ),
    Mutant("turn.py", "        deal_deck(t, s, player)\n", "        pass\n", "no new hands in a new round"),
    Mutant(
        "turn.py",
        '        first = int(s["final_turns"][0])\n',
        "",
        "the appointed seat plays although she has no final turn",
    ),
    Mutant(
        "turn.py",
        "seat = (starter + i) % players\n            if",
        "seat = i\n            if",
        "final turns are not re-sorted from the starting player",
    ),
    Mutant("turn.py", 's["round"] += 1', "pass", "rounds are not counted"),
    # step.py
    Mutant(
        "step.py",
        't["way_to_shop"][quarter, colour] + t["brick_price"][colour]',
        't["brick_price"][colour]',
        "the way to a shop is free",
    ),
    Mutant("step.py", "    if colour != WHITE:\n", "    if True:\n", "white moves the builder"),
    Mutant("step.py", 's["market"][colour] -= 1', "pass", "shops never run out"),
    Mutant("step.py", "SMALLEST_COINS + icon - COINS_3", "SMALLEST_COINS", "every coin icon gives three"),
    Mutant(
        "step.py",
        's["influence"][player] -= t["influence_cost_roman"]',
        's["influence"][player] -= 1',
        "a Roman costs one influence",
    ),
    Mutant("step.py", 's["influence"][player] -= t["influence_cost_build"]', "pass", "building by influence is free"),
    Mutant("step.py", 's["sesterces"][player] += t["torch_to_sesterces"]', "pass", "coins are not paid out"),
    Mutant(
        "step.py",
        "use_icon(s, player, BUILD_ICON)\n        build_on",
        "pay_torch(s, player)\n        build_on",
        "the build icon is not used up",
    ),
    Mutant("step.py", "    check_early_end(t, s)\n", "", "the early end is never tested"),
    Mutant("step.py", '10 * int(s["split_tens"]) + action - UNITS', "action - UNITS", "the tens of the split are lost"),
    # legal.py
    Mutant(
        "legal.py",
        "    if colour != WHITE:\n        bricks += int",
        "    if False:\n        bricks += int",
        "white bricks are no substitutes",
    ),
    Mutant(
        "legal.py",
        'if t["way_to_building"][quarter, building] <= s["sesterces"][player]:',
        'if t["way_to_building"][quarter, building] < s["sesterces"][player]:',
        "a build needs one sesterce more than the way",
    ),
    Mutant(
        "legal.py",
        'return suited & reachable & ~int(s["occupied"])',
        "return suited & reachable",
        "occupied spots can be built on",
    ),
    Mutant(
        "legal.py",
        "return suited & ~(taken * EVERY_HEIGHT)",
        "return suited & ~taken",
        "an occupied Porta Nigra spot is open for other heights",
    ),
    Mutant(
        "legal.py",
        'if s["market"][colour] > 0 and price <= s["sesterces"][player]:',
        'if s["market"][colour] > 0 and price < s["sesterces"][player]:',
        "the last sesterce cannot be spent on a brick",
    ),
    Mutant(
        "legal.py",
        'if icon != BUY_ANY and s["market"][icon] > 0:',
        "if icon != BUY_ANY:",
        "an empty shop does not turn its icon grey",
    ),
    Mutant(
        "legal.py",
        'if icon != BUY_ANY and s["market"][icon] > 0:',
        "if icon != BUY_ANY and (affordable >> icon) & 1:",
        "a shop that is too dear turns its icon grey",
    ),
    Mutant(
        "legal.py",
        'if s["romans"][player] > 0 and (by_icon or by_influence):',
        "if by_icon or by_influence:",
        "building without a Roman",
    ),
    Mutant(
        "legal.py",
        'by_influence = influence >= int(t["influence_cost_build"])',
        'by_influence = torch and influence >= int(t["influence_cost_build"])',
        "building by influence needs a marker",
    ),
    Mutant("legal.py", ' and s["romans_reserve"][player] > 0:', ":", "a Roman out of an empty reserve"),
    Mutant(
        "legal.py",
        'if influence > 0 and s["honour_bought"] == 0:',
        "if influence > 0:",
        "a second honour card in a turn",
    ),
    Mutant(
        "legal.py",
        "choices = split_total(t, s, player) // 10 + 1",
        "choices = max(1, split_total(t, s, player) // 10)",
        "the highest tens are missing",
    ),
    Mutant(
        "legal.py",
        'choices = min(10, split_total(t, s, player) - 10 * int(s["split_tens"]) + 1)',
        "choices = 10",
        "more sesterces than the total",
    ),
    # scoring.py
    Mutant(
        "scoring.py",
        'if s["buildings_owned"][player, building] >= level:',
        'if s["buildings_owned"][player, building] > level:',
        "single building cards score nothing",
    ),
    Mutant(
        "scoring.py", 'points = int(s["romans"][player]) * int(t["vp_per_roman"])', "points = 0", "Romans score nothing"
    ),
    Mutant("scoring.py", '// int(t["sesterces_per_vp"])', "// 3 + 1", "a started three of sesterces scores"),
    Mutant(
        "scoring.py",
        'int(t["spot_colour"][spot]) * CLAIM_COLOUR + height',
        "height",
        "a tie goes to the higher element",
    ),
    Mutant(
        "scoring.py",
        'int(t["spot_colour"][spot]) * CLAIM_COLOUR + height',
        'int(t["spot_colour"][spot]) * CLAIM_COLOUR',
        "of two elements of a colour the higher one does not count more",
    ),
    Mutant(
        "scoring.py",
        'and s["spot_height"][spot] == height:',
        'and s["spot_height"][spot] >= height:',
        "higher elements count for lower levels",
    ),
    Mutant(
        "scoring.py",
        'best = max(best, int(t["spot_colour"][spot]) * CLAIM_COLOUR)',
        "best = 0",
        "ties in the Porta Nigra are never broken",
    ),
    Mutant(
        "scoring.py",
        "given = place if tied == 1 else place + 1",
        "given = place",
        "tied players all get the place's points",
    ),
    Mutant("scoring.py", "        if tied > 1:\n            return\n", "", "others move up behind an unbroken tie"),
    Mutant(
        "scoring.py",
        "        if best == 0:\n            return\n",
        "",
        "a player without a brick there gets second place",
    ),
    Mutant(
        "scoring.py",
        "claims = (row_claim(t, s, 0, row), row_claim(t, s, 1, row),",
        "claims = (row_claim(t, s, 1, row), row_claim(t, s, 0, row),",
        "seats 0 and 1 are mixed up in a row",
    ),
    # determinize.py, observe.py, reset.py
    Mutant(
        "determinize.py",
        '            s["hand"][seat] = 0\n',
        "            pass\n",
        "the opponents' hands stay in a redacted state",
    ),
    Mutant("determinize.py", 's["key"][0] = 0\n', "pass\n", "half of the random key stays in a redacted state"),
    Mutant(
        "determinize.py",
        'sort_draw(s["honour_cards"], int(s["num_honour_draw"]))',
        "pass",
        "the order of the honour cards stays in a redacted state",
    ),
    Mutant(
        "determinize.py",
        'shuffle_draw(key, counters, SETUP_STREAM, s["building_cards"], int(s["num_building_draw"]))',
        "pass",
        "determinization leaves the building cards sorted",
    ),
    Mutant(
        "determinize.py",
        'shuffle_draw(s["key"], s["counters"], DECK_STREAM + seat, cards, size)',
        "pass",
        "determinized hands are the lowest cards",
    ),
    Mutant(
        "observe.py",
        'hand = int(s["hand"][player])',
        'hand = int(s["hand"][(player + 1) % int(s["num_players"])])',
        "a player sees her neighbour's hand",
    ),
    Mutant(
        "observe.py",
        "observe_player(s, (player + place) % players, place, out)",
        "observe_player(s, place, place, out)",
        "players are not turned to the observer",
    ),
    Mutant(
        "observe.py",
        "return min(int(value), LARGEST_AMOUNT)",
        "return int(value)",
        "amounts leave their documented bounds",
    ),
    Mutant("reset.py", 'random_below(s["key"], s["counters"], SETUP_STREAM, num_players)', "0", "seat 0 always starts"),
    Mutant(
        "reset.py",
        'shuffle(s["key"], s["counters"], SETUP_STREAM, s["youngest_first"], 0, num_players)',
        "pass",
        "seat 0 is always the youngest",
    ),
    Mutant(
        "reset.py",
        's["romans_reserve"][player] = t["romans_per_player"] - t["start_romans"]',
        's["romans_reserve"][player] = t["romans_per_player"]',
        "players begin with too many Romans",
    ),
    Mutant(
        "reset.py",
        'shuffle_draw(key, counters, SETUP_STREAM, s["building_cards"], NUM_BUILDING_CARDS)',
        "pass",
        "building cards are not shuffled",
    ),
]
