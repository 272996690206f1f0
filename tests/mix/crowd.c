/* crowd.c - Implements processes that save and resume together, and checks
 * their values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mix/crowd.h"

#include <stdio.h>
#include <string.h>

#include <varve/migrating.h>
#include <varve/reader.h>

#include "graph.h"

int64_t mix_crowd_step(struct mix *m, uint8_t size)
{
    return (int64_t)(4 * ++m->fresh + size);
}

uint8_t mix_crowd_size(int64_t step)
{
    return (uint8_t)(step % 4);
}

/* --- Values at a step ----------------------------------------------------- */

static int32_t row_at(int64_t step, uint32_t row)
{
    return (int32_t)(1000 * step + row);
}

static int32_t own_at(int64_t step, uint32_t rank, uint32_t i)
{
    return (int32_t)(10000 * step + 100 * rank + i);
}

static int32_t odd_at(int64_t step, uint32_t rank)
{
    return (int32_t)(-step - rank);
}

static struct mix_thing thing_at(int64_t step, int32_t id)
{
    return (struct mix_thing){ id, (double)step + id / 16.0 };
}

static uint32_t things_at(int64_t step)
{
    return (uint32_t)(step % MIX_THINGS);
}

static uint32_t first_of(const struct mix_member *w, uint32_t rank)
{
    return MIX_CROWD_ROWS * rank / w->size;
}

static uint32_t row_count(const struct mix_member *w)
{
    return first_of(w, w->rank + 1) - first_of(w, w->rank);
}

static void set_own(struct mix_member *w, int64_t step)
{
    for (uint32_t i = 0; i < MIX_OWN; i++)
        w->own[i] = own_at(step, w->rank, i);
    w->odd = odd_at(step, w->rank);
}

static void set_alike(struct mix_member *w, int64_t step)
{
    w->step = step;
    for (uint32_t i = 0; i < row_count(w); i++)
        w->rows[i] = row_at(step, first_of(w, w->rank) + i);
}

/* Sets the things that `from` processes have saved, in the order of the file.
 * Each process had every `from`-th one. */
static void set_things(struct mix_member *w, int64_t step, uint8_t from)
{
    w->hdf5_item_count = 0;
    for (uint32_t rank = 0; rank < from; rank++)
        for (uint32_t id = rank; id < things_at(step); id += from)
            if ((w->has_owner ? id : rank) % w->size == w->rank)
                w->things[w->hdf5_item_count++] = thing_at(step, (int32_t)id);
}

void mix_member_set(struct mix_member *w, int64_t step)
{
    set_alike(w, step);
    set_own(w, step);
    w->hdf5_item_count = 0;
    for (uint32_t id = w->rank; id < things_at(step); id += w->size)
        w->things[w->hdf5_item_count++] = thing_at(step, (int32_t)id);
}

/* --- Things --------------------------------------------------------------- */

static const varve_field thing_fields[] = {
    VARVE_FIELD(struct mix_thing, id),
    VARVE_FIELD(struct mix_thing, at),
    VARVE_FIELDS_END,
};

static size_t count_things(void *user)
{
    const struct mix_member *w = user;
    return w->hdf5_item_count;
}

static void get_things(void *user, void *structs)
{
    const struct mix_member *w = user;
    memcpy(structs, w->things, w->hdf5_item_count * sizeof *w->things);
}

static void clear_things(void *user)
{
    struct mix_member *w = user;
    w->hdf5_item_count = 0;
}

static uint32_t owner_of_thing(void *user, const void *one)
{
    const struct mix_member *w = user;
    const struct mix_thing *thing = one;
    return (uint32_t)thing->id % w->size;
}

static varve_status put_thing(void *user, const void *one)
{
    struct mix_member *w = user;
    if (w->hdf5_item_count == MIX_THINGS)
        return VARVE_LIMIT;
    w->things[w->hdf5_item_count++] = *(const struct mix_thing *)one;
    return VARVE_OK;
}

/* --- Rank-local values ---------------------------------------------------- */

/* Adds up the saved values of all ranks that are congruent to this rank modulo
 * the present number of ranks. */
