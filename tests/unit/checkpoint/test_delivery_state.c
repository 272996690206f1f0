/* test_delivery_state.c - Tests the decisions about a value when its node is
 * bound.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "delivery_state.h"
#include "variable.h"

/* Writes a state and a variable below "a" and "b", which are the same
 * object. */
static void write_shared(void)
{
    static float x = 5;
    struct text_state state = { .text = "saved" };
    varve_node *root = new_root();
    varve_node *a = varve_add_object(root, "a");
    varve_add_variable(a, "x", varve_scalar(&x));
    varve_add_state(a, "s", &text_callbacks, &state);
    varve_track(root, "b", a);
    write_root(root);
    free_root(root);
}

struct copies {
    varve_node *root;
    varve_node *b;
    float x;
    struct text_state states[2];
};

static void build(struct copies *c)
{
    *c = (struct copies){ .root = new_root() };
    varve_node *a = varve_add_object(c->root, "a");
    varve_add_allocated_variable(
        a, "x", VARVE_FLOAT32, VARVE_SCALAR, NULL, NULL);
    varve_add_state(a, "s", &text_callbacks, &c->states[0]);
    c->b = varve_add_object(c->root, "b");
    varve_add_variable(c->b, "x", varve_scalar(&c->x));
    varve_add_state(c->b, "s", &text_callbacks, &c->states[1]);
}

TEST(delivery_state, of_a_value_is_determined_by_its_holder)
{
    struct copies c;
    varve_read_options options = { .copy_shared = true };
    begin_world();
    write_shared();
    build(&c);
    varve_restoration *r = read_root(c.root, &options);
    varve_node *x = varve_find(c.b, "x");
    uint32_t file = vv_file_node_of(&r->pairing.matches, x);
    uint32_t value = vv_value_of(&r->pairing, file);
    cr_assert_eq(c.x, 5);
    cr_assert_str_eq(c.states[0].text, "saved");
    cr_assert_str_eq(c.states[1].text, "saved");
    cr_assert(!vv_is_holder(&r->pairing.matches, x, file) &&
              vv_wants_copy(&r->delivery, x, file));
    vv_set_delivery_state(&r->delivery, x, value, VV_DELIVERY_STATE_MISMATCHED);
    cr_assert_eq(
        r->delivery.delivery_states.of[value], VV_DELIVERY_STATE_APPLIED);
    cr_assert(vv_is_final(&r->delivery.delivery_states, value));
    varve_restoration_free(r);
    free_root(c.root);
    end_world();
}

/* A copy that does not fit, or cannot be delivered, must not affect a value
 * that fits. */
TEST(delivery_state, of_a_copy_that_does_not_match_fails_the_read)
{
    struct copies c;
    float wrong[2] = { 0 };
    varve_read_options options = { .copy_shared = true };
    begin_world();
    write_shared();
    build(&c);
    varve_remove(varve_find(c.b, "x"));
    varve_add_variable(c.b, "x", varve_array(wrong, 2));
    varve_error error = fail_read(c.root, &options, VARVE_MISMATCH);
    cr_assert_not_null(strstr(error.message, "\n  b/x"), "%s", error.message);
    varve_restoration_free(read_root(c.root, NULL));
    cr_assert_eq(wrong[0], 0);
    free_root(c.root);
    end_world();
}

