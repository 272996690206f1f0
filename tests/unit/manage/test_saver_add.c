/* test_saver_add.c - Tests the names of a saver.
 *
 * SPDX-License-Identifier: MIT
 */
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

TEST(saver_add, saves_variables_under_the_given_names)
{
    begin_world();
    varve_saver *saver = new_saver(NULL);
    add(saver, "net/w", leaf(world.root, "a", 0));
    add(saver, "b", leaf(world.root, "x", 1));
    leaf(world.root, "not", 2);
    save(saver, "s", 1);
    assert_paths("s-1.varve", "b net/w");
    world.x[0] = world.x[1] = world.x[2] = 0;
    restore(saver, "s-1");
    cr_assert(world.x[0] == 1 && world.x[1] == 2 && world.x[2] == 0);
    varve_saver_free(saver);
    end_world();
}

TEST(saver_add, refuses_a_used_name_and_reports_its_variable)
{
    begin_world();
    varve_saver *saver = new_saver(NULL);
    add(saver, "v", leaf(world.root, "first", 0));
    varve_node *second = leaf(world.root, "second", 1);
    varve_error error = refused(saver, "v", second, VARVE_DUPLICATE);
    cr_assert_str_eq(error.message,
        "\"v\": duplicate name for two variables, first and second");
    add(saver, "w", second);
    varve_saver_free(saver);
    end_world();
}

TEST(saver_add, refuses_a_second_name_of_a_variable)
{
    begin_world();
    varve_saver *saver = new_saver(NULL);
    varve_node *v = leaf(world.root, "v", 0);
    add(saver, "one", v);
    varve_error error = refused(saver, "two", v, VARVE_DUPLICATE);
    cr_assert_str_eq(error.message,
        "v: a variable can have only one name in a saver, found \"one\" and "
        "\"two\"");
    varve_saver_free(saver);
    end_world();
}

TEST(saver_add, finds_second_names_below_objects)
{
    begin_world();
    varve_saver *saver = new_saver(NULL);
    varve_node *net = varve_add_object(world.root, "net");
    varve_node *w = leaf(varve_add_object(net, "deep"), "w", 0);
    varve_node *m = varve_add_slot(net, w, "m", varve_scalar(&world.x[1]));
    add(saver, "model", net);
    varve_error error = refused(saver, "other", w, VARVE_DUPLICATE);
    cr_assert(strstr(error.message, "found \"model/deep/w\" and \"other\""),
        "%s", error.message);
    refused(saver, "slot", m, VARVE_DUPLICATE);
    refused(saver, "all", world.root, VARVE_DUPLICATE);
    refused(saver, "again", net, VARVE_DUPLICATE);
    add(saver, "free", leaf(world.root, "free", 2));
    varve_saver_free(saver);
    saver = new_saver(NULL);
    add(saver, "w", w);
    error = refused(saver, "model", net, VARVE_DUPLICATE);
    cr_assert(strstr(error.message, "found \"w\" and \"model/deep/w\""), "%s",
        error.message);
    varve_saver_free(saver);
    end_world();
}

