/* test_binding_unbind.c - Tests unbinding of nodes that the program no longer
 * holds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "binding.h"

static float memory[6] = { 1, 2, 3, 4, 5, 6 };

/* Writes a file with the objects "a" and "b", each with a variable "x". */
static void write_two(void)
{
    varve_node *root = new_root();
    varve_add_variable(
        varve_add_object(root, "a"), "x", varve_array(memory, 2));
    varve_add_variable(
        varve_add_object(root, "b"), "y", varve_array(memory + 2, 3));
    write_root(root);
    free_root(root);
}

TEST(unbind, unbinds_unreachable_nodes)
{
    float x[2] = { 0 };
    begin_world();
    write_two();
    varve_node *root = new_root();
    varve_node *a = varve_add_object(root, "a");
    varve_track(a, "circle", a);
    varve_node *leaf = varve_add_variable(a, "x", varve_array(x, 2));
    varve_restoration *r = read_root(root, NULL);
    cr_assert(!r->matching.needs_sweep);
    varve_untrack(root, "a");
    cr_assert(r->matching.needs_sweep);
    vv_sweep(&r->matching);
    cr_assert(!r->matching.needs_sweep);
    cr_assert_eq(vv_file_node_of(&r->pairing.matches, a), VV_NONE);
    cr_assert_eq(vv_file_node_of(&r->pairing.matches, leaf), VV_NONE);
    cr_assert_eq(varve_pending_count(r), 1, "what was delivered stays so");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* Without a sweep; nodes reached only through it are unbound too. */
TEST(unbind, unbinds_a_node_without_edges_immediately)
{
    float x[2] = { 0 };
    begin_world();
    write_two();
    varve_node *root = new_root();
    varve_node *a = varve_add_object(root, "a");
    varve_node *leaf = varve_add_variable(a, "x", varve_array(x, 2));
    varve_restoration *r = read_root(root, NULL);
    const struct vv_matches *matches = &r->pairing.matches;
    uint32_t file = vv_file_node_of(matches, a);
    uint32_t value = vv_file_node_of(matches, leaf);
    cr_assert(vv_still_holds(&r->matching, file));
    varve_untrack(root, "a");
    cr_assert_not(vv_still_holds(&r->matching, file));
    cr_assert_eq(vv_file_node_of(matches, a), VV_NONE);
    cr_assert(r->matching.needs_sweep, "there may be more");
    cr_assert_not(vv_still_holds(&r->matching, value));
    cr_assert_null(matches->node_of[value]);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(unbind, finds_ancestors_without_a_search)
{
    begin_world();
    write_two();
    varve_node *root = new_root();
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_object(root, "b");
    varve_restoration *r = read_root(root, NULL);
    varve_untrack(root, "b");
    cr_assert(vv_is_held(&r->matching, a) && r->matching.needs_sweep);
    cr_assert(!vv_is_held(&r->matching, b) && !r->matching.needs_sweep);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
