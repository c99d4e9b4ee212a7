/* Two functions of the kernel, `observe_record` and `legal_record`, written by hand in C.
 *
 * benchmarks/porta_nigra/twin.py writes layout.h from the dtypes of states and constants and from the layouts of
 * observations and actions, compiles this file and compares results and speed.  S_field and T_field point at a field of the state s
 * and of the constants t.
 */
#include <stdint.h>
#include <string.h>

#include "layout.h"

static inline int seen_at(int seat, int player, int players)
{
    int place = seat - player;
    return place < 0 ? place + players : place;
}

static inline int amount(int value)
{
    return value < LARGEST_AMOUNT ? value : LARGEST_AMOUNT;
}

static int split_total(const char *t, const char *s, int player)
{
    int bricks = 0;
    for (int building = 0; building < NUM_BUILDINGS; building++)
        bricks += S_built[NUM_BUILDINGS * player + building];
    return bricks * (int)T_interim_multiplier[(int)*S_num_players];
}

static void observe_player(const char *s, int seat, int place, float *out)
{
    out[SESTERCES_AT + place] = (float)(amount(S_sesterces[seat]) * SESTERCES_UNIT);
    out[TORCHES_AT + place] = (float)(amount(S_torches[seat]) * TORCHES_UNIT);
    out[INFLUENCE_AT + place] = (float)(amount(S_influence[seat]) * INFLUENCE_UNIT);
    out[VP_AT + place] = (float)(amount(S_vp[seat]) * VP_UNIT);
    out[ROMANS_AT + place] = (float)(S_romans[seat] * ROMANS_UNIT);
    out[ROMANS_RESERVE_AT + place] = (float)(S_romans_reserve[seat] * ROMANS_RESERVE_UNIT);
    for (int colour = 0; colour < NUM_COLOURS; colour++)
        out[BRICKS_AT + NUM_COLOURS * place + colour] = (float)(S_bricks[NUM_COLOURS * seat + colour] * BRICKS_UNIT);
    if (S_quarter[seat] >= 0)
        out[QUARTER_AT + NUM_BUILDINGS * place + S_quarter[seat]] = 1.0f;
    for (int building = 0; building < NUM_BUILDINGS; building++) {
        int i = NUM_BUILDINGS * place + building, j = NUM_BUILDINGS * seat + building;
        out[BUILT_AT + i] = (float)(S_built[j] * BUILT_UNIT);
        out[BUILDINGS_OWNED_AT + i] = (float)(S_buildings_owned[j] * BUILDINGS_OWNED_UNIT);
    }
    for (int final = 0; final < MAX_FINAL_VALUES; final++)
        out[FINALS_OWNED_AT + MAX_FINAL_VALUES * place + final] =
            (float)(S_finals_owned[MAX_FINAL_VALUES * seat + final] * FINALS_OWNED_UNIT);
    out[NUM_HAND_AT + place] = (float)(S_num_hand[seat] * NUM_HAND_UNIT);
    out[NUM_ACTION_DRAW_AT + place] = (float)(S_num_action_draw[seat] * NUM_ACTION_DRAW_UNIT);
    for (int i = 0; i < S_num_action_discard[seat]; i++)
        out[PLAYED_AT + NUM_ACTION_CARDS * place + S_action_cards[NUM_ACTION_CARDS * seat + i]] = 1.0f;
}

