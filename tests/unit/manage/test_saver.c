/* test_saver.c - Tests savers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "edge.h"
#include "savers.h"

static varve_error refused(varve_saver *saver, const char *name,
    varve_node *node, varve_status wanted)
{
    varve_error error = { 0 };
    cr_assert_eq(varve_saver_add(saver, name, node, &error), wanted, "%s: %s",
        varve_status_name(error.status), error.message);
    cr_assert_eq(error.status, wanted);
    cr_assert_eq(varve_graph_check(world.graph, NULL), VARVE_OK);
    return error;
}

TEST(saver, refuses_misuse)
{
    begin_world();
    varve_error error = { 0 };
    varve_saver *saver = new_saver(NULL);
    varve_graph *other = vv_graph_new_in(&world.context);
    refused(saver, "a", NULL, VARVE_MISUSE);
    refused(saver, "a", varve_graph_root(other), VARVE_MISUSE);
    refused(NULL, "a", world.root, VARVE_MISUSE);
    cr_assert_null(varve_saver_new(NULL, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    varve_saver_options options = { .keep_every_hours = -1 };
    cr_assert_null(varve_saver_new(world.graph, &options, &error));
    varve_add_object(varve_graph_root(other), "");
    cr_assert_null(varve_saver_new(other, NULL, &error));
    cr_assert_eq(error.status, VARVE_BAD_NAME, "the graph's own");
    cr_assert_eq(varve_saver_save(saver, "a", NULL, &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "the saver has no names"));
    cr_assert_eq(
        varve_saver_restore(saver, "a", NULL, NULL, &error), VARVE_MISUSE);
    add(saver, "a", leaf(world.root, "a", 0));
    cr_assert_eq(varve_saver_save(saver, NULL, NULL, &error), VARVE_MISUSE);
    cr_assert_eq(
        varve_saver_restore(saver, NULL, NULL, NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_saver_save(NULL, "a", NULL, &error), VARVE_MISUSE);
    varve_saver_free(saver);
    varve_saver_free(NULL);
    varve_graph_free(other);
    end_world();
}

TEST(saver, may_outlive_its_graph)
{
    begin_world();
    varve_error error = { 0 };
    varve_saver *saver = new_saver(NULL);
    add(saver, "a/b", leaf(world.root, "a", 0));
    save(saver, "s", 1);
    end_graph();
    cr_assert_eq(varve_saver_save(saver, "s", NULL, &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "the graph of the saver was freed"));
    assert_list(saver, "s-1.varve");
    varve_saver_free(saver);
    begin_graph();
    end_world();
}

TEST(saver, releases_removed_variables)
{
    begin_world();
    varve_saver *saver = new_saver(NULL);
    add(saver, "net/deep/a", leaf(world.root, "a", 0));
    add(saver, "b", leaf(world.root, "b", 1));
    varve_remove(varve_find(world.root, "a"));
    save(saver, "s", 1);
    assert_paths("s-1.varve", "b");
    add(saver, "net", leaf(world.root, "again", 2));
    save(saver, "s", 2);
    assert_paths("s-2.varve", "b net");
    varve_saver_free(saver);
    end_world();
}

TEST(saver, does_not_change_the_graph)
{
    begin_world();
    varve_node *v = leaf(world.root, "v", 0);
    varve_node *w = leaf(world.root, "w", 1);
    varve_saver *saver = new_saver(NULL);
    add(saver, "net/v", v);
    add(saver, "net/w", w);
    varve_untrack(world.root, "w"); /* only the saver holds it */
    varve_saver_free(saver);
    cr_assert_eq(varve_value(w)->data, &world.x[1]);
    cr_assert_null(vv_first_in(w));
    cr_assert_eq(vv_next_in(vv_first_in(v)), NULL);
    size_t count = 0;
    for (varve_node *n = vv_newest_node(world.graph); n;
         n = vv_older_node(n))
        count++;
    cr_assert_eq(count, 3);
    end_world();
}

TEST(saver, shares_variables_with_other_savers)
{
    begin_world();
    varve_node *v = leaf(world.root, "v", 0);
    varve_saver *one = new_saver(NULL);
    varve_saver *two = new_saver(NULL);
    add(one, "a", v);
    add(two, "b/c", v);
    save(one, "one", 1);
    save(two, "two", 1);
    varve_saver_free(one);
    world.x[0] = 0;
    restore(two, "two");
    cr_assert_eq(world.x[0], 1);
    varve_saver_free(two);
    end_world();
}

TEST(saver, is_created_completely_or_not_without_memory)
{
    bool is_made = false;
    for (long n = 0; !is_made; n++) {
        varve_error error = { 0 };
        begin_world();
        leaf(world.root, "v", 0);
        varve_set_global_name(leaf(world.root, "w", 1), "a/b");
        test_fail_allocation(n, false);
        varve_saver *saver = varve_saver_new(world.graph, NULL, &error);
        if (saver)
            is_made = !varve_saver_add_named(saver, world.root, &error);
        test_fail_allocation(-1, false);
        cr_assert(is_made || error.status == VARVE_NO_MEMORY);
        if (saver && !is_made)
            cr_assert_eq(saver->by_name.count, 0);
        varve_saver_free(saver);
        end_world();
    }
}
