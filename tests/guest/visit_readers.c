/* visit_readers.c - Visits readers, pages, checkpoints as graphs, and
 * snapshots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "guest/guest.h"
#include "guest/state.h"

#include <stdlib.h>
#include <string.h>

static varve_status on_value(void *user, const varve_saved_node *node,
    const void *bytes, varve_error *error)
{
    (void)user;
    (void)node;
    (void)bytes;
    (void)error;
    guest_called_back("a value");
    return VARVE_OK;
}

static void on_damage(void *user, const varve_damage *damage)
{
    (void)user;
    (void)damage;
    guest_called_back("damage");
}

static void read_one(struct guest *g, varve_reader *reader)
{
    varve_saved_node node;
    CALL(g, (void)varve_reader_find(reader, "model/weights", &node));
    void *bytes = malloc((size_t)node.size);
    const varve_box box = { { 1 }, { 5 } };
    GOOD(g, varve_reader_read(
                reader, node.id, bytes, (size_t)node.size, &g->error));
    GOOD(g, varve_reader_read_box(
                reader, node.id, &box, bytes, (size_t)node.size, &g->error));
    FAILS(g, VARVE_MISUSE,
        varve_reader_read_box(reader, node.id, &box, bytes, 1, &g->error));
    free(bytes);
}

void visit_readers(struct guest *g)
{
    struct state s;
    varve_reader *reader;
    uint8_t digest[16];
    const varve_verify_options verify = { .on_damage = on_damage,
        .progress = state_progress };
    state_open(&s, g);
    GOOD(g, varve_write(s.root, "a.varve", NULL, &g->error));
    LEAVES(g, 0, 1);
    MAKES(g, reader, varve_reader_open("a", state_allocator(), &g->error));
    read_one(g, reader);
    GOOD(g, varve_reader_each(reader, on_value, NULL, 0, &g->error));
    GOOD(g, varve_reader_digest(reader, digest, &g->error));
    GOOD(g, varve_reader_verify(reader, &verify, &g->error));
    LEAVES(g, 0, -1);
    CALL(g, varve_reader_free(reader));
    LEAVES(g, 0, 1);
    MAKES(g, reader, varve_reader_salvage("a", state_allocator(), &g->error));
    LEAVES(g, 0, -1);
    CALL(g, varve_reader_free(reader));
    REFUSES(g, VARVE_NOT_FOUND, varve_reader_open("no", NULL, &g->error));
    varve_remote_options later = { .attempts = 1 };
    memset(&later.reserved, 1, sizeof later.reserved);
    FAILS(g, VARVE_TOO_NEW, varve_remote_enable(&later, &g->error));
    FAILS(g, VARVE_MISUSE, varve_remote_each("here", NULL, NULL, &g->error));
    CALL(g, varve_forbid_hdf5());
    LEAVES(g, 0, 1);
    MAKES(g, reader, varve_reader_open_with("a", NULL, &g->error));
    LEAVES(g, 0, -1);
    CALL(g, varve_reader_free(reader));
    REFUSES(g, VARVE_NOT_FOUND, varve_reader_salvage("no", NULL, &g->error));
    CALL(g, state_close(&s));
}

void visit_structures(struct guest *g)
{
    struct state s;
    varve_graph *graph;
    varve_node *copy;
    const varve_allocator *allocator = state_allocator();
    state_open(&s, g);
    GOOD(g, varve_write(s.root, "a.varve", NULL, &g->error));
    MAKES(g, graph, varve_graph_from("a", allocator, &g->error));
    MAKES(g, copy,
        varve_copy_subgraph(
            s.root, "graft", varve_graph_root(graph), &g->error));
    CALL(g, varve_graph_free(graph));
    MAKES(g, graph,
        varve_graph_from_part("a", &(varve_read_options){ .only = "model" },
            allocator, &g->error));
    CALL(g, varve_graph_free(graph));
    LEAVES(g, 0, 1);
    MAKES(g, graph, varve_graph_from_lazy("a", NULL, allocator, &g->error));
    LEAVES(g, 0, -1);
    CALL(g, varve_graph_free(graph));
    REFUSES(g, VARVE_NOT_FOUND, varve_graph_from("no", NULL, &g->error));
    CALL(g, state_close(&s));
}

/* --- Snapshots ------------------------------------------------------------ */

static varve_status on_difference(
    void *user, const varve_difference *difference)
{
    (void)user;
    (void)difference;
    guest_called_back("a difference");
    return VARVE_OK;
}

static void use(struct guest *g, struct state *s, varve_snapshot *snapshot)
{
    const varve_snapshot_restore_options restore = { .keep_random = true };
    for (unsigned i = 3; i < 5; i++) {
        state_fill(s, i);
        GOOD(g, varve_snapshot_diff(
                    snapshot, NULL, on_difference, NULL, &g->error));
        GOOD(g, varve_snapshot_retake(snapshot, &g->error));
        state_fill(s, 9);
        GOOD(g, varve_snapshot_restore(snapshot, &g->error));
        guest_expect(g, state_is(s, i), "the values are restored");
    }
    GOOD(g, varve_snapshot_restore_with(snapshot, &restore, &g->error));
    GOOD(g, varve_snapshot_write(snapshot, "s.varve", NULL, &g->error));
    GOOD(g, varve_snapshot_read(snapshot, "s.varve", NULL, &g->error));
    GOOD(g, varve_compare_golden(s->root, "s.varve", NULL, &g->error));
    FAILS(g, VARVE_NOT_FOUND,
        varve_snapshot_read(snapshot, "none", NULL, &g->error));
}

void visit_snapshots(struct guest *g)
{
    struct state s;
    varve_snapshot *snapshot;
    varve_ring *ring;
    varve_tensor value;
    const varve_snapshot_options tracked = { .track = true };
    state_open(&s, g);
    MAKES(g, snapshot, varve_snapshot_new(s.root, &g->error));
    use(g, &s, snapshot);
    FAILS(g, VARVE_NOT_FOUND,
        varve_snapshot_value(snapshot, "none", &value, &g->error));
    CALL(g, varve_snapshot_free(snapshot));
    MAKES(g, ring, varve_ring_new(s.root, 2, NULL, &g->error));
    GOOD(g, varve_ring_push(ring, &g->error));
    GOOD(g, varve_ring_push(ring, &g->error));
    GOOD(g, varve_ring_rollback(ring, 1, &g->error));
    FAILS(g, VARVE_NOT_FOUND, varve_ring_rollback(ring, 7, &g->error));
    CALL(g, varve_ring_free(ring));
    /* Tracking keeps a descriptor open if the system supports it. */
    LEAVES(g, 0, ANY);
    MAKES(g, snapshot, varve_snapshot_new_with(s.root, &tracked, &g->error));
    use(g, &s, snapshot);
    LEAVES(g, 0, ANY);
    CALL(g, varve_snapshot_free(snapshot));
    LEAVES(g, 0, ANY);
    CALL(g, state_close(&s));
}