static void observe(const char *t, const char *s, int player, float *out)
{
    int players = *S_num_players;
    memset(out, 0, OBSERVATION_SIZE * sizeof *out);

    out[NUM_PLAYERS_AT + players - 2] = 1.0f;
    out[SEAT_AT + player] = 1.0f;
    out[PHASE_AT + *S_phase] = 1.0f;
    if (*S_current_player >= 0)
        out[CURRENT_PLAYER_AT + seen_at(*S_current_player, player, players)] = 1.0f;
    out[STARTING_PLAYER_AT + seen_at(*S_starting_player, player, players)] = 1.0f;
    for (int place = 0; place < players; place++)
        out[AGE_AT + seen_at(S_youngest_first[place], player, players)] = (float)(MAX_PLAYERS - place) / MAX_PLAYERS;
    out[ROUND_AT] = (float)(*S_round * ROUND_UNIT);
    out[ROUNDS_LEFT_AT] = (float)(((int)T_rounds[players] - *S_round) * ROUND_UNIT);
    out[RESERVE_AT] = (float)(*S_reserve * RESERVE_UNIT);
    for (int colour = 0; colour < NUM_COLOURS; colour++)
        out[MARKET_AT + colour] = (float)(S_market[colour] * MARKET_UNIT);
    for (int place = NUM_SUPPLY_CARDS - *S_num_supply_draw; place < NUM_SUPPLY_CARDS; place++)
        out[SUPPLY_DRAW_AT + S_supply_cards[place]] = 1.0f;
    for (int place = 0; place < *S_num_building_display; place++)
        out[BUILDING_DISPLAY_AT + S_building_cards[place]] = 1.0f;
    for (int place = NUM_BUILDING_CARDS - *S_num_building_draw; place < NUM_BUILDING_CARDS; place++)
        out[BUILDING_DRAW_AT + S_building_cards[place]] = 1.0f;
    int seats[MAX_PLAYERS];
    for (int place = 0; place < MAX_PLAYERS; place++)
        seats[place] = place < players ? (player + place) % players : -2;
    for (int spot = 0; spot < NUM_SPOTS; spot++)
        for (int place = 0; place < MAX_PLAYERS; place++)
            out[SPOT_OWNER_AT + MAX_PLAYERS * spot + place] = S_spot_owner[spot] == seats[place];
    for (int place = 0; place < PORTA_NIGRA_SPOTS; place++)
        out[SPOT_HEIGHT_AT + place] = (float)(S_spot_height[FIXED_SPOTS + place] * SPOT_HEIGHT_UNIT);
    for (int place = 0; place < *S_num_honour_display; place++)
        out[HONOUR_DISPLAY_AT + S_honour_cards[place]] += (float)HONOUR_DISPLAY_UNIT;
    for (int place = NUM_HONOUR_CARDS - *S_num_honour_draw; place < NUM_HONOUR_CARDS; place++)
        out[HONOUR_DRAW_AT + S_honour_cards[place]] += (float)HONOUR_DRAW_UNIT;

    if (*S_card_in_play >= 0) {
        out[CARD_IN_PLAY_AT + *S_card_in_play] = 1.0f;
        for (int icon = 0; icon < NUM_ICONS; icon++)
            out[ICONS_LEFT_AT + icon] = (float)(S_icons_left[icon] * ICONS_LEFT_UNIT);
        out[MARKERS_LEFT_AT] = (float)(*S_markers_left * MARKERS_LEFT_UNIT);
        out[HONOUR_BOUGHT_AT] = (float)*S_honour_bought;
    }
    if (*S_early_player >= 0) {
        out[EARLY_END_AT + seen_at(*S_early_player, player, players)] = 1.0f;
        for (int place = 0; place < *S_num_final_turns; place++)
            out[FINAL_TURNS_AT + seen_at(S_final_turns[place], player, players)] =
                (float)(MAX_PLAYERS - place) / MAX_PLAYERS;
    }
    if (*S_phase == SPLIT_TENS_PHASE || *S_phase == SPLIT_UNITS_PHASE) {
        int current = *S_current_player;
        out[SPLIT_TOTAL_AT] = (float)(split_total(t, s, current) * SPLIT_TOTAL_UNIT);
        out[SPLIT_TENS_AT] = (float)((*S_split_tens + 1) * SPLIT_TENS_UNIT);
        for (int seat = (current + 1) % players; seat != *S_starting_player; seat = (seat + 1) % players)
            out[SPLIT_LEFT_AT + seen_at(seat, player, players)] = 1.0f;
    }

    for (int card = 0; card < NUM_ACTION_CARDS; card++)
        out[HAND_AT + card] = (float)((S_hand[player] >> card) & 1);
    for (int place = 0; place < players; place++)
        observe_player(s, (player + place) % players, place, out);
}

/* What the players to move may know in n states, one after the other, `repeats` times. */
void observe_all(const char *t, const char *states, int64_t n, float *out, int64_t repeats)
{
    for (int64_t repeat = 0; repeat < repeats; repeat++)
        for (int64_t i = 0; i < n; i++) {
            const char *s = states + i * STATE_SIZE;
            observe(t, s, *S_current_player, out + i * OBSERVATION_SIZE);
        }
}

/* Adds {start + i : bit i of members} to a set; members has at most `size` bits. */
static inline void put(uint64_t *words, int start, uint64_t members, int size)
{
    words[start >> 6] |= members << (start & 63);
    if ((start & 63) + size > 64)
        words[(start >> 6) + 1] |= members >> (64 - (start & 63));
}

static inline int bricks_at_hand(const char *s, int player, int colour)
{
    int bricks = S_bricks[NUM_COLOURS * player + colour];
    if (colour != WHITE)
        bricks += S_bricks[NUM_COLOURS * player + WHITE];
    return bricks < HIGHEST_HEIGHT ? bricks : HIGHEST_HEIGHT;
}

static void legal_builds(const char *t, const char *s, int player, int torch, uint64_t *words)
{
    int by_icon = torch && S_icons_left[BUILD_ICON] > 0;
    int by_influence = S_influence[player] >= *T_influence_cost_build;
    if (S_romans[player] == 0 || !(by_icon || by_influence))
        return;
    int64_t fixed = 0, pairs = 0, reachable = 0;
    const int32_t *way = T_way_to_building + NUM_BUILDINGS * S_quarter[player];
    for (int colour = 0; colour < NUM_COLOURS; colour++) {
        int i = (HIGHEST_HEIGHT + 1) * colour + bricks_at_hand(s, player, colour);
        fixed |= T_fixed_spots_within[i];
        pairs |= T_porta_nigra_within[i];
    }
    for (int building = 0; building < NUM_BUILDINGS; building++)
        if (way[building] <= S_sesterces[player])
            reachable |= T_fixed_spots_of[building];
    fixed &= reachable & ~*S_occupied;
    int64_t taken = (*S_occupied >> FIXED_SPOTS) & ((1 << PORTA_NIGRA_SPOTS) - 1);
    if (way[PORTA_NIGRA] > S_sesterces[player])
        pairs = 0;
    for (int height = 0; height < NUM_HEIGHTS; height++)
        pairs &= ~(taken << (PORTA_NIGRA_SPOTS * height));
    if (by_icon) {
        put(words, BUILD_ID, fixed, FIXED_SPOTS);
        put(words, BUILD_PORTA_NIGRA_ID, pairs, NUM_HEIGHTS * PORTA_NIGRA_SPOTS);
    }
    if (by_influence) {
        put(words, INFLUENCE_BUILD_ID, fixed, FIXED_SPOTS);
        put(words, INFLUENCE_BUILD_PORTA_NIGRA_ID, pairs, NUM_HEIGHTS * PORTA_NIGRA_SPOTS);
    }
}

