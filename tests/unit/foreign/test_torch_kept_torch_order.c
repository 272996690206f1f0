/* test_torch_kept_torch_order.c - Tests the order of optimizer parameters.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_kept.h"

#include "readers.h"
#include "targets.h"

static float a[2] = { 1, 2 }, b[2] = { 3, 4 };
static float of_a[2] = { 5, 6 }, of_b[2] = { 7, 8 };

static varve_node *add_slot(varve_node *owner, varve_node *entry,
    varve_node *variable, float *moment)
{
    varve_node *slot =
        varve_add_slot(owner, variable, "m", varve_array(moment, 2));
    varve_track(entry, "m", slot);
    return slot;
}

/* In the order of the program, which differs from that of the names. */
static void build(varve_node *root)
{
    varve_node *model = varve_add_object(root, "model");
    varve_node *sgd = varve_add_object(root, "sgd");
    varve_node *state = varve_add_list(sgd, "state");
    varve_node *second = varve_add_variable(model, "b", varve_array(b, 2));
    varve_node *first = varve_add_variable(model, "a", varve_array(a, 2));
    add_slot(sgd, varve_add_object(state, VARVE_APPEND), second, of_b);
    add_slot(sgd, varve_add_object(state, VARVE_APPEND), first, of_a);
}

TEST(torch_order, is_the_order_of_entries_of_a_state)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    cr_assert_ok(write_graph(
        &w, "a.pt", VARVE_FORMAT_TORCH, build, &reported, &error), error);
    cr_assert_null(strstr(reported.text, "the order"), "%s", reported.text);
    varve_reader *r = vv_reader_open_in(&w.context, "a.pt", &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "sgd/param_groups/0/param_names/0", "string[]",
        "\1\0\0\0\0\0\0\0b", 9);
    if (!VV_BIG_ENDIAN) {
        check_value(r, "sgd/state/0/m", "float32[2]", of_b, 8);
        check_value(r, "sgd/state/1/m", "float32[2]", of_a, 8);
        check_value(r, "sgd/m(model/a)", "float32[2]", of_a, 8);
    }
    varve_reader_free(r);
    world_free(&w);
}
