/* test_arrival.c - Tests the delivery of values to nodes that are added after a
 * read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "arrival.h"
#include "support/faulty_system.h"

#include <errno.h>

static float values[3] = { 1, 2, 3 };

TEST(arrival, that_failed_is_not_repeated_before_a_retry)
{
    float x[3] = { 0 };
    varve_error error = { 0 };
    begin_world();
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    world.context = test_context(faulty_system(faulty));
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_array(values, 3));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_restoration *r = read_root(root, NULL);
    faulty_plan(faulty, &(struct faulty_plan){ .kinds = FAULTY_READ,
                            .error = EIO, .sticky = true });
    varve_node *node = varve_add_variable(root, "x", varve_array(x, 3));
    cr_assert_eq(varve_state_of(node), VARVE_PENDING);
    cr_assert_eq(r->delivery.stuck.pairs.size, sizeof(struct vv_pair));
    cr_assert_eq(
        varve_graph_check(varve_node_graph(root), NULL), VARVE_IO);
    cr_assert_eq(varve_restoration_retry(r, &error), VARVE_IO);
    cr_assert_eq(r->delivery.stuck.pairs.size, sizeof(struct vv_pair));
    faulty_plan(faulty, NULL);
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_eq(x[2], 3);
    cr_assert_eq(varve_state_of(node), VARVE_RESTORED);
    good(root);
    varve_restoration_free(r);
    free_root(root);
    faulty_free(faulty);
    end_world();
}

/* After a variable is untracked, its memory belongs to the program again. */
TEST(arrival, is_not_retried_for_untracked_variables)
{
    float *x = calloc(3, sizeof *x);
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_array(values, 3));
    write_root(root);
    free_root(root);
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    world.context = test_context(faulty_system(faulty));
    root = new_root();
    varve_restoration *r = read_root(root, NULL);
    faulty_plan(faulty, &(struct faulty_plan){ .kinds = FAULTY_READ,
                            .error = EIO, .sticky = true });
    varve_add_variable(root, "x", varve_array(x, 3));
    faulty_plan(faulty, NULL);
    varve_untrack(root, "x");
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_eq(x[0], 0);
    cr_assert_eq(varve_pending_count(r), 1);
    varve_restoration_free(r);
    free_root(root);
    free(x);
    faulty_free(faulty);
    end_world();
}

/* The same if there is no memory to find untracked nodes. */
TEST(arrival, is_not_retried_without_memory_to_find_untracked_nodes)
{
    float x[3] = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_array(values, 3));
    write_root(root);
    free_root(root);
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    world.context = test_context(faulty_system(faulty));
    root = new_root();
    varve_restoration *r = read_root(root, NULL);
    faulty_plan(faulty, &(struct faulty_plan){ .kinds = FAULTY_READ,
                            .error = EIO, .sticky = true });
    varve_add_variable(root, "x", varve_array(x, 3));
    faulty_plan(faulty, NULL);
    varve_untrack(root, "x");
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = varve_restoration_retry(r, &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(x[0], 0, "allocation %ld: it was delivered", n);
        cr_assert_eq(error.status, status);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert(n > 0 || status, "it did not look");
    }
    good(root);
    varve_restoration_free(r);
    free_root(root);
    faulty_free(faulty);
    end_world();
}

/* The state must be loaded after its own variable, which never arrives. */
TEST(arrival, of_a_state_is_delayed_by_a_mismatched_variable)
{
    float wrong[3] = { 0 }, x[2] = { 0 };
    struct text_state state = { .text = "saved" };
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_node *part = varve_add_object(root, "part");
    varve_node *s = varve_add_state(part, "s", &text_callbacks, &state);
    varve_add_variable(s, "x", varve_array(values, 2));
    write_root(root);
    free_root(root);
    strcpy(state.text, "old");
    root = new_root();
    varve_restoration *r = read_root(root, NULL);
    part = varve_add_detached(varve_node_graph(root));
    s = varve_add_state(part, "s", &text_callbacks, &state);
    varve_add_variable(s, "x", varve_array(wrong, 3));
    varve_track(root, "part", part);
    cr_assert_eq(
        varve_graph_check(varve_node_graph(root), &error), VARVE_MISMATCH);
    cr_assert_eq(varve_restoration_retry(r, &error), VARVE_MISMATCH);
    cr_assert_eq(state.loads, 0);
    varve_untrack(s, "x");
    varve_add_variable(s, "x", varve_array(x, 2));
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_eq(x[1], values[1]);
    cr_assert_eq(state.loads, 1);
    cr_assert_str_eq(state.text, "saved");
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

struct grower {
    varve_node *root;
    float late[3];
};

static varve_status grow(void *self, const void *bytes, size_t size)
{
    struct grower *grower = self;
    (void)bytes;
    (void)size;
    if (!varve_find(grower->root, "late"))
        varve_add_variable(
            grower->root, "late", varve_array(grower->late, 3));
    return VARVE_OK;
}

static varve_status save_nothing(void *self, varve_sink *sink)
{
    (void)self;
    (void)sink;
    return VARVE_OK;
}

TEST(arrival, restores_variables_added_by_a_load_callback)
{
    static const varve_state_callbacks callbacks = { save_nothing, grow };
    struct grower grower = { 0 };
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_add_state(root, "s", &callbacks, &grower);
    varve_add_variable(root, "late", varve_array(values, 3));
    write_root(root);
    free_root(root);
    root = grower.root = new_root();
    varve_add_state(root, "s", &callbacks, &grower);
    varve_restoration *r = read_root(root, NULL);
    cr_assert_arr_eq(grower.late, values, sizeof values);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    good(root);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* At the root, below it, and later. */
TEST(arrival, reports_a_variable_matched_with_an_object_anywhere)
{
    float x = 7;
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(
        varve_add_object(root, "object"), "v", varve_scalar(&x));
    write_root(root);
    free_root(root);
    for (int i = 0; i < 3; i++) {
        varve_error error = { 0 };
        root = new_root();
        varve_restoration *r = i < 2 ? NULL : read_root(root, NULL);
        varve_node *node =
            varve_add_variable(root, "object", varve_scalar(&x));
        if (i < 2)
            error = fail_read(i ? root : node,
                &(varve_read_options){ .subtree = i ? NULL : "object" },
                VARVE_MISMATCH);
        else
            cr_assert_eq(varve_graph_check(varve_node_graph(root), &error),
                VARVE_MISMATCH);
        cr_assert_not_null(
            strstr(error.message, "object: saved an object, the program has"),
            "%s", error.message);
        if (r)
            varve_remove(node);
        good(root);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}