static void legal_buys(const char *t, const char *s, int player, uint64_t *words)
{
    const int32_t *way = T_way_to_shop + NUM_COLOURS * S_quarter[player];
    int affordable = 0;
    for (int colour = 0; colour < NUM_COLOURS; colour++)
        if (S_market[colour] > 0 && T_brick_price[colour] + way[colour] <= S_sesterces[player])
            affordable |= 1 << colour;
    for (int icon = 0; icon <= BUY_ANY; icon++)
        if (S_icons_left[icon] > 0) {
            int only = icon != BUY_ANY && S_market[icon] > 0;
            put(words, BUY_ID + NUM_COLOURS * icon, only ? affordable & 1 << icon : affordable, NUM_COLOURS);
        }
}

static int can_buy_honour(const char *t, const char *s, int player, int kind)
{
    if (S_influence[player] < T_honour_cost[kind])
        return 0;
    if (T_honour_discard_buildings[kind])
        for (int building = 0; building < NUM_BUILDINGS; building++)
            if (S_buildings_owned[NUM_BUILDINGS * player + building] == 0)
                return 0;
    int discarded = T_honour_discard_final[kind];
    return discarded < 0 || S_finals_owned[MAX_FINAL_VALUES * player + discarded] > 0;
}

static void legal_main(const char *t, const char *s, int player, uint64_t *words)
{
    put(words, END_ID, 1, 1);
    int torch = *S_markers_left > 0 || S_torches[player] > 0;
    if (torch) {
        put(words, COIN_ID, 1, 1);
        legal_buys(t, s, player, words);
        for (int icon = INFLUENCE_ICON; icon < NUM_ICONS; icon++)
            if (S_icons_left[icon] > 0)
                put(words, TAKE_ID + icon - INFLUENCE_ICON, 1, 1);
    }
    legal_builds(t, s, player, torch, words);
    if (S_influence[player] >= *T_influence_cost_roman && S_romans_reserve[player] > 0)
        put(words, ROMAN_ID, 1, 1);
    if (S_influence[player] > 0 && !*S_honour_bought)
        for (int place = 0; place < *S_num_honour_display; place++)
            if (can_buy_honour(t, s, player, S_honour_cards[place]))
                put(words, HONOUR_ID + S_honour_cards[place], 1, 1);
}

static void legal(const char *t, const char *s, uint64_t *words)
{
    int player = *S_current_player;
    memset(words, 0, NUM_WORDS * sizeof *words);
    switch (*S_phase) {
    case MAIN_PHASE:
        legal_main(t, s, player, words);
        break;
    case CHOOSE_CARD_PHASE:
        put(words, CARD_ID, S_hand[player], NUM_ACTION_CARDS);
        break;
    case PLACE_BUILDER_PHASE:
        put(words, PLACE_ID, (1 << NUM_BUILDINGS) - 1, NUM_BUILDINGS);
        break;
    case CROWN_PHASE:
        if (*S_reserve > 0)
            for (int i = 0; i < PORTA_NIGRA_SPOTS; i++)
                if (S_spot_owner[FIXED_SPOTS + i] == player && S_spot_height[FIXED_SPOTS + i] < *T_porta_nigra_max_height)
                    put(words, CROWN_ID + i, 1, 1);
        break;
    case SPLIT_TENS_PHASE: {
        int choices = split_total(t, s, player) / 10 + 1;
        put(words, *T_tens_start, (1ull << choices) - 1, choices);
        break;
    }
    case SPLIT_UNITS_PHASE: {
        int choices = split_total(t, s, player) - 10 * *S_split_tens + 1;
        choices = choices < 10 ? choices : 10;
        put(words, UNITS_ID, (1 << choices) - 1, choices);
        break;
    }
    case APPOINT_PHASE:
        put(words, APPOINT_ID, (1 << *S_num_players) - 1, *S_num_players);
        break;
    }
}

/* The sets of legal actions in n states, one after the other, `repeats` times. */
void legal_all(const char *t, const char *states, int64_t n, uint64_t *words, int64_t repeats)
{
    for (int64_t repeat = 0; repeat < repeats; repeat++)
        for (int64_t i = 0; i < n; i++)
            legal(t, states + i * STATE_SIZE, words + i * NUM_WORDS);
}
