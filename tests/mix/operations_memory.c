/* operations_memory.c - Tests snapshots and rings of graphs that change in the
 * meantime.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "mix/files.h"
#include "mix/jobs.h"
#include "mix/operations.h"
#include "mix/trouble.h"

/* --- Content of a snapshot ------------------------------------------------ */

static mix_set values_of(
    const struct mix_graph *g, uint8_t root, uint8_t except)
{
    mix_set reached = mix_reach(&g->shape, root);
    if (except != MIX_NONE)
        reached &= mix_except(&g->shape, root, except);
    for (uint8_t n = 0; n < MIX_NODES; n++)
        if (!mix_is_value(&g->shape.nodes[n]))
            reached &= ~mix_one(n);
    return reached;
}

static void note_taken(struct mix *m, struct mix_snapshot *s)
{
    const struct mix_graph *g = &m->graphs[s->graph];
    s->version = g->version;
    s->taken = values_of(g, s->root, s->except);
    s->shape = g->shape;
    s->is_unsure = false;
}

/* Compares the types and shapes of the program's nodes with those of the
 * snapshot. */
enum fit { SAME, RETYPED, OTHER };
static enum fit fit_of(const struct mix *m, const struct mix_snapshot *s)
{
    if (s->graph == MIX_NONE)
        return OTHER;
    const struct mix_graph *g = &m->graphs[s->graph];
    if (values_of(g, s->root, s->except) != s->taken)
        return OTHER;
    for (uint8_t n = 0; n < MIX_NODES; n++)
        if (mix_has(s->taken, n) && mix_is_variable(g, n) &&
            (g->shape.nodes[n].dtype != s->shape.nodes[n].dtype ||
                !mix_has_shape_of(
                    &g->shape.nodes[n].value, &s->shape.nodes[n].value)))
            return RETYPED;
    return SAME;
}

/* A value that was absent when the snapshot was taken may be absent again. */
static void put_back(struct mix *m, const struct mix_snapshot *s)
{
    struct mix_graph *g = &m->graphs[s->graph];
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        const struct mix_node *then = &s->shape.nodes[n];
        if (!mix_has(s->taken, n))
            continue;
        if (then->holds)
            g->shape.nodes[n].value = then->value;
        else if (g->maybe_count[n] < MIX_MAYBE)
            g->maybe[n][g->maybe_count[n]++] = then->value;
    }
}

/* If the previous values could not be put back either, each variable may have
 * either value. */
static bool is_half_back(
    struct mix *m, const struct mix_snapshot *s, varve_status status)
{
    struct mix_graph *g = s->graph == MIX_NONE ? NULL : &m->graphs[s->graph];
    if (status != VARVE_PARTIALLY_RESTORED || !mix_may_be_half(m) || !g)
        return false;
    for (uint8_t n = 0; n < MIX_NODES; n++)
        if (mix_has(s->taken, n) && g->maybe_count[n] < MIX_MAYBE)
            g->maybe[n][g->maybe_count[n]++] = s->shape.nodes[n].value;
    mix_take_half(m, s->graph);
    return true;
}

static struct mix_snapshot *choose_snapshot(struct mix *m, uint8_t by)
{
    struct mix_snapshot *s = &m->snapshots[by % MIX_SNAPSHOTS];
    return s->snapshot ? s : NULL;
}

/* --- Single snapshots ----------------------------------------------------- */

static void take(
    struct mix *m, uint8_t number, uint8_t at, uint8_t root, uint8_t except)
{
    const struct mix_graph *g = &m->graphs[at];
    struct mix_snapshot *s = &m->snapshots[number];
    const varve_snapshot_options options = {
        .except = except == MIX_NONE ? NULL : mix_name(except),
        .track = number % 2,
    };
    mix_say(m, "s%d = varve_snapshot_new(g%dn%d%s%s%s);", number, at, root,
        options.track ? ", .track" : "", options.except ? ", .except = " : "",
        options.except ? options.except : "");
    mix_trouble_begin(m);
    s->snapshot = varve_snapshot_new_with(g->nodes[root], &options, &m->error);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "varve_snapshot_new",
        s->snapshot ? VARVE_OK : m->error.status, VARVE_OK,
        s->snapshot ? VARVE_OK : other);
    s->graph = at;
    s->root = root;
    s->except = except;
    if (s->snapshot)
        note_taken(m, s);
}

