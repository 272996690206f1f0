/* test_binding.c - Tests the binding of program nodes to file nodes, and
 * conflicting claims.
 *
 * SPDX-License-Identifier: MIT
 */
#include "binding.h"

#include "delivery_state.h"
#include "worlds.h"

static float memory[6] = { 1, 2, 3, 4, 5, 6 };

/* Writes a file with the objects "a" and "b", each with a variable "x". */
static void write_two(void)
{
    varve_node *root = new_root();
    varve_add_variable(
        varve_add_object(root, "a"), "x", varve_array(COPY_OF(memory), 2));
    varve_add_variable(
        varve_add_object(root, "b"), "y", varve_array(COPY_OF(memory), 3));
    write_root(root);
    free_root(root);
}

TEST(binding, binds_nodes_in_both_directions)
{
    begin_world();
    write_two();
    varve_node *root = new_root();
    varve_node *a = varve_add_object(root, "a");
    varve_node *other = varve_add_object(root, "other");
    varve_restoration *r = read_root(root, NULL);
    cr_assert_eq(vv_file_node_of(&r->pairing.matches, root), 0);
    uint32_t file = vv_file_node_of(&r->pairing.matches, a);
    cr_assert_neq(file, VV_NONE);
    cr_assert_eq(r->pairing.matches.node_of[file], a);
    cr_assert_eq(vv_next_partner(&r->pairing.matches, a, file), VV_NONE);
    cr_assert(vv_is_known(&r->pairing, a) && !vv_is_known(&r->pairing, other));
    cr_assert_eq(vv_file_node_of(&r->pairing.matches, other), VV_NONE);
    for (int i = 0; i < 1000; i++) {
        varve_node *late = varve_add_detached(varve_node_graph(root));
        cr_assert_eq(vv_file_node_of(&r->pairing.matches, late), VV_NONE);
        cr_assert(!vv_is_known(&r->pairing, late));
    }
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* The program has a single object for "a" and "b". */
TEST(binding, binds_one_object_to_two_saved_ones)
{
    float x[2] = { 0 }, y[3] = { 0 };
    begin_world();
    write_two();
    varve_node *root = new_root();
    varve_node *both = varve_add_object(root, "a");
    varve_track(root, "b", both);
    varve_add_variable(both, "x", varve_array(x, 2));
    varve_restoration *r = read_root(root, NULL);
    uint32_t first = vv_file_node_of(&r->pairing.matches, both);
    uint32_t second = vv_next_partner(&r->pairing.matches, both, first);
    cr_assert_neq(second, VV_NONE);
    cr_assert_neq(second, first);
    cr_assert_eq(vv_next_partner(&r->pairing.matches, both, second), VV_NONE);
    varve_add_variable(both, "y", varve_array(y, 3));
    good(root);
    cr_assert_eq(x[1], 2);
    cr_assert_eq(y[2], 3);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(binding, unbinds_a_removed_object_completely)
{
    begin_world();
    write_two();
    varve_node *root = new_root();
    varve_node *both = varve_add_object(root, "a");
    varve_track(root, "b", both);
    varve_restoration *r = read_root(root, NULL);
    varve_untrack(root, "a");
    varve_untrack(root, "b");
    varve_node *a = varve_add_object(root, "a");
    cr_assert_neq(vv_file_node_of(&r->pairing.matches, a), VV_NONE);
    varve_remove(both);
    for (uint32_t f = 0; f < vv_index_of(&r->pairing)->node_count; f++)
        cr_assert_neq(r->pairing.matches.node_of[f], both);
    /* The new object gets the address of the old one. */
    varve_node *b = varve_add_object(root, "b");
    cr_assert_neq(vv_file_node_of(&r->pairing.matches, b), VV_NONE);
    float y[3] = { 0 };
    varve_add_variable(b, "y", varve_array(y, 3));
    cr_assert_eq(y[2], 3);
    good(root);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(binding, records_a_conflict_and_binds_once_it_is_resolved)
{
    float x[2] = { 0 }, z[2] = { 0 };
    begin_world();
    write_two();
    varve_node *root = new_root();
    varve_node *a = varve_add_object(root, "a");
    varve_node *old = varve_add_variable(a, "x", varve_array(x, 2));
    varve_restoration *r = read_root(root, NULL);
    uint32_t file = vv_file_node_of(&r->pairing.matches, old);
    varve_node *detached = varve_add_detached(varve_node_graph(root));
    varve_node *other = varve_add_variable(detached, "x", varve_array(z, 2));
    vv_bind(&r->matching, other, file, VV_BY_PATH);
    cr_assert_eq(r->pairing.matches.claims.pairs.size, sizeof(struct vv_pair));
    cr_assert_eq(r->pairing.matches.node_of[file], old);
    varve_replace(a, "x", other);
    cr_assert_eq(r->pairing.matches.node_of[file], other);
    cr_assert_eq(vv_file_node_of(&r->pairing.matches, old), VV_NONE);
    cr_assert_eq(z[1], 0, "its value was delivered");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

static bool fits(varve_restoration *r, varve_node *node, varve_dtype dtype,
    varve_shape shape)
{
    varve_tensor saved = varve_view(NULL, dtype, shape);
    return vv_whole_fits(&r->delivery, node, &saved);
}

TEST(binding, checks_types_and_shapes_by_the_options)
{
    begin_world();
    write_two();
    varve_node *root = new_root();
    varve_node *n = varve_add_variable(
        root, "n", varve_array(COPY_OF(memory), 2, 3));
    varve_restoration *r = read_root(
        root, &(varve_read_options){ .expect.missing = "n" });
    cr_assert(fits(r, n, VARVE_FLOAT32, VARVE_SHAPE(2, 3)));
    cr_assert(!fits(r, n, VARVE_FLOAT32, VARVE_SHAPE(3, 2)));
    cr_assert(!fits(r, n, VARVE_FLOAT32, VARVE_SHAPE(6)));
    cr_assert(!fits(r, n, VARVE_FLOAT16, VARVE_SHAPE(2, 3)));
    varve_restoration_free(r);
    r = read_root(root,
        &(varve_read_options){ .expect.missing = "n",
            .reshape = true,
            .cast = VARVE_CAST_WIDEN });
    cr_assert(fits(r, n, VARVE_FLOAT32, VARVE_SHAPE(6)));
    cr_assert(!fits(r, n, VARVE_FLOAT32, VARVE_SHAPE(5)));
    cr_assert(fits(r, n, VARVE_FLOAT16, VARVE_SHAPE(2, 3)));
    cr_assert(!fits(r, n, VARVE_FLOAT64, VARVE_SHAPE(2, 3)));
    varve_restoration_free(r);
    r = read_root(root,
        &(varve_read_options){ .expect.missing = "n",
            .resize = "n",
            .cast = VARVE_CAST_ANY });
    cr_assert(fits(r, n, VARVE_FLOAT64, VARVE_SHAPE(7, 1)));
    cr_assert(!fits(r, n, VARVE_FLOAT32, VARVE_SHAPE(6)));
    cr_assert(!fits(r, n, VARVE_STRING, VARVE_SHAPE(2, 3)));
    varve_restoration_free(r);
    r = read_root(root,
        &(varve_read_options){ .expect.missing = "n", .resize = "m" });
    cr_assert(!fits(r, n, VARVE_FLOAT32, VARVE_SHAPE(7, 1)));
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* Slots of an object that is bound to a second file node. */
TEST(binding, restores_the_slots_of_a_second_saved_node)
{
    float x[2] = { 0 }, m[2] = { 0 }, none[2] = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_node *saved = varve_add_variable(
        root, "x", varve_array(COPY_OF(memory), 2));
    varve_add_object(root, "a");
    varve_node *b = varve_add_object(root, "b");
    varve_add_slot(b, saved, "m", varve_array(COPY_OF(memory), 2));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_node *variable = varve_add_variable(root, "x", varve_array(x, 2));
    varve_node *both = varve_add_object(root, "a");
    varve_add_slot(both, variable, "m", varve_array(m, 2));
    varve_add_slot(both, variable, "other", varve_array(none, 2));
    varve_restoration *r = read_root(root, NULL);
    cr_assert_eq(m[1], 0);
    cr_assert_eq(varve_pending_count(r), 1);
    varve_track(root, "b", both);
    cr_assert_eq(m[1], 2);
    cr_assert_eq(none[1], 0);
    cr_assert_eq(varve_pending_count(r), 0);
    good(root);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(binding, binds_one_object_to_two_after_a_failed_allocation)
{
    bool was_tried = true;
    begin_world();
    write_two();
    for (long n = 0; was_tried; n++) {
        float x[2] = { 0 }, y[3] = { 0 };
        varve_error error = { 0 };
        varve_node *root = new_root();
        varve_node *both = varve_add_object(root, "a");
        varve_add_variable(both, "x", varve_array(x, 2));
        varve_add_variable(both, "y", varve_array(y, 3));
        varve_restoration *r = read_root(root, NULL);
        cr_assert(x[1] == 2 && y[2] == 0);
        test_fail_allocation(n, false);
        varve_track(root, "b", both);
        was_tried = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        if (varve_find(root, "b") == both) {
            cr_assert_ok(varve_restoration_retry(r, &error), error);
            cr_assert_eq(y[2], 3, "allocation %ld", n);
            cr_assert_eq(varve_pending_count(r), 0);
            good(root);
        }
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

/* Like the configuration of a Keras layer without weights. */
TEST(binding, ignores_optional_values_for_the_kind_of_a_node)
{
    struct text_state state = { .text = "configuration" };
    varve_error error = { 0 };
    float x = 0, element = 0;
    begin_world();
    varve_node *root = new_root();
    varve_tag(varve_add_state(root, "a", &text_callbacks, &state),
        VARVE_TAG_OPTIONAL);
    varve_tag(varve_add_variable(root, "b", varve_array(COPY_OF(memory), 2)),
        VARVE_TAG_OPTIONAL);
    varve_add_variable(root, "x", varve_array(COPY_OF(memory), 1));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_add_object(root, "a");
    varve_add_variable(
        varve_add_list(root, "b"), VARVE_APPEND, varve_scalar(&element));
    varve_add_variable(
        root, "x", varve_view(&x, VARVE_FLOAT32, VARVE_SHAPE(1)));
    varve_restoration *r = varve_read(root, FILE_NAME,
        &(varve_read_options){ .expect.missing = "b/0" }, &error);
    cr_assert(r, "\"b\" is a variable there: %s", error.message);
    cr_assert_eq(x, 1);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_report *report = varve_report_new(r, &error);
    varve_finding f;
    cr_assert_eq(varve_report_count(report, VARVE_FINDING_UNEXPECTED), 2);
    cr_assert(varve_report_at(report, VARVE_FINDING_UNEXPECTED, 0, &f));
    cr_assert_str_eq(f.reason, "optional");
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

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

/* By an edge that leads to a variable whose place in the file is known. */
TEST(widening, rechecks_patterns_for_a_new_path)
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

/* What fails is matched again by a retry. */
TEST(widening, retries_edges_after_a_failed_allocation)
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
