/* test_pending.c - Tests pending values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

static float memory[2] = { 1, 2 };

static void write_model(void)
{
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_node *x = varve_add_variable(model, "x", varve_array(memory, 2));
    varve_add_variable(root, "y", varve_array(COPY_OF(memory), 1));
    varve_add_slot(root, x, "m", varve_array(COPY_OF(memory), 2));
    write_root(root);
    free_root(root);
}

TEST(pending, returns_type_and_shape)
{
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    cr_assert_eq(varve_pending_count(r), 3);
    const varve_tensor *y = varve_pending(root, "y");
    cr_assert_eq(y->dtype, VARVE_FLOAT32);
    cr_assert_eq(y->shape[0], 1);
    cr_assert_null(y->data);
    cr_assert_eq(varve_pending(root, "y"), y);
    cr_assert_null(varve_pending(root, "model"));
    cr_assert_null(varve_pending(root, "none"));
    cr_assert_null(varve_pending(root, NULL));
    varve_node *model = varve_add_object(root, "model");
    cr_assert_eq(varve_pending(model, "x")->shape[0], 2);
    cr_assert_eq(y->shape[0], 1);
    float value[2] = { 0 };
    varve_node *x = varve_add_variable(model, "x", varve_array(value, 2));
    cr_assert_eq(value[1], 2);
    cr_assert_null(varve_pending(model, "x"));
    cr_assert_eq(varve_pending_slot(root, x, "m")->shape[0], 2);
    cr_assert_null(varve_pending_slot(model, x, "m"));
    cr_assert_null(varve_pending_slot(root, x, NULL));
    float slot[2] = { 0 };
    varve_add_slot(root, x, "m", varve_array(slot, 2));
    cr_assert_eq(slot[1], 2);
    cr_assert_null(varve_pending_slot(root, x, "m"));
    cr_assert_eq(varve_pending_count(r), 1);
    varve_restoration_free(r);
    cr_assert_null(varve_pending(root, "y"));
    free_root(root);
    end_world();
}

TEST(pending, returns_nothing_for_a_nil_node)
{
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    varve_node *nil = varve_add_object(root, "");
    cr_assert_eq(varve_node_kind(nil), VARVE_NIL);
    cr_assert_null(varve_pending(nil, "y"));
    cr_assert_null(varve_pending_slot(nil, nil, "m"));
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(pending, returns_the_next_element_of_a_list)
{
    float values[3] = { 1, 2, 3 };
    begin_world();
    varve_node *root = new_root();
    varve_node *list = varve_add_list(root, "list");
    varve_add_variable(list, VARVE_APPEND, varve_array(values, 1));
    varve_add_variable(list, VARVE_APPEND, varve_array(COPY_OF(values), 3));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_restoration *r = read_root(root, NULL);
    list = varve_add_list(root, "list");
    const varve_tensor *next = varve_pending(list, VARVE_APPEND);
    cr_assert(next && next->shape[0] == 1);
    varve_add_variable(list, VARVE_APPEND, varve_array(values, 1));
    next = varve_pending(list, VARVE_APPEND);
    cr_assert(next && next->shape[0] == 3);
    cr_assert_eq(next, varve_pending(list, "1"));
    varve_add_variable(list, VARVE_APPEND, varve_array(values, 3));
    cr_assert_null(varve_pending(list, VARVE_APPEND));
    cr_assert_null(varve_pending(root, VARVE_APPEND), "no list");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(pending, is_returned_from_the_newest_restoration_that_has_it)
{
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_restoration *old = read_root(root, NULL);
    varve_node *other = new_root();
    varve_add_variable(other, "y", varve_array(memory, 2));
    write_root(other);
    free_root(other);
    varve_restoration *newer = read_root(root, NULL);
    varve_error error = { 0 };
    varve_snapshot *snapshot = varve_snapshot_new(root, &error);
    cr_assert_eq(varve_pending(root, "y")->shape[0], 2);
    varve_restoration_free(newer);
    cr_assert_eq(varve_pending(root, "y")->shape[0], 1);
    varve_snapshot_free(snapshot);
    varve_restoration_free(old);
    free_root(root);
    end_world();
}

TEST(pending, is_dropped_by_pattern)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    cr_assert_ok(varve_drop_pending(r, "model", &error), error);
    cr_assert_eq(varve_pending_count(r), 2);
    float value[2] = { 7, 7 };
    varve_node *model = varve_add_object(root, "model");
    cr_assert_null(varve_pending(model, "x"));
    varve_node *x = varve_add_variable(model, "x", varve_array(value, 2));
    cr_assert_eq(value[0], 7);
    cr_assert_eq(varve_state_of(x), VARVE_INITIALIZED);
    cr_assert_ok(varve_drop_pending(r, NULL, &error), error);
    cr_assert_eq(varve_pending_count(r), 0);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

static varve_status seven(const varve_tensor *tensor, void *user)
{
    (void)user;
    *(float *)tensor->data = 7;
    return VARVE_OK;
}

TEST(pending, if_undelivered_is_initialized_when_dropped)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    varve_node *y = varve_add_allocated_variable(
        root, "y", VARVE_FLOAT32, VARVE_SHAPE(5), seven, NULL);
    cr_assert_eq(varve_state_of(y), VARVE_PENDING);
    cr_assert_eq(
        varve_graph_check(varve_node_graph(root), NULL), VARVE_MISMATCH);
    cr_assert_eq(varve_restoration_retry(r, &error), VARVE_MISMATCH);
    cr_assert_ok(varve_drop_pending(r, "y", &error), error);
    cr_assert_eq(varve_state_of(y), VARVE_INITIALIZED);
    cr_assert_eq(*(float *)varve_data(y), 7);
    good(root);
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(pending, is_dropped_completely_or_not_without_memory)
{
    float value[2] = { 0 };
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(model, "x", varve_array(value, 2));
    varve_restoration *r = read_root(root, NULL);
    varve_untrack(root, "model");
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = varve_drop_pending(r, "*y", &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(error.status, status);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert(n > 0 || status);
        good(root);
    }
    cr_assert_eq(varve_pending_count(r), 1); /* the slot of an untracked node */
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(pending, is_not_returned_without_memory)
{
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    const varve_tensor *found = NULL;
    for (long n = 0; !found; n++) {
        test_fail_allocation(n, false);
        found = varve_pending(root, "y");
        test_fail_allocation(-1, false);
        cr_assert(n > 0 || !found);
        good(root);
    }
    cr_assert_eq(found->shape[0], 1);
    cr_assert_eq(varve_pending(root, "y"), found);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(pending, is_returned_for_the_target_of_a_rename)
{
    varve_rename rename = { "net", "model" };
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root,
        &(varve_read_options){ .rename = { .list = &rename, .count = 1 } });
    varve_node *stranger = varve_add_detached(varve_node_graph(root));
    cr_assert_null(varve_pending(stranger, "x"));
    varve_node *net = varve_add_object(root, "net");
    cr_assert_eq(varve_pending(net, "x")->shape[0], 2);
    cr_assert_null(varve_pending(net, "none"));
    float value[2] = { 0 };
    varve_add_variable(net, "x", varve_array(value, 2));
    cr_assert_eq(value[1], 2);
    cr_assert_null(varve_pending(net, "x"));
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(pending, is_still_restored_if_dropping_it_failed)
{
    varve_status status = VARVE_NO_MEMORY;
    begin_world();
    write_model();
    for (long n = 0; status; n++) {
        float value[1] = { 0 };
        varve_error error = { 0 };
        varve_node *root = new_root();
        varve_restoration *r = read_root(root, NULL);
        test_fail_allocation(n, false);
        status = varve_drop_pending(r, "none", &error);
        test_fail_allocation(-1, false);
        varve_add_variable(root, "y", varve_array(value, 1));
        cr_assert_eq(value[0], 1, "allocation %ld", n);
        cr_assert_ok(varve_drop_pending(r, "*", &error), error);
        good(root);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}