void mix_take(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    uint8_t root = c < 200 ? 0 : mix_pick(&m->graphs[at], mix_is_object, c);
    if (!m->snapshots[b % MIX_SNAPSHOTS].snapshot)
        take(m, b % MIX_SNAPSHOTS, at, root, MIX_NONE);
}

static void make_ring(
    struct mix *m, uint8_t number, uint8_t at, uint8_t except)
{
    struct mix_ring *ring = &m->rings[number];
    const varve_snapshot_options options = {
        .except = except == MIX_NONE ? NULL : mix_name(except),
    };
    mix_say(m, "q%d = varve_ring_new(g%dn0, 3%s%s);", number, at,
        options.except ? ", .except = " : "",
        options.except ? options.except : "");
    memset(ring, 0, sizeof *ring);
    mix_trouble_begin(m);
    ring->ring =
        varve_ring_new(m->graphs[at].nodes[0], MIX_DEEP, &options, &m->error);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "varve_ring_new", ring->ring ? VARVE_OK : m->error.status,
        VARVE_OK, ring->ring ? VARVE_OK : other);
    ring->graph = at;
    ring->except = except;
}

/* A snapshot, or a ring, without the nodes below an edge of the root. */
void mix_take_part(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    uint8_t except = c % (MIX_NAMES - 1);
    if (c >= 128 && !m->rings[b % MIX_RINGS].ring)
        make_ring(m, b % MIX_RINGS, at, except);
    else if (c < 128 && !m->snapshots[b % MIX_SNAPSHOTS].snapshot)
        take(m, b % MIX_SNAPSHOTS, at, 0, except);
}

void mix_retake(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_snapshot *s = choose_snapshot(m, b);
    (void)a;
    (void)c;
    if (!s)
        return;
    enum fit fit = fit_of(m, s);
    mix_say(m, "varve_snapshot_retake(s%d);", b % MIX_SNAPSHOTS);
    mix_trouble_begin(m);
    varve_status status = varve_snapshot_retake(s->snapshot, &m->error);
    varve_status other = mix_trouble_end(m);
    if (fit != SAME && status == VARVE_MISMATCH)
        return;
    mix_expect(m, "varve_snapshot_retake", status,
        fit == OTHER ? VARVE_MISMATCH : VARVE_OK, other);
    if (status == VARVE_OK)
        note_taken(m, s);
}

void mix_put_back(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_snapshot *s = choose_snapshot(m, b);
    (void)a;
    (void)c;
    if (!s)
        return;
    enum fit fit = fit_of(m, s);
    mix_say(m, "varve_snapshot_restore(s%d);", b % MIX_SNAPSHOTS);
    m->may_half = true;
    mix_trouble_begin(m);
    varve_status status = varve_snapshot_restore(s->snapshot, &m->error);
    varve_status other = mix_trouble_end(m);
    if (is_half_back(m, s, status))
        return;
    mix_expect(m, "varve_snapshot_restore", status,
        fit == SAME ? VARVE_OK : VARVE_MISMATCH, other);
    if (status == VARVE_OK)
        put_back(m, s);
}

void mix_end_snapshot(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_snapshot *s = choose_snapshot(m, b);
    (void)a;
    (void)c;
    if (!s)
        return;
    mix_say(m, "varve_snapshot_free(s%d);", b % MIX_SNAPSHOTS);
    varve_snapshot_free(s->snapshot);
    memset(s, 0, sizeof *s);
}

static varve_status count_one(void *user, const varve_difference *difference)
{
    size_t *count = user;
    (void)difference;
    ++*count;
    return VARVE_OK;
}

