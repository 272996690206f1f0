/* states.c - Saves and loads the states of a transfer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "states.h"

#include "allocator.h"
#include "failure.h"
#include "fixed.h"
#include "state.h"
#include "try.h"

/* A state of the transfer and its previous bytes, if they are kept. */
struct vv_old_state {
    size_t move;
    size_t begin; /* offset in `old_bytes` */
    size_t size;
    bool is_kept;
    bool is_loaded; /* it has loaded the new bytes */
};

void vv_states_begin(struct vv_states *s, const struct vv_delivery *d)
{
    *s = (struct vv_states){ .d = d,
        .allocator = &d->pairing->context.allocator };
    vv_buffer_init(&s->old_bytes, s->allocator);
}

void vv_states_end(struct vv_states *s)
{
    vv_buffer_clear(&s->old_bytes);
    vv_release(s->allocator, s->all, s->count * sizeof *s->all);
}

/* --- Previous bytes ----------------------------------------------------- */

static bool is_loaded_from(const struct vv_move *m)
{
    return m->mode == VV_MOVE_STATE && !m->is_fixed;
}

static varve_status states_list(
    struct vv_states *s, size_t move_count, varve_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < move_count; i++)
        count += is_loaded_from(&s->moves[i]);
    s->all = vv_allocate_array(s->allocator, count, sizeof *s->all);
    if (!s->all)
        return vv_fail_memory(error, "the older states");
    for (size_t i = 0; i < move_count; i++) {
        if (is_loaded_from(&s->moves[i]))
            s->all[s->count++] = (struct vv_old_state){ .move = i };
    }
    return VARVE_OK;
}

/* --- Checks ------------------------------------------------------------- */

static bool is_guarded(const struct vv_states *s, size_t i)
{
    return vv_state_is_guarded(s->moves[s->all[i].move].node);
}

static size_t states_size_of(const struct vv_states *s, const struct vv_move *m)
{
    return (size_t)vv_at64(vv_index_of(s->d->pairing)->value_sizes, m->value);
}

/* Reads the bytes of guarded states into the blocks of their moves. They are
 * read again with all other values. */
static varve_status read_guarded(
    struct vv_states *s, size_t count, varve_error *error)
{
    struct vv_move *moves =
        vv_allocate_array(s->allocator, count, sizeof *moves);
    if (!moves)
        return vv_fail_memory(error, "the bytes of states");
    size_t at = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct vv_move *m = &s->moves[s->all[i].move];
        if (!is_guarded(s, i))
            continue;
        moves[at] = vv_move_of(s->d, m->node, m->value, false);
        moves[at++].block = m->block;
    }
    varve_status status = vv_read_quietly(s->d, moves, count, error);
    vv_release(s->allocator, moves, count * sizeof *moves);
    return status;
}

static varve_status states_check(struct vv_states *s, varve_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        count += is_guarded(s, i);
    if (count == 0)
        return VARVE_OK;
    VV_TRY(read_guarded(s, count, error));
    for (size_t i = 0; i < s->count; i++) {
        const struct vv_move *m = &s->moves[s->all[i].move];
        VV_TRY(vv_state_check(m->node, m->block, states_size_of(s, m), error));
    }
    return VARVE_OK;
}

/* Saves a state. A state whose callback refuses cannot be undone, but that is
 * not a failure. */
static varve_status states_keep(
    struct vv_states *s, struct vv_old_state *state, varve_error *error)
{
    varve_error reason = { 0 };
    char text[256];
    varve_node *node = s->moves[state->move].node;
    state->begin = s->old_bytes.size;
    varve_status status = vv_state_save(
        node, vv_node_text(node, text, sizeof text), &s->old_bytes, &reason);
    if (status == VARVE_CALLBACK) {
        s->old_bytes.size = state->begin;
        return VARVE_OK;
    }
    if (status && error)
        *error = reason;
    state->size = s->old_bytes.size - state->begin;
    state->is_kept = true;
    return status;
}

/* A state is undone only if a later one fails. So the last one need not be
 * saved, and one that cannot be saved is loaded last. */
varve_status vv_states_keep(struct vv_states *s, struct vv_move *moves,
    size_t count, varve_error *error)
{
    s->moves = moves;
    VV_TRY(states_list(s, count, error));
    VV_TRY(states_check(s, error));
    if (s->d->options->passes == VARVE_ONE_PASS)
        return VARVE_OK;
    for (size_t i = 0; i < s->count; i++) {
        bool is_last = i + 1 == s->count;
        for (size_t k = 0; k < i && is_last; k++)
            is_last = s->all[k].is_kept;
        if (!is_last && !is_guarded(s, i))
            VV_TRY(states_keep(s, &s->all[i], error));
    }
    return VARVE_OK;
}

/* --- New bytes ---------------------------------------------------------- */

static varve_status load_some(
    struct vv_states *s, bool are_kept, bool are_guarded, varve_error *error)
{
    for (size_t i = 0; i < s->count; i++) {
        struct vv_old_state *state = &s->all[i];
        const struct vv_move *m = &s->moves[state->move];
        size_t size = states_size_of(s, m);
        char text[256];
        if (state->is_kept != are_kept || is_guarded(s, i) != are_guarded)
            continue;
        VV_TRY(vv_state_load(m->node, vv_node_text(m->node, text, sizeof text),
            m->block, size, error));
        state->is_loaded = true;
    }
    return VARVE_OK;
}

varve_status vv_states_load(struct vv_states *s, varve_error *error)
{
    VV_TRY(load_some(s, true, false, error));
    VV_TRY(load_some(s, false, false, error));
    return load_some(s, false, true, error);
}

/* Called when the variables have their previous values again. New memory still
 * exists. The state that failed has not changed. */
void vv_states_unload(struct vv_states *s)
{
    const uint8_t *old = s->old_bytes.data; /* NULL if all are empty */
    for (size_t i = s->count; i > 0; i--) {
        const struct vv_old_state *state = &s->all[i - 1];
        struct vv_move *m = &s->moves[state->move];
        if (!state->is_loaded)
            continue;
        if (state->is_kept)
            vv_state_load(m->node, "", state->size ? old + state->begin : NULL,
                state->size, NULL);
        else
            m->is_touched = true;
    }
}
