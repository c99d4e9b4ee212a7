"""Mistakes that a programmer could make in the rules, one replacement of text each."""

from __future__ import annotations

from tests.mutants.runner import in_file

CATALOGUE = [
    *in_file(
        "market.py",
        ('if stocked >[-=-] int(constants["market_refill_below"]):', "the market is refilled one brick too early"),
        ('while stocked <{+=+} int(constants["market_refill_to"]) and', "one supply card too many"),
        ('[-and int(state["reserve"]) > 0-]:\n        card', "supply cards are drawn with an empty reserve"),
        ("colour in range(NUM_COLOURS[- - 1, -1, -1-]):\n         ", "a short reserve serves the cheapest shops first"),
        (
            '[-state["reserve"] = int(state["reserve"]) - bricks\n            stocked-]{+stocked+}',
            "the refill makes bricks from nothing",
        ),
        ("if left [-== 0-]{+<= 1+}:\n        left", "the supply pile is shuffled before its last card is drawn"),
        (
            '[-shuffle_draw(state["key"], state["counters"], SUPPLY_STREAM, cards, left)-]{+pass+}\n',
            "the supply discard pile is turned over without shuffling",
        ),
        (
            '[-lay_out(state["building_cards"], displayed, drawable, int(constants["building_display"]))-]{+0+}',
            "building cards are not refilled",
        ),
        (
            '[-lay_out(state["honour_cards"], displayed, drawable, int(constants["honour_display"]))-]{+0+}',
            "honour cards are not refilled",
        ),
        (
            'romans = [-min(int(gains[GAIN_ROMANS]), int(state["romans_reserve"][player])-]{+int(gains[GAIN_ROMANS]+})',
            "Romans come from nowhere",
        ),
        ('[-state["romans_reserve"][player] -= romans-]{+pass+}', "Romans gained stay in the reserve too"),
        ('[-state["vp"][player] += gains[GAIN_VP]-]{+pass+}', "cards give no VP"),
        ('[-state["influence"][player] += gains[GAIN_INFLUENCE]-]{+pass+}', "rewards give no influence"),
        (" range(NUM_COLOURS[- - 1, -1, -1-]):\n        bricks ", "a short reserve gives the cheapest brick of a card"),
        ('constants["[-way_to_shop"][quarter, colour] + constants["-]brick_price"][', "the way to a shop is free"),
        ("    if [-colour != WHITE-]{+True+}:\n", "white moves the builder"),
        ('[-state["market"][colour] -= 1-]{+pass+}', "shops never run out"),
        ('["market"][colour] > 0 and price <[-=-] state["sesterces"][', "the last sesterce cannot be spent on a brick"),
        ('if icon != BUY_ANY[- and state["market"][icon] > 0-]:', "an empty shop does not turn its icon grey"),
        (' [-state["market"][icon] > 0-]{+(affordable >> icon) & 1+}:', "a shop that is too dear turns its icon grey"),
    ),
    *in_file(
        "cards.py",
        (
            'if [-int(constants["card_players"][card]) >= int(state["num_players"])-]{+True+}:',
            "the card for 2 or 3 players stays in a game of four",
        ),
        ('for _ in range([-min(size, int(constants["hand_size"]))-]{+2+}):', "the hand size is typed by hand"),
        ('[-state["honour_bought"] = 0-]{+pass+}\n', "one honour card a game"),
        ('state["markers_left"] = [-constants["card_torches"][card]-]{+3+}', "every card has three torches"),
        ('[-state["markers_left"] = 0\n-]', "unused markers are kept"),
        ("[-    draw_action_card(state, player)\n-]\n\n@jit\ndef can_pay_", "no card is drawn at the end of a turn"),
        ('if state["[-markers_left"] >-]{+torches"][player] ==+} 0:\n        ', "torch tokens are used before markers"),
        ('bool(state["markers_left"] > 0[- or state["torches"][player] > 0-]', "torch tokens cannot be used for icons"),
        ('[-state["icons_left"][icon] -= 1-]{+pass+}\n', "an icon can be used again and again"),
        ("SMALLEST_COINS[- + icon - COINS_3-]", "every coin icon gives three"),
        ('[-state["sesterces"][player] += constants["torch_to_sesterces"]-]{+pass+}', "coins are not paid out"),
    ),
    *in_file(
        "building.py",
        (
            "[-for _ in range((before + bricks) // every - before // "
            "every)-]{+if (before + bricks) // every > before // every+}:",
            "a build gives at most one reward",
        ),
        ("[-(before + bricks) // every - before-]{+bricks+} // every", "rewards count the new bricks only"),
        (
            'state["sesterces"][player] -= constants["way_to_building"][[-int(state["quarter"][player]), '
            'building-]{+building, int(state["quarter"][player])+}]',
            "the builder walks counter-clockwise",
        ),
        ('[-state["quarter"][player] = building\n-]', "the builder does not move"),
        (
            'coloured = [-min(height, int(state["bricks"][player, colour-]'
            '{+max(0, height - int(state["bricks"][player, WHITE+}]))',
            "white bricks are used first",
        ),
        ('[-state["romans"][player] -= 1-]{+pass+}', "an element needs no Roman"),
        ('height * [-int(constants["brick_price"][colour])-]{+colour+}', "the Porta Nigra pays one less a brick"),
        ('state["vp"][player] += constants["spot_vp"][spot]{+ - 1+}', "a fixed spot scores one less"),
        (' [-constants["row_gives_card"][int(constants["spot_row"][spot])] != 0 and -]', "row C gives building cards"),
        ('[-state["num_building_display"] = displayed - 1\n-]', "a taken building card leaves the display too long"),
        ('state["buildings_owned"][[-player-]{+0+}, building] += 1', "building cards go to seat 0"),
        ('if [-state["reserve"] > 0-]{+True+}:\n        for index', "a crown is placed from an empty reserve"),
        (
            '[-and state["spot_height"][spot] < constants["porta_nigra_max_height"]-]',
            "a crown makes an element too high",
        ),
        (
            '[-state["reserve"] = int(state["reserve"]) - 1-]{+pass+}\n',
            "the crowning brick is not taken from the reserve",
        ),
        ("[-    add_to_building(constants, state, player, PORTA_NIGRA, 1)\n-]", "a crowning brick triggers no reward"),
        ('if[- state["spot_owner"][spot] == player and-]', "any element may be crowned"),
        ('state["influence"][player] -= [-constants["influence_cost_roman"]-]{+1+}', "a Roman costs one influence"),
        ("    if [-colour != WHITE-]{+False+}:\n        bricks += int", "white bricks are no substitutes"),
        ('_to_building"][quarter, building] <[-=-] state["sesterces"]', "a build needs one sesterce more than the way"),
        ('return suited & reachable[- & ~int(state["occupied"])-]', "occupied spots can be built on"),
        (" suited & ~[-(taken * EVERY_HEIGHT)-]{+taken+}", "an occupied Porta Nigra spot is open for other heights"),
        (
            'if [-state["romans"][player] > 0 and (by_icon or by_influence)-]{+by_icon or by_influence+}:',
            "building without a Roman",
        ),
        ('by_influence = {+torch and +}state["influence"][player] >=', "building by influence needs a marker"),
        ('[- and state["romans_reserve"][player] > 0-]:', "a Roman out of an empty reserve"),
    ),
    *in_file(
        "honours.py",
        (' state["influence"][player] <{+=+} constants["honour_cost"][kind', "an honour card needs one influence more"),
        ('state["influence"][player] -= [-constants["honour_cost"][kind]-]{+1+}', "every honour card costs one"),
        ("                [-return False-]{+pass+}\n", "a 30 can be bought without four buildings"),
        ('[-state["buildings_owned"][player, building] -= 1-]{+pass+}', "the four building cards are kept"),
        ('[-state["finals_owned"][player, discarded] -= 1-]{+pass+}', "the lower final card is kept"),
        (
            'return [-discarded < 0 or bool(state["finals_owned"][player, discarded] > 0)-]{+True+}',
            "a 42 can be bought without a 30",
        ),
        ('[-state["honour_bought"] = 1-]{+pass+}', "any number of honour cards a turn"),
        ("[-and crown_targets(constants, state, player) != 0-])", "a crown without a target is asked for"),
        (
            '[-state["buildings_owned"][player, int(constants["honour_substitute"][kind])] += 1-]{+pass+}',
            "substitutes are worth nothing",
        ),
        ('[- and state["honour_bought"] == 0-]:', "a second honour card in a turn"),
    ),
    *in_file(
        "turn.py",
        (
            "    [-refill_market(constants, state)\n    refill_displays-]{+refill_displays+}(constants, state)\n",
            "the market refill is forgotten",
        ),
        ('if [-state["early_player"] >= 0-]{+False+}:\n        return\n    ', "the early end happens again and again"),
        ('[-state["vp"][player] += constants["early_end_bonus_vp"]-]{+pass+}', "no bonus for the early end"),
        ('[- and (state["reserve"] > 0 or market_bricks(state) > 0)-]', "empty reserve and market do not end the game"),
        (
            'if not last_element and [-(state["reserve"] > 0 or market_bricks(state) > 0)-]{+state["reserve"] > 0+}:',
            "an empty reserve alone ends the game",
        ),
        (
            'state["romans"][player] == 0[- and state["romans_reserve"][player] == 0-]',
            "Romans in the reserve do not count for the fifteenth element",
        ),
        ('["final_turns"][i] = (player + [-1 +-]{+players - 1 -+} i) % players', "final turns go counter-clockwise"),
        ("[-    use_final_turn(state, player)\n-]", "final turns never end"),
        (
            'if [-state["early_player"] >= 0 and state["num_final_turns"] == 0-]{+False+}:',
            "the game continues after the final turns",
        ),
        ('elif int(state["round"]) >[-=-] int(constants["rounds"][int(state["num_players"])]):', "one round too many"),
        ('_TENS\n        state["current_player"] = [-state["starting_player"]-]{+0+}', "seat 0 always splits first"),
        (' * [-int(constants["interim_multiplier"][int(state["num_players"])])-]{+2+}', "bricks always count double"),
        ('["vp"][player] += split_total(constants, state, player)[- - sesterces-]', "the interim scoring pays twice"),
        ('if fewest < 0 or state["vp"][seat] <{+=+} state["vp"][fewest]:', "the oldest of a tie appoints"),
        ('if fewest < 0 or state["vp"][seat] [-<-]{+>+} state["vp"][fewest]:', "the leader appoints"),
        ("        [-deal_deck(constants, state, player)-]{+pass+}\n", "no new hands in a new round"),
        ('[-        first = int(state["final_turns"][0])\n-]', "the appointed seat plays without a final turn"),
        ("seat = [-(starter + i) % players-]{+i+}\n        ", "final turns are not re-sorted from the starting player"),
        ('[-state["round"] += 1-]{+pass+}', "rounds are not counted"),
        (
            "choices = [-split_total(constants, state, player) // 10 + "
            "1-]{+max(1, split_total(constants, state, player) // 10)+}",
            "the highest tens are missing",
        ),
        (
            'choices = [-min(10, split_total(constants, state, player) - 10 * int(state["split_tens"]) + 1)-]{+10+}',
            "more sesterces than the total",
        ),
    ),
    *in_file(
        "dispatch.py",
        (
            '[-state["influence"][player] -= constants["influence_cost_build"]-]{+pass+}',
            "building by influence is free",
        ),
        ("[-use_icon(state, player, BUILD_ICON-]{+pay_torch(state, player+})\n      ", "the build icon is not used up"),
        ("[-    check_early_end(constants, state)\n-]", "the early end is never tested"),
        ('[-10 * int(state["split_tens"]) + -]action - ID.units', "the tens of the split are lost"),
    ),
    *in_file(
        "scoring.py",
        ('if state["buildings_owned"][player, building] >[-=-] level:', "single building cards score nothing"),
        ('points = [-int(state["romans"][player]) * int(constants["vp_per_roman"])-]{+0+}', "Romans score nothing"),
        ('// [-int(constants["sesterces_per_vp"])-]{+3 + 1+}', "a started three of sesterces scores"),
        ('[-int(constants["spot_colour"][spot]) * CLAIM_COLOUR + -]height', "a tie goes to the higher element"),
        ('"][spot]) * CLAIM_COLOUR[- + height-]', "of two elements of a colour the higher one does not count more"),
        ('and state["spot_height"][spot] [-=-]{+>+}= height:', "higher elements count for lower levels"),
        (
            'best = [-max(best, int(constants["spot_colour"][spot]) * CLAIM_COLOUR)-]{+0+}',
            "ties in the Porta Nigra are never broken",
        ),
        ("given = rank[- if tied == 1 else rank + 1-]", "tied players all get the rank's points"),
        ("[-        if tied > 1:\n            return\n-]", "others move up behind an unbroken tie"),
        ("[-        if best == 0:\n            return\n-]", "a player without a brick there gets second place"),
        (
            "            row_claim(constants, state, [-0, row),\n            row_claim(constants, "
            "state, 1-]{+1, row),\n            row_claim(constants, state, 0+}, row),\n",
            "seats 0 and 1 are mixed up in a row",
        ),
    ),
    *in_file(
        "determinize.py",
        ('            [-state["hand"][seat] = 0-]{+pass+}\n', "the opponents' hands stay in a redacted state"),
        ('[-state["key"][0] = 0-]{+pass+}\n', "half of the random key stays in a redacted state"),
        (
            '[-sort_draw(state["honour_cards"], int(state["num_honour_draw"]))-]{+pass+}',
            "the order of the honour cards stays in a redacted state",
        ),
        (
            "[-shuffle_draw(key, counters, SETUP_STREAM, "
            'state["building_cards"], int(state["num_building_draw"]))-]{+pass+}',
            "determinization leaves the building cards sorted",
        ),
        (
            '[-shuffle_draw(state["key"], state["counters"], DECK_STREAM + seat, cards, size)-]{+pass+}',
            "determinized hands are the lowest cards",
        ),
        ('state["action_cards"][seat], left[-)-]{+ - 1)+}', "redrawn decks keep their next card"),
        ("[-seed_key(key, counters, seed, REDRAW_PURPOSE)-]{+pass+}", "a redrawn game keeps its random key"),
    ),
    *in_file(
        "observe.py",
        ('["hand"][[-player-]{+(player + 1) % int(state["num_players"])+}])', "a player sees the hand of a neighbour"),
        ("observe_player(state, [-(player + offset) % players-]{+offset+}, ", "players are not turned to the observer"),
        ("return [-min(int(value), int(UNIT.largest)-]{+int(value+})", "amounts leave their documented bounds"),
    ),
    *in_file(
        "reset.py",
        ('[-random_below(state["key"], state["counters"], SETUP_STREAM, num_players)-]{+0+}', "seat 0 always starts"),
        (
            '[-shuffle(state["key"], state["counters"], SETUP_STREAM, '
            'state["youngest_first"], 0, num_players)-]{+pass+}',
            "seat 0 is always the youngest",
        ),
        ('] = constants["romans_per_player"][- - constants["start_romans"]-]', "players begin with too many Romans"),
        (
            '[-shuffle_draw(key, counters, SETUP_STREAM, state["building_cards"], NUM_BUILDING_CARDS)-]{+pass+}',
            "building cards are not shuffled",
        ),
    ),
    *in_file(
        "core/arrays/piles.py",
        ("draw_card(cards, [-drawable - i-]{+i + 1+})", "displays are refilled from the pile's bottom"),
        ("cards[later] = cards[[-later +-]{+opened -+} 1]", "the gap in a display is filled with the last card"),
        ("for index in range(opened{+ - 1, -1, -1+}):\n        if cards[index", "the last of two equal cards is taken"),
    ),
]
