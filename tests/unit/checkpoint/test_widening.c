/* test_widening.c - Tests patterns of options when edges and slots are added.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "widening.h"

static float kept[4] = { 1, 2, 1, 2 };

static varve_node *new_program(float *x)
{
    varve_node *root = new_root();
    varve_add_object(root, "b");
    varve_node *a = varve_add_object(root, "a");
    varve_node *v = varve_add_variable(a, "x", varve_array(x, 2));
    varve_add_slot(a, v, "m", varve_array(x + 2, 2));
    good(root);
    return root;
}

/* An edge to a variable that is already matched. */
TEST(widening, decides_again_what_a_new_path_takes_in)
{
    float x[4] = { 0 };
    begin_world();
    varve_node *root = new_program(kept);
    write_root(root);
    free_root(root);
    root = new_program(x);
    varve_restoration *r =
        read_root(root, &(varve_read_options){ .only = "b" });
    cr_assert_eq(x[1], 0);
    varve_track(varve_find(root, "b"), "again", varve_find_path(root, "a/x"));
    cr_assert_eq(x[1], 2);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* Failed matches are repeated by a retry. */
TEST(widening, remembers_what_it_had_no_memory_to_follow)
{
    float x[4] = { 0 };
    begin_world();
    varve_node *root = new_program(kept);
    write_root(root);
    free_root(root);
    root = new_program(x);
    varve_restoration *r =
        read_root(root, &(varve_read_options){ .only = "b/**" });
    varve_node *b = varve_find(root, "b"), *a = varve_find(root, "a");
    for (int i = 0; i < 300; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        varve_add_object(a, name);
    }
    varve_error error = { 0 };
    for (long n = 0; !varve_find(b, "again"); n++) {
        varve_graph_clear_error(varve_node_graph(root), NULL);
        test_fail_allocation(n, true);
        varve_track(b, "again", a);
        test_fail_allocation(-1, false);
    }
    cr_assert_eq(r->pairing.failure.status, VARVE_NO_MEMORY);
    cr_assert_eq(x[1], 0);
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_eq(x[1], 2);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