void mix_compare(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_snapshot *s = choose_snapshot(m, b);
    size_t wanted = 0, found = 0;
    (void)a;
    (void)c;
    if (!s)
        return;
    enum fit fit = fit_of(m, s);
    mix_say(m, "varve_snapshot_diff(s%d, NULL, ...);", b % MIX_SNAPSHOTS);
    mix_trouble_begin(m);
    varve_status status =
        varve_snapshot_diff(s->snapshot, NULL, count_one, &found, &m->error);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "varve_snapshot_diff", status,
        fit == SAME ? VARVE_OK : VARVE_MISMATCH,
        other           ? other
        : fit == SAME ? VARVE_OK
                      : VARVE_MISMATCH);
    if (status)
        return;
    const struct mix_graph *g = &m->graphs[s->graph];
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        const struct mix_node *now = &g->shape.nodes[n];
        if (mix_has(s->taken, n) && (now->is_opaque || !now->holds))
            return;
        wanted += mix_has(s->taken, n) &&
                  !mix_equal(&now->value, &s->shape.nodes[n].value);
    }
    MIX_CHECK(found == wanted, "expected %zu values to differ, found %zu",
        wanted, found);
}

/* --- Files ---------------------------------------------------------------- */

void mix_write_snapshot(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_snapshot *s = choose_snapshot(m, b);
    uint8_t slot = c % MIX_ORDINARY_FILES;
    const varve_write_options options = { .pending = VARVE_PENDING_OMIT,
        .no_sync = true,
        .compress = a % 2 * MIX_LEVEL };
    if (!s)
        return;
    mix_finish_file(m, slot, MIX_NONE);
    if (s->graph != MIX_NONE)
        mix_finish(m, s->graph);
    bool is_refused = mix_has_parts(&s->shape, s->root);
    if (s->graph != MIX_NONE && s->version != m->graphs[s->graph].version &&
        (is_refused || mix_has_parts(&m->graphs[s->graph].shape, s->root)))
        return; /* either status may be returned */
    enum fit fit = fit_of(m, s);
    bool is_same = fit == SAME && m->graphs[s->graph].version == s->version;
    char path[256];
    strcpy(path, mix_file_path(m, slot, VARVE_FORMAT_VARVE));
    mix_say(m, "varve_snapshot_write(s%d, \"%s\"%s);", b % MIX_SNAPSHOTS, path,
        options.compress ? ", .compress" : "");
    mix_trouble_begin(m);
    varve_status status =
        varve_snapshot_write(s->snapshot, path, &options, &m->error);
    varve_status other = mix_trouble_end(m);
    status = mix_in_place(m, status);
    mix_expect(m, "varve_snapshot_write", status,
        fit != SAME  ? VARVE_MISMATCH
        : is_refused ? VARVE_MISUSE
                     : VARVE_OK,
        other);
    if (status)
        return;
    struct mix_shape written = s->shape;
    for (uint8_t n = 0; n < MIX_NODES && is_same; n++)
        if (!mix_has(s->taken, n))
            written.nodes[n].value = m->graphs[s->graph].shape.nodes[n].value;
    m->files[slot] = mix_file_of(&written, s->root, VARVE_FORMAT_VARVE);
    m->files[slot].is_there = is_same;
    if (is_same)
        mix_look_at_file(m, path, &m->files[slot]);
}

/* The model uses the shape of the graph with the values of the snapshot. */
static void read_into(struct mix *m, struct mix_snapshot *s,
    const struct mix_file *file, const char *path, uint8_t only)
{
    const varve_read_options options = {
        .only = only == MIX_NONE ? NULL : mix_name(only),
    };
    static struct mix_open open;
    static struct mix_graph kept;
    struct mix_graph *g = &m->graphs[s->graph];
    kept = *g;
    mix_open_begin(m, &open, s->graph, s->root, file);
    open.number = ++m->restorations;
    open.only = only;
    g->shape = s->shape;
    enum mix_fit fit = mix_match(m, &open);
    mix_trouble_begin(m);
    varve_status status =
        varve_snapshot_read(s->snapshot, path, &options, &m->error);
    varve_status other = mix_trouble_end(m);
    if (status == VARVE_UNMATCHED)
        MIX_CHECK(file->format != VARVE_FORMAT_VARVE ||
                      !mix_has_match(m, &open, true),
            "something matches: %s", m->error.message);
    else if (fit != MIX_UNSURE || status != VARVE_MISMATCH)
        mix_expect(m, "varve_snapshot_read", status,
            fit == MIX_MISMATCHES ? VARVE_MISMATCH : VARVE_OK, other);
    if (status == VARVE_OK) {
        mix_deliver(m, &open);
        s->is_unsure = open.unsure || open.is_loose;
        s->shape = g->shape;
    }
    *g = kept;
}

