/* test_spread.c - Tests the propagation of states along the edges of a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "spread.h"

/* A graph of two names: from node i, "a" leads to a[i] and "b" to b[i]. */
struct edges {
    const uint32_t *a;
    const uint32_t *b;
};

static void go_on(struct vv_spread *s, const struct edges *edges)
{
    uint32_t pair;
    while (vv_spread_next(s, &pair)) {
        uint32_t node = s->pairs[pair].node;
        struct vv_spread_step way = { .from = pair + 1 };
        vv_spread_add(s, edges->a[node],
            vv_automaton_step(&s->automaton, s->pairs[pair].state, "a", 1),
            NULL, way);
        vv_spread_add(s, edges->b[node],
            vv_automaton_step(&s->automaton, s->pairs[pair].state, "b", 1),
            NULL, way);
    }
}

static void begin(struct vv_spread *s, const char *patterns)
{
    cr_assert_eq(
        vv_spread_begin(s, test_allocator(), patterns, NULL), VARVE_OK);
    vv_spread_add(
        s, 0, s->automaton.start, NULL, (struct vv_spread_step){ .from = 0 });
}

TEST(spread, finds_ancestors_in_few_steps)
{
    enum { NODES = 30000 };
    static uint32_t above[NODES];
    struct vv_spread s;
    begin(&s, "a");
    for (uint32_t i = 1; i < NODES; i++) {
        above[i] = i % 3 ? i - 1 : i / 3;
        vv_spread_place(&s, i, above[i]);
    }
    for (uint32_t from = 0; from < NODES; from += 97) {
        uint32_t to = from;
        for (; to; to = above[to])
            cr_assert(vv_spread_leads_back(&s, from, to));
        cr_assert(vv_spread_leads_back(&s, from, 0));
        for (to = 0; to < NODES; to += 311) {
            uint32_t at = from;
            while (at > to)
                at = above[at];
            cr_assert_eq(vv_spread_leads_back(&s, from, to), at == to);
        }
    }
    cr_assert_not(vv_spread_leads_back(&s, 5, NODES + 1000));
    vv_spread_end(&s);
}

TEST(spread, visits_every_path_of_diamonds_once)
{
    enum { DEEP = 1000 };
    uint32_t next[DEEP];
    struct vv_spread s;
    for (uint32_t i = 0; i < DEEP; i++)
        next[i] = i + 1 < DEEP ? i + 1 : i;
    begin(&s, "a/b/a");
    go_on(&s, &(struct edges){ next, next });
    cr_assert_not(vv_spread_has_any(&s, 2));
    cr_assert(vv_spread_has_any(&s, 3));
    cr_assert_not(vv_spread_has_all(&s, 3));
    cr_assert_lt(s.count, 6u * DEEP);
    uint32_t pair = vv_spread_find(&s, 3, true);
    cr_assert_eq(s.pairs[pair].node, 3u);
    cr_assert_eq(s.pairs[s.pairs[pair].way.from - 1].node, 2u);
    vv_spread_end(&s);
}

TEST(spread, ends_on_cycles)
{
    static const uint32_t a[] = { 1, 2, 0 }, b[] = { 0, 0, 2 };
    struct vv_spread s;
    begin(&s, "**/a/a/b");
    go_on(&s, &(struct edges){ a, b });
    cr_assert(vv_spread_has_any(&s, 2));
    cr_assert(vv_spread_has_any(&s, 0));
    cr_assert_not(vv_spread_has_all(&s, 0));
    vv_spread_end(&s);
}

TEST(spread, continues_after_the_graph_has_grown)
{
    static const uint32_t a[] = { 1, 1, 2 }, b[] = { 0, 1, 2 };
    static const uint32_t grown[] = { 2, 1, 2 };
    struct vv_spread s;
    begin(&s, "b");
    go_on(&s, &(struct edges){ a, b });
    cr_assert_not(vv_spread_has_any(&s, 2));
    s.done = 0; /* adds everything again, which must change nothing */
    size_t before = s.count;
    go_on(&s, &(struct edges){ a, b });
    cr_assert_eq(s.count, before);
    s.done = 0;
    go_on(&s, &(struct edges){ a, grown });
    cr_assert(vv_spread_has_all(&s, 2));
    vv_spread_end(&s);
}

TEST(spread, removes_nodes)
{
    static const uint32_t a[] = { 1, 1 }, b[] = { 0, 1 };
    struct vv_spread s;
    begin(&s, "a");
    go_on(&s, &(struct edges){ a, b });
    cr_assert(vv_spread_has_any(&s, 1));
    vv_spread_forget(&s, 1);
    vv_spread_forget(&s, 1000);
    cr_assert_not(vv_spread_has_any(&s, 1));
    cr_assert_eq(vv_spread_first(&s, 1), 0u);
    cr_assert_gt(s.gone, 0u);
    s.done = 0;
    go_on(&s, &(struct edges){ a, b });
    cr_assert(vv_spread_has_any(&s, 1));
    vv_spread_end(&s);
}

TEST(spread, fails_if_nodes_have_too_many_states)
{
    enum { NODES = 20000 };
    static uint32_t a[NODES], b[NODES];
    struct vv_spread s;
    for (uint32_t i = 0; i < NODES; i++) {
        a[i] = (i * 2654435761u) % NODES;
        b[i] = (i * 2246822519u + 7) % NODES;
    }
    begin(&s, "**/a/*/*/*/*/*/*/*/*/*/*/*");
    go_on(&s, &(struct edges){ a, b });
    cr_assert_eq(s.automaton.status, VARVE_LIMIT);
    vv_spread_end(&s);
}

TEST(spread, fails_without_memory)
{
    static const uint32_t a[] = { 1, 2, 3, 4, 5, 5 };
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        struct vv_spread s;
        test_fail_allocation(n, false);
        status = vv_spread_begin(&s, test_allocator(), "**/a/*/b", NULL);
        if (status == VARVE_OK) {
            vv_spread_add(&s, 0, s.automaton.start, NULL,
                (struct vv_spread_step){ .from = 0 });
            go_on(&s, &(struct edges){ a, a });
            status = s.automaton.status;
            vv_spread_end(&s);
        }
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        cr_assert_lt(n, 100);
    }
    test_fail_allocation(-1, false);
}