static varve_status sum_own(void *user, varve_node *mine, varve_reader *saved,
    const char *path, size_t count, varve_error *error)
{
    struct mix_member *w = user;
    int32_t sums[MIX_OWN] = { 0 }, theirs[MIX_OWN];
    (void)mine;
    for (size_t i = w->rank; i < count; i += w->size) {
        char name[64];
        varve_saved_node node;
        snprintf(name, sizeof name, "%s/%zu/own", path, i);
        if (!varve_reader_find(saved, name, &node))
            return VARVE_NOT_FOUND;
        varve_status status =
            varve_reader_read(saved, node.id, theirs, sizeof theirs, error);
        if (status)
            return status;
        for (int k = 0; k < MIX_OWN; k++)
            sums[k] += theirs[k];
    }
    memcpy(w->own, sums, sizeof sums);
    return VARVE_OK;
}

static bool is_folded(const struct mix_member *w, uint8_t saved_by)
{
    return w->fold == MIX_FOLD_ALWAYS ||
           (w->fold == MIX_FOLD_SUMS && saved_by != w->size);
}

bool mix_member_fits(const struct mix_member *w, uint8_t saved_by)
{
    return w->fold != MIX_FOLD_NONE || saved_by == w->size;
}

static void set_folded(struct mix_member *w, int64_t step)
{
    memset(w->own, 0, sizeof w->own);
    for (uint32_t rank = w->rank; rank < mix_crowd_size(step); rank += w->size)
        for (uint32_t i = 0; i < MIX_OWN; i++)
            w->own[i] += own_at(step, rank, i);
}

/* --- Graph ---------------------------------------------------------------- */

static void build(struct mix_member *w, const varve_comm *comm)
{
    varve_node *root = varve_graph_root(w->graph);
    const varve_rank_local_options options = {
        .merge = w->fold >= MIX_FOLD_SUMS ? sum_own : NULL,
        .merge_user = w,
        .drop = w->fold == MIX_FOLD_DROPS,
        .always = w->fold == MIX_FOLD_ALWAYS,
    };
    varve_add_variable(root, "step", varve_scalar(&w->step));
    varve_add_slice(root, "rows", varve_array(w->rows, row_count(w)),
        VARVE_SHAPE(MIX_CROWD_ROWS), (uint64_t[]){ first_of(w, w->rank) });
    varve_node *mine = varve_add_rank_local(root, "private", comm, &options);
    varve_add_variable(mine, "own", varve_array(w->own, MIX_OWN));
    if (w->rank % 2)
        varve_add_variable(mine, "odd", varve_scalar(&w->odd));
    varve_add_migrating(root, "things", comm,
        &(varve_migrating){ thing_fields, sizeof(struct mix_thing),
            .count = count_things, .get = get_things, .clear = clear_things,
            .owner = w->has_owner ? owner_of_thing : NULL, .put = put_thing,
            .user = w });
}

void mix_member_begin(
    struct mix *m, struct mix_member *w, const varve_comm *comm, int64_t step)
{
    w->rank = comm->rank;
    w->size = comm->size;
    w->graph = vv_graph_new_in(&m->context);
    mix_member_set(w, step);
    build(w, comm);
}

void mix_member_end(struct mix_member *w)
{
    varve_graph_free(w->graph);
}

/* --- Checking ------------------------------------------------------------- */

static bool is_like(const struct mix_member *a, const struct mix_member *b)
{
    if (a->step != b->step || a->hdf5_item_count != b->hdf5_item_count ||
        memcmp(a->own, b->own, sizeof a->own) != 0 ||
        (a->rank % 2 && a->odd != b->odd) ||
        memcmp(a->rows, b->rows, row_count(a) * sizeof *a->rows) != 0)
        return false;
    for (size_t i = 0; i < a->hdf5_item_count; i++)
        if (a->things[i].id != b->things[i].id ||
            a->things[i].at != b->things[i].at)
            return false;
    return true;
}

bool mix_member_is_at(const struct mix_member *w, int64_t step)
{
    struct mix_member wanted = *w;
    mix_member_set(&wanted, step);
    return is_like(w, &wanted);
}

bool mix_member_has_got(
    const struct mix_member *w, int64_t step, int64_t before)
{
    struct mix_member wanted = *w;
    uint8_t saved_by = mix_crowd_size(step);
    set_alike(&wanted, step);
    set_things(&wanted, step, saved_by);
    set_own(&wanted, saved_by == w->size ? step : before);
    if (is_folded(w, saved_by)) {
        wanted.odd = odd_at(before, w->rank);
        set_folded(&wanted, step);
    }
    return is_like(w, &wanted);
}
