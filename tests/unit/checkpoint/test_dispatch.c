/* test_dispatch.c - Tests the delivery of all values that are due.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "dispatch.h"

static float values[3] = { 1, 2, 3 };

TEST(dispatch, reports_every_mismatched_value)
{
    float one[1] = { 0 };
    int whole[3] = { 0 };
    float same[3] = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_node *x = varve_add_variable(
        root, "x", varve_array(COPY_OF(values), 3));
    varve_add_variable(root, "y", varve_array(COPY_OF(values), 3));
    varve_add_variable(root, "z", varve_array(COPY_OF(values), 3));
    varve_add_slot(root, x, "m", varve_array(COPY_OF(values), 3));
    varve_add_object(root, "o");
    write_root(root);
    free_root(root);
    root = new_root();
    x = varve_add_variable(root, "x", varve_array(same, 3));
    varve_add_variable(root, "y", varve_array(one, 1));
    varve_add_variable(root, "z", varve_array(whole, 3));
    varve_add_slot(root, x, "m", varve_array(COPY_OF(one), 1));
    varve_add_variable(root, "o", varve_array(COPY_OF(one), 1));
    varve_error error = fail_read(root, NULL, VARVE_MISMATCH);
    static const char *const lines[] = {
        "\n  y: saved float32[3], the program has float32[1]",
        "\n  z: saved float32[3], the program has int32[3]",
        "\n  m(x): saved float32[3], the program has float32[1]",
        "\n  o: saved an object, the program has float32[1]",
        "\nhint: in the read options `cast` converts other types; `resize` ",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_assert_not_null(
            strstr(error.message, lines[i]), "%s", error.message);
    cr_assert_eq(same[0], 0);
    good(root);
    free_root(root);
    end_world();
}

TEST(dispatch, delays_a_state_until_its_variables_are_restored)
{
    struct text_state state = { .text = "saved" };
    float x[3] = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_node *s = varve_add_state(root, "s", &text_callbacks, &state);
    varve_add_variable(s, "x", varve_array(COPY_OF(values), 3));
    write_root(root);
    free_root(root);
    strcpy(state.text, "mine");
    root = new_root();
    varve_restoration *r = read_root(root, NULL);
    s = varve_add_state(root, "s", &text_callbacks, &state);
    cr_assert_eq(state.loads, 0);
    cr_assert_eq(r->delivery.held.pairs.size, sizeof(struct vv_pair));
    vv_delivery_release_ready_states(&r->delivery);
    cr_assert_eq(r->delivery.held.pairs.size, sizeof(struct vv_pair));
    varve_add_variable(s, "x", varve_array(x, 3));
    cr_assert_eq(x[2], 3);
    cr_assert_str_eq(state.text, "saved");
    cr_assert_eq(state.loads, 1);
    cr_assert_eq(r->delivery.held.pairs.size, 0);
    varve_restoration_free(r);
    /* The state also stops waiting when the variables are dropped. */
    strcpy(state.text, "mine");
    varve_remove(s);
    varve_add_state(root, "s", &text_callbacks, &state);
    r = read_root(root, NULL);
    varve_error error = { 0 };
    cr_assert_str_eq(state.text, "mine");
    cr_assert_ok(varve_drop_pending(r, "s/x", &error), error);
    cr_assert_str_eq(state.text, "saved");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