TEST(saver_add, refuses_bad_names_and_nodes)
{
    static const char *const bad[] = { NULL, "", "\xff" };
    begin_world();
    varve_saver *saver = new_saver(NULL);
    varve_node *v = leaf(world.root, "v", 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(saver, bad[i], v, VARVE_BAD_NAME);
    varve_error error = refused(saver, "x", NULL, VARVE_MISUSE);
    cr_assert_str_eq(error.message, "the node is NULL");
    varve_saver_free(saver);
    end_world();
}

TEST(saver_add, uses_a_name_with_an_empty_part_as_one_edge)
{
    begin_world();
    varve_saver *saver = new_saver(NULL);
    add(saver, "/a", leaf(world.root, "x", 0));
    add(saver, "a//b", leaf(world.root, "y", 1));
    add(saver, "a/", leaf(world.root, "z", 2));
    save(saver, "s", 1);
    assert_paths("s-1.varve", "%2Fa a%2F a%2F%2Fb");
    world.x[0] = world.x[1] = world.x[2] = 0;
    restore(saver, "s-1");
    cr_assert(world.x[0] == 1 && world.x[1] == 2 && world.x[2] == 3);
    varve_saver_free(saver);
    end_world();
}

TEST(saver_add, adds_the_subtree_of_a_node_including_later_variables)
{
    begin_world();
    varve_error error = { 0 };
    varve_node *net = varve_add_object(world.root, "net");
    varve_node *w = leaf(net, "w", 0);
    varve_add_slot(net, w, "m", varve_scalar(&world.x[1]));
    varve_saver *saver = new_saver(NULL);
    cr_assert_ok(
        varve_saver_add_under(saver, "old/model", net, &error), error);
    leaf(net, "late", 2);
    add(saver, "old/step", leaf(world.root, "step", 3));
    save(saver, "s", 1);
    assert_paths("s-1.varve",
        "old/step old/model/late old/model/w old/model/m(old/model/w)");
    memset(world.x, 0, sizeof world.x);
    restore(saver, "s-1");
    cr_assert(world.x[0] == 1 && world.x[1] == 2 && world.x[2] == 3 &&
              world.x[3] == 4);
    varve_saver_free(saver);
    end_world();
}

TEST(saver_add, adds_a_subtree_by_paths_with_an_empty_prefix)
{
    begin_world();
    varve_error error = { 0 };
    varve_node *net = varve_add_object(world.root, "net");
    varve_node *w = leaf(net, "w", 0);
    varve_saver *saver = new_saver(NULL);
    cr_assert_ok(varve_saver_add_under(saver, "", net, &error), error);
    varve_add_slot(net, w, "m", varve_scalar(&world.x[1]));
    save(saver, "s", 1);
    assert_paths("s-1.varve", "w m(w)");
    cr_assert_eq(varve_saver_add(saver, "x", leaf(world.root, "x", 2), &error),
        VARVE_MISUSE);
    varve_remove(net);
    cr_assert_eq(varve_saver_save(saver, "s", NULL, &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "the node of the saver was removed"));
    varve_saver_free(saver);
    saver = new_saver(NULL);
    add(saver, "x", varve_find(world.root, "x"));
    cr_assert_eq(varve_saver_add_under(saver, NULL, world.root, &error),
        VARVE_MISUSE);
    varve_saver_free(saver);
    end_world();
}

TEST(saver_add, adds_every_variable_by_its_own_name)
{
    begin_world();
    varve_error error = { 0 };
    varve_node *net = varve_add_object(world.root, "net");
    varve_set_global_name(leaf(net, "w", 0), "dense/kernel");
    varve_add_slot(net, leaf(net, "b/c", 1), "m", varve_scalar(&world.x[2]));
    varve_tag(leaf(net, "local", 3), VARVE_TAG_LOCAL);
    varve_saver *saver = new_saver(NULL);
    cr_assert_ok(varve_saver_add_named(saver, world.root, &error), error);
    save(saver, "s", 1);
    assert_paths("s-1.varve", "dense/kernel net/b/c net/m%28net/b/c%29");
    varve_saver_free(saver);
    end_world();
}

TEST(saver_add, adds_all_own_names_or_none)
{
    begin_world();
    varve_error error = { 0 };
    leaf(world.root, "a", 0);
    leaf(world.root, "b", 1);
    varve_set_global_name(leaf(world.root, "c", 2), "a");
    varve_saver *saver = new_saver(NULL);
    cr_assert_eq(
        varve_saver_add_named(saver, world.root, &error), VARVE_DUPLICATE);
    cr_assert_str_eq(error.message,
        "\"a\": duplicate name for two variables, a and c");
    add(saver, "b", varve_find(world.root, "b"));
    save(saver, "s", 1);
    assert_paths("s-1.varve", "b");
    varve_saver_free(saver);
    end_world();
}

/* After a failure the map is unchanged, and the graph has no error. */
TEST(saver_add, adds_all_or_nothing_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        begin_world();
        varve_saver *saver = new_saver(NULL);
        add(saver, "a/b", leaf(world.root, "v", 0));
        varve_node *net = varve_add_object(world.root, "net");
        leaf(net, "w", 1);
        varve_node *x = leaf(world.root, "x", 2);
        test_fail_allocation(n, false);
        status = varve_saver_add(saver, "a", x, &error);
        if (!status)
            status = varve_saver_add(saver, "deep/er/net", net, &error);
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        cr_assert_eq(error.status, status);
        save(saver, "s", 1);
        if (!status)
            varve_remove(net);
        varve_saver_free(saver);
        end_world();
    }
}

TEST(saver_add, refuses_a_path_that_is_too_long_for_a_name)
{
    begin_world();
    varve_saver *saver = new_saver(NULL);
    varve_node *node = world.root;
    for (int i = 0; i < 1500; i++)
        node = varve_add_object(node, "o");
    leaf(node, "v", 0);
    varve_error error;
    cr_assert_ok(varve_saver_add_named(saver, world.root, &error), error);
    varve_saver_free(saver);
    for (int i = 0; i < 1500; i++)
        node = varve_add_object(node, "o");
    leaf(node, "v", 1);
    saver = new_saver(NULL);
    cr_assert_eq(
        varve_saver_add_named(saver, world.root, &error), VARVE_LIMIT);
    cr_assert(strstr(error.message, "o/o/v: the path is longer than 4095 "
        "bytes and cannot be a name"),
        "%s", error.message);
    varve_saver_free(saver);
    end_world();
}
