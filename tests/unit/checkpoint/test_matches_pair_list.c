/* test_matches_pair_list.c - Tests lists of pairs against a linear search in an
 * array, with and without memory for an index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <stdlib.h>

#include "matches.h"

enum { NODES = 60, FILES = 40, MOST = 400 };

static varve_node *nodes[NODES];
static bool has_memory;

static void *allocate(void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size)
        return old || has_memory ? realloc(old, new_size) : NULL;
    free(old);
    return NULL;
}

static const varve_allocator partial = { .function = allocate };

struct model {
    struct vv_pair pairs[MOST];
    size_t count;
};

static void add(struct vv_pair_list *list, struct model *m, int n, int f)
{
    struct vv_pair pair = { nodes[n], (uint32_t)f };
    bool before = has_memory;
    has_memory = true;
    vv_buffer_add(&list->pairs, &pair, sizeof pair);
    has_memory = before;
    m->pairs[m->count++] = pair;
}

static void drop(struct vv_pair_list *list, struct model *m, int n)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (m->pairs[i].node != nodes[n])
            m->pairs[kept++] = m->pairs[i];
    }
    m->count = kept;
    vv_drop_pairs(list, nodes[n]);
}

static void take(struct vv_pair_list *list, struct model *m)
{
    struct vv_pair pair;
    cr_assert_eq(vv_take_pair(list, &pair), m->count > 0);
    if (m->count == 0)
        return;
    cr_assert(pair.node == m->pairs->node && pair.file == m->pairs->file);
    memmove(m->pairs, m->pairs + 1, --m->count * sizeof *m->pairs);
}

/* Pairs with a file are found in their order. */
static void find(struct vv_pair_list *list, const struct model *m, uint32_t f)
{
    size_t count, at = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (m->pairs[i].file != f)
            continue;
        at = vv_find_pair(list, NULL, f, at);
        cr_assert_neq(at, 0);
        cr_assert_eq(
            vv_pairs_in(&list->pairs, &count)[at - 1].node, m->pairs[i].node);
    }
    if (at || m->count == 0)
        cr_assert_eq(vv_find_pair(list, NULL, f, at), 0);
}

static void compare(struct vv_pair_list *list, const struct model *m)
{
    size_t count;
    cr_assert_eq(list->pairs.size == 0, m->count == 0);
    const struct vv_pair *pairs = vv_pairs(list, &count);
    cr_assert_eq(count, m->count);
    for (size_t i = 0; i < count; i++)
        cr_assert(pairs[i].node == m->pairs[i].node &&
                  pairs[i].file == m->pairs[i].file);
}

static void go_on(struct vv_pair_list *list, struct model *m, unsigned *random)
{
    *random = *random * 1664525u + 1013904223u;
    int what = (int)(*random >> 24) % 16;
    int n = (int)(*random >> 12) % NODES, f = (int)(*random >> 6) % FILES;
    if (what < 10 && m->count < MOST)
        add(list, m, n, f);
    else if (what < 12)
        drop(list, m, n);
    else if (what < 13)
        take(list, m);
    else if (what < 15)
        find(list, m, (uint32_t)f);
    else if (n == 0)
        compare(list, m);
    cr_assert_eq(list->pairs.size == 0, m->count == 0);
}

static void try(bool memory, unsigned random)
{
    static struct model model;
    struct vv_pair_list list;
    begin_world();
    varve_node *root = new_root();
    for (int i = 0; i < NODES; i++)
        nodes[i] = varve_add_detached(varve_node_graph(root));
    model.count = 0;
    has_memory = memory;
    vv_pair_list_init(&list, &partial);
    for (int i = 0; i < 20000; i++)
        go_on(&list, &model, &random);
    compare(&list, &model);
    vv_empty_pairs(&list);
    model.count = 0;
    compare(&list, &model);
    vv_pair_list_clear(&list);
    free_root(root);
    end_world();
}

TEST(pair_list, agrees_with_a_linear_search)
{
    for (unsigned seed = 1; seed <= 5; seed++)
        try(true, seed);
}

TEST(pair_list, searches_linearly_without_memory_for_an_index)
{
    try(false, 1);
}

/* Pairs keep their positions: removed ones leave holes until the list is
 * emptied. */
TEST(pair_list, keeps_positions_on_request)
{
    static struct model model;
    struct vv_pair_list list;
    size_t count;
    begin_world();
    varve_node *root = new_root();
    for (int i = 0; i < NODES; i++)
        nodes[i] = varve_add_detached(varve_node_graph(root));
    has_memory = true;
    vv_pair_list_init(&list, &partial);
    list.keeps_places = true;
    for (int i = 0; i < NODES; i++)
        add(&list, &model, i, i % FILES);
    for (int i = 0; i < NODES - 1; i++)
        vv_drop_pairs(&list, nodes[i]);
    const struct vv_pair *pairs = vv_pairs_in(&list.pairs, &count);
    cr_assert_eq(count, NODES);
    cr_assert_eq(pairs[NODES - 1].node, nodes[NODES - 1]);
    cr_assert_null(pairs[0].node);
    vv_pair_list_clear(&list);
    free_root(root);
    end_world();
}