static void read_snapshot(
    struct mix *m, uint8_t b, uint8_t c, uint8_t only)
{
    struct mix_snapshot *s = choose_snapshot(m, b);
    mix_finish_file(m, c % MIX_FILES, MIX_NONE);
    const struct mix_file *file = &m->files[c % MIX_FILES];
    if (!s || !file->is_there || fit_of(m, s) != SAME ||
        m->graphs[s->graph].version != s->version)
        return;
    char path[256];
    strcpy(path, mix_file_path(m, c % MIX_FILES, file->format));
    mix_say(m, "varve_snapshot_read(s%d, \"%s\"%s%s);", b % MIX_SNAPSHOTS,
        path, only == MIX_NONE ? "" : ", .only = ",
        only == MIX_NONE ? "" : mix_name(only));
    read_into(m, s, file, path, only);
    if (s->is_unsure)
        mix_end_snapshot(m, 0, b, c);
}

void mix_read_snapshot(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    (void)a;
    read_snapshot(m, b, c, MIX_NONE);
}

void mix_read_snapshot_part(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    const struct mix_snapshot *s = choose_snapshot(m, b);
    if (s && s->root == 0)
        read_snapshot(m, b, c, a % (MIX_NAMES - 1));
}

/* --- Rings ---------------------------------------------------------------- */

void mix_push(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_ring *ring = &m->rings[b % MIX_RINGS];
    uint8_t at = mix_pick_graph(m, a);
    (void)c;
    if (!ring->ring)
        make_ring(m, b % MIX_RINGS, at, MIX_NONE);
    if (!ring->ring)
        return;
    bool is_gone = ring->graph == MIX_NONE;
    mix_say(m, "varve_ring_push(q%d);", b % MIX_RINGS);
    mix_trouble_begin(m);
    varve_status status = varve_ring_push(ring->ring, &m->error);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "varve_ring_push", status,
        is_gone ? VARVE_MISMATCH : VARVE_OK, other);
    if (status)
        return;
    memmove(ring->at + 1, ring->at, sizeof ring->at[0] * (MIX_DEEP - 1));
    if (ring->count < MIX_DEEP)
        ring->count++;
    ring->at[0].graph = ring->graph;
    ring->at[0].root = 0;
    ring->at[0].except = ring->except;
    note_taken(m, &ring->at[0]);
    MIX_CHECK(varve_ring_count(ring->ring) == ring->count, "a ring of %zu",
        varve_ring_count(ring->ring));
}

void mix_roll_back(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_ring *ring = &m->rings[b % MIX_RINGS];
    uint8_t back = c % (MIX_DEEP + 1);
    (void)a;
    if (!ring->ring || ring->graph == MIX_NONE)
        return;
    bool is_there = back < ring->count;
    enum fit fit = is_there ? fit_of(m, &ring->at[back]) : SAME;
    mix_say(m, "varve_ring_rollback(q%d, %d);", b % MIX_RINGS, back);
    m->may_half = true;
    mix_trouble_begin(m);
    varve_status status = varve_ring_rollback(ring->ring, back, &m->error);
    varve_status other = mix_trouble_end(m);
    if (is_there && is_half_back(m, &ring->at[back], status))
        return;
    mix_expect(m, "varve_ring_rollback", status,
        !is_there     ? VARVE_NOT_FOUND
        : fit == SAME ? VARVE_OK
                      : VARVE_MISMATCH,
        other);
    if (status)
        return;
    put_back(m, &ring->at[back]);
    memmove(
        ring->at, ring->at + back, sizeof ring->at[0] * (ring->count - back));
    ring->count = (uint8_t)(ring->count - back);
}

void mix_end_ring(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_ring *ring = &m->rings[b % MIX_RINGS];
    (void)a;
    (void)c;
    if (!ring->ring)
        return;
    mix_say(m, "varve_ring_free(q%d);", b % MIX_RINGS);
    varve_ring_free(ring->ring);
    memset(ring, 0, sizeof *ring);
}