TEST(delivery_state, of_copies_is_correct_after_a_failed_allocation)
{
    varve_restoration *r = NULL;
    varve_read_options options = { .copy_shared = true };
    begin_world();
    write_shared();
    for (long n = 0; !r; n++) {
        struct copies c;
        varve_error error = { 0 };
        build(&c);
        test_fail_allocation(n, false);
        r = varve_read(c.root, FILE_NAME, &options, &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(error.status, r ? VARVE_OK : VARVE_NO_MEMORY);
        cr_assert_eq(c.x, r ? 5 : 0, "%ld", n);
        good(c.root);
        varve_restoration_free(r);
        free_root(c.root);
    }
    end_world();
}

TEST(delivery_state, of_late_copies_is_correct_after_a_failed_allocation)
{
    varve_read_options options = { .copy_shared = true };
    bool is_done = false;
    begin_world();
    write_shared();
    for (long n = 0; !is_done; n++) {
        float first = 0, second = 0;
        varve_error error = { 0 };
        varve_node *root = new_root();
        varve_restoration *r = read_root(root, &options);
        varve_node *a = varve_add_object(root, "a");
        varve_node *b = varve_add_object(root, "b");
        varve_add_variable(a, "x", varve_scalar(&first));
        good(root);
        test_fail_allocation(n, false);
        varve_add_variable(b, "x", varve_scalar(&second));
        is_done = test_allocation_count() <= n;
        test_fail_allocation(-1, false);
        if (varve_find(b, "x"))
            cr_assert_ok(varve_restoration_retry(r, &error), error);
        cr_assert(first == 5 && second == (varve_find(b, "x") ? 5 : 0));
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

#ifndef NDEBUG
static void wait_again(varve_restoration *r)
{
    vv_change_delivery_state(
        &r->delivery.delivery_states, 0, VV_DELIVERY_STATE_WAITING);
}

TEST(delivery_state, of_a_delivered_value_cannot_become_pending)
{
    struct copies c;
    begin_world();
    write_shared();
    build(&c);
    varve_restoration *r = read_root(c.root, NULL);
    check_aborts(wait_again, r);
    varve_restoration_free(r);
    free_root(c.root);
    end_world();
}
#endif

static varve_status set_seven(const varve_tensor *tensor, void *user)
{
    float *elements = tensor->data;
    (void)user;
    elements[0] = elements[1] = 7;
    return VARVE_OK;
}

/* The newer restoration, whose value does not fit, keeps it pending first. */
TEST(delivery_state, of_a_part_applies_if_a_newer_one_does_not_match)
{
    float saved[1] = { 5 };
    varve_error error = { 0 };
    varve_read_options options = { .resize = "**" };
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_array(saved, 1));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_restoration *older = read_root(root, &options);
    varve_restoration *newer = read_root(root, NULL);
    varve_node *x = varve_add_allocated_variable(
        root, "x", VARVE_FLOAT32, VARVE_SHAPE(2), set_seven, NULL);
    cr_assert_eq(
        varve_graph_check(varve_node_graph(root), &error), VARVE_MISMATCH);
    varve_restoration_free(newer);
    good(root);
    const float *elements = varve_data(x);
    cr_assert_eq(varve_state_of(x), VARVE_RESTORED);
    cr_assert(elements && elements[0] == 5 && elements[1] == 7);
    varve_restoration_free(older);
    free_root(root);
    end_world();
}

/* A variable that had no value and has no initializer still has none. */
TEST(delivery_state, of_a_lost_value_leaves_a_declared_variable_unset)
{
    varve_error error = { 0 };
    begin_world();
    const double saved = 1234.5;
    double value = saved;
    size_t size;
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_scalar(&value));
    write_root(root);
    free_root(root);
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    for (size_t i = 0; i + sizeof saved <= size; i++) {
        if (memcmp(bytes + i, &saved, sizeof saved) == 0)
            bytes[i] ^= 1;
    }
    root = new_root();
    varve_defer_initializers(varve_node_graph(root), true);
    varve_node *node = varve_add_allocated_variable(
        root, "x", VARVE_FLOAT64, VARVE_SCALAR, NULL, NULL);
    varve_defer_initializers(varve_node_graph(root), false);
    varve_read_options options = { .salvage.on = true };
    varve_restoration_free(read_root(root, &options));
    cr_assert_eq(varve_state_of(node), VARVE_DECLARED);
    cr_assert_ok(varve_initialize(root, NULL, &error), error);
    cr_assert_eq(varve_state_of(node), VARVE_INITIALIZED);
    free_root(root);
    end_world();
}
