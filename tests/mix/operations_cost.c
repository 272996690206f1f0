/* operations_cost.c - Tests the memory cost of names and paths, and that the
 * order of construction does not change results.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "mix/files.h"
#include "mix/jobs.h"
#include "mix/operations.h"

enum { CHURNED = 512, KEPT = 1 << 18, DEEP = 600, LONGEST = 4095 + 3 };

/* --- Names ---------------------------------------------------------------- */

static void churn(struct mix *m, struct mix_graph *g)
{
    char name[48];
    for (int i = 0; i < CHURNED; i++) {
        snprintf(
            name, sizeof name, "proposal-%u-of-many-that-come", m->names++);
        varve_remove(varve_add_object(g->nodes[0], name));
    }
}

/* Nodes that are added and removed leave no memory behind. */
void mix_churn(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    (void)b;
    (void)c;
    if (g->shape.nodes[0].kind == VARVE_LIST)
        return;
    mix_finish_all(m); /* their memory */
    mix_say(m, "%d times varve_remove(varve_add_object(g%dn0, new name))",
        20 * CHURNED, at);
    for (int i = 0; i < 4; i++)
        churn(m, g);
    size_t bytes = m->bytes_in_use;
    for (int i = 0; i < 16; i++)
        churn(m, g);
    MIX_CHECK(m->bytes_in_use <= bytes + KEPT,
        "%zu bytes more after %d nodes were added and removed",
        m->bytes_in_use - bytes, 16 * CHURNED);
    mix_changed(m, at);
}

/* --- Paths ---------------------------------------------------------------- */

static varve_status measure(void *user, varve_node *node, const char *path)
{
    size_t *bytes = user;
    size_t size = strlen(path);
    (void)node;
    MIX_CHECK(size <= LONGEST, "a path of %zu bytes", size);
    *bytes += size;
    return VARVE_OK;
}

static varve_graph *make_chain(struct mix *m, int deep)
{
    varve_graph *graph = varve_graph_new(&m->allocator);
    varve_node *node = varve_graph_root(graph);
    for (int i = 0; i < deep; i++)
        node = varve_add_object(
            node, i % 2 ? "the-left-one-of-two" : "the-right-one-of-two");
    varve_add_allocated_variable(
        node, "end", VARVE_FLOAT32, VARVE_SHAPE(1), NULL, NULL);
    return graph;
}

/* Returns the total number of bytes that the calls allocate for a chain of
 * nodes. */
static uint64_t cost_of(struct mix *m, int deep, uint8_t what)
{
    const varve_write_options options = { .pending = VARVE_PENDING_OMIT,
        .no_sync = true };
    const varve_rename rename = { "**/up", "**/the-left-one-of-two" };
    const varve_read_options renamed = { .rename = { .list = &rename,
        .count = 1 } };
    varve_graph *graph = make_chain(m, deep);
    varve_node *root = varve_graph_root(graph);
    char path[256];
    size_t bytes = 0;
    strcpy(path, mix_path(m, "chain"));
    mix_expect(m, "varve_write", varve_write(root, path, &options, &m->error),
        VARVE_OK, VARVE_OK);
    uint64_t before = m->bytes_ever;
    varve_restoration *r = NULL;
    varve_graph *other = NULL;
    if (what == 0)
        mix_expect(m, "varve_walk",
            varve_walk(root, measure, &bytes, &m->error), VARVE_OK, VARVE_OK);
    else if (what == 1)
        r = varve_dry_run(root, path, &renamed, &m->error);
    else if (what == 2)
        r = varve_read(root, path, NULL, &m->error);
    else
        other = varve_graph_from(path, &m->allocator, &m->error);
    uint64_t cost = m->bytes_ever - before;
    varve_restoration_free(r);
    if (other)
        varve_graph_free(other);
    varve_graph_free(graph);
    return cost;
}

/* A graph of twice the size must cost twice as much, not four times. */
void mix_chain(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t what = a % 4;
    (void)c;
    if (b % 8)
        return; /* takes long */
    mix_finish_all(m);
    mix_say(m, "(what %d costs for %d nodes and for %d)", what, DEEP, 2 * DEEP);
    uint64_t one = cost_of(m, DEEP, what);
    uint64_t two = cost_of(m, 2 * DEEP, what);
    MIX_CHECK(two <= 3 * one + 65536,
        "%llu bytes for %d nodes and %llu for twice as many",
        (unsigned long long)one, DEEP, (unsigned long long)two);
}
