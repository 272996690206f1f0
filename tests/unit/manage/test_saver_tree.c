/* test_saver_tree.c - Tests the tree of names of a saver.
 *
 * SPDX-License-Identifier: MIT
 */
#include "savers.h"

#include "saver.h"

/* Saves names in a given order, on which the file must not depend. */
static void try_order(const char *const names[], const int *order, int count,
    const char *wanted)
{
    begin_world();
    varve_saver *saver = new_saver(NULL);
    for (int i = 0; i < count; i++) {
        char edge[] = "0";
        edge[0] = (char)('0' + order[i]);
        add(saver, names[order[i]], leaf(world.root, edge, order[i]));
    }
    save(saver, "s", 1);
    assert_paths("s-1.varve", wanted);
    memset(world.x, 0, sizeof world.x);
    restore(saver, "s");
    for (int i = 0; i < count; i++)
        cr_assert_eq(world.x[i], (float)(i + 1), "%s", names[i]);
    varve_saver_free(saver);
    end_world();
}

TEST(saver_tree, adds_the_rest_of_a_longer_name_to_the_deepest_object)
{
    static const char *const names[] = { "a", "a/b", "a/b/c", "d/e/f/g",
        "d/e" };
    static const int orders[][5] = { { 0, 1, 2, 3, 4 }, { 4, 3, 2, 1, 0 },
        { 2, 0, 3, 1, 4 }, { 1, 2, 0, 4, 3 } };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        try_order(names, orders[i], 5, "a a%2Fb a%2Fb%2Fc d/e d/e%2Ff%2Fg");
}

TEST(saver_tree, adds_nothing_to_objects_of_the_program)
{
    begin_world();
    varve_saver *saver = new_saver(NULL);
    varve_node *net = varve_add_object(world.root, "net");
    leaf(net, "w", 0);
    add(saver, "net", net);
    add(saver, "net/more", leaf(world.root, "more", 1));
    cr_assert_eq(varve_edge_count(net), 1);
    save(saver, "s", 1);
    assert_paths("s-1.varve", "net%2Fmore net/w");
    varve_saver_free(saver);
    end_world();
}

/* The name "a" changes the tree while a restoration is open. */
TEST(saver_tree, is_restored_by_an_open_restoration_when_rebuilt)
{
    begin_world();
    varve_error error = { 0 };
    varve_saver *saver = new_saver(NULL);
    varve_node *v = leaf(world.root, "v", 0);
    varve_node *w = leaf(world.root, "w", 1);
    add(saver, "a/b", v);
    add(saver, "a", w);
    save(saver, "s", 1);
    varve_saver_free(saver);
    saver = new_saver(NULL);
    varve_restoration *r;
    add(saver, "a", w);
    memset(world.x, 0, sizeof world.x);
    cr_assert_ok(varve_saver_restore(saver, "s", NULL, &r, &error), error);
    add(saver, "a/b", v);
    cr_assert(world.x[0] == 1 && world.x[1] == 2);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    varve_saver_free(saver);
    end_world();
}
