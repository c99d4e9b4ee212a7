/* The hottest function of the kernel, `observe_record`, written by hand in C.
 *
 * benchmarks/porta_nigra/twin.py writes layout.h from the dtypes of states and constants and from the layout of
 * observations, compiles this file and compares results and speed.  S_field and T_field point at a field of the state s
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
