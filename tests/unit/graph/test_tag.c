/* test_tag.c - Tests tags.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "tag.h"

TEST(tag, can_be_several_on_each_node)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *a = varve_add_object(root, "a");
    varve_tag(a, "one");
    varve_tag(a, "one");
    varve_tag(a, "two");
    varve_tag(root, "two");
    cr_assert(varve_has_tag(a, "one") && varve_has_tag(a, "two"));
    cr_assert(!varve_has_tag(root, "one") && varve_has_tag(root, "two"));
    varve_untag(a, "two");
    varve_untag(a, "unknown");
    varve_untag(a, NULL);
    cr_assert(varve_has_tag(a, "one") && !varve_has_tag(a, "two"));
    cr_assert(varve_has_tag(root, "two"));
    cr_assert(!varve_has_tag(a, "unknown") && !varve_has_tag(a, NULL));
    cr_assert_eq(vv_tag_count(graph), 2);
    cr_assert_eq(vv_tag_bit(graph, "unknown"), 0);
    free_good(graph);
}

TEST(tag, local_is_tested_by_its_bit)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    cr_assert(!vv_is_local(root, vv_tag_bit(graph, VARVE_TAG_LOCAL)));
    varve_tag(root, VARVE_TAG_TRAINABLE);
    varve_tag(root, VARVE_TAG_LOCAL);
    cr_assert(vv_is_local(root, vv_tag_bit(graph, VARVE_TAG_LOCAL)));
    free_good(graph);
}

TEST(tag, is_limited_to_64_names)
{
    char name[16];
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    for (int i = 0; i < 64; i++) {
        snprintf(name, sizeof name, "tag %d", i);
        varve_tag(root, name);
        cr_assert(varve_has_tag(root, name));
    }
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_OK);
    cr_assert_eq(vv_node_tags(root), UINT64_MAX);
    varve_tag(varve_add_object(root, "a"), "tag 63");
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_OK);
    varve_tag(root, "one more");
    cr_assert(!varve_has_tag(root, "one more"));
    free_bad(graph, VARVE_LIMIT);
}

TEST(tag, requires_a_valid_name)
{
    const char *bad[] = { NULL, "", "\xc3" };
    for (int i = 0; i < 3; i++) {
        varve_graph *graph = new_graph();
        varve_tag(varve_graph_root(graph), bad[i]);
        cr_assert_eq(vv_tag_count(graph), 0);
        free_bad(graph, VARVE_BAD_NAME);
    }
}

TEST(tag, reports_a_failed_allocation_of_its_name)
{
    bool failed = true;
    for (long n = 0; failed; n++) {
        varve_graph *graph = new_graph();
        test_fail_allocation(n, false);
        varve_tag(varve_graph_root(graph), "tag");
        failed = varve_graph_check(graph, NULL) != VARVE_OK;
        test_fail_allocation(-1, false);
        cr_assert_eq(varve_has_tag(varve_graph_root(graph), "tag"), !failed);
        if (failed)
            free_bad(graph, VARVE_NO_MEMORY);
        else
            free_good(graph);
    }
}
