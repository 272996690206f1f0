/* test_torch_optimizer.c - Tests writing the state of optimizers to torch
 * files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_optimizer.h"

#include "readers.h"
#include "targets.h"

static float x[4] = { 1, 2, 3, 4 };
static double rate = 0.5;
static int64_t numbers[2] = { 5, 6 };

/* Builds a graph as it is after conversion from another format: dicts are
 * trees. */
static void build_tree(varve_node *root)
{
    varve_node *v = varve_add_variable(root, "v", varve_array(x, 2));
    varve_node *sgd = varve_add_object(root, "sgd");
    varve_add_slot(sgd, v, "momentum_buffer", varve_array(COPY_OF(x), 2));
    varve_node *groups = varve_add_object(sgd, "param_groups");
    varve_node *group = varve_add_object(groups, "0");
    varve_add_variable(group, "lr", varve_scalar(&rate));
    varve_add_variable(group, "params", varve_array(numbers, 2));
}

static void build_bare(varve_node *root)
{
    varve_node *v = varve_add_variable(root, "v", varve_array(x, 2));
    varve_node *sgd = varve_add_object(root, "sgd");
    varve_add_slot(sgd, v, "momentum_buffer", varve_array(COPY_OF(x), 2));
}

TEST(torch_optimizer, numbers_its_parameters_and_keeps_its_settings)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    int64_t zero = 0;
    cr_assert_ok(write_graph(
        &w, "a.pt", VARVE_FORMAT_TORCH, build_tree, &reported, &error), error);
    cr_assert_null(strstr(reported.text, "learning rate"), "%s", reported.text);
    varve_reader *r = vv_reader_open_in(&w.context, "a.pt", &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "sgd/param_groups/0/params", "int64[1]", &zero, 8);
    check_value(r, "sgd/param_groups/0/param_names/0", "string[]",
        "\1\0\0\0\0\0\0\0v", 9);
    if (!VV_BIG_ENDIAN) {
        check_value(r, "sgd/param_groups/0/lr", "float64[]", &rate, 8);
        check_value(r, "sgd/state/0/momentum_buffer", "float32[2]", x, 8);
    }
    varve_reader_free(r);
    world_free(&w);
}

TEST(torch_optimizer, reports_a_missing_learning_rate)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    cr_assert_ok(write_graph(
        &w, "a.pt", VARVE_FORMAT_TORCH, build_bare, &reported, &error), error);
    cr_assert(strstr(reported.text, "sgd: its learning rate: no value is named "
        "\"lr\"\n"), "%s", reported.text);
    world_free(&w);
}
