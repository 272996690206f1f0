/* test_torch_names.c - Tests parameter names of optimizers when torch files are
 * written again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "structure.h"
#include "torch_names.h"

#include "readers.h"
#include "targets.h"

static float a[2] = { 1, 2 }, b[2] = { 3, 4 };
static float of_a[2] = { 5, 6 }, of_b[2] = { 7, 8 };
static int64_t params[2] = { 0, 1 };
static const char *called[2]; /* names of the written variables */
static const char *names[2];  /* `param_names` */
static bool has_slots;

static void add_slot(varve_node *owner, varve_node *state, const char *position,
    varve_node *variable, float *moment)
{
    varve_node *slot =
        varve_add_slot(owner, variable, "m", varve_array(moment, 2));
    varve_track(varve_add_object(state, position), "m", slot);
}

/* Builds a PyTorch file as it is after a program renamed its variables. */
static void build(varve_node *root)
{
    static varve_string texts[2];
    varve_node *model = varve_add_object(root, "model");
    varve_node *first = varve_add_variable(model, called[0], varve_array(a, 2));
    varve_node *second =
        varve_add_variable(model, called[1], varve_array(b, 2));
    varve_node *sgd = varve_add_object(root, "sgd");
    varve_node *state = varve_add_object(sgd, "state");
    if (has_slots) {
        add_slot(sgd, state, "0", first, of_a);
        add_slot(sgd, state, "1", second, of_b);
    }
    varve_node *group =
        varve_add_object(varve_add_object(sgd, "param_groups"), "0");
    varve_add_variable(group, "params", varve_array(params, 2));
    varve_node *list = varve_add_object(group, "param_names");
    for (int i = 0; i < 2; i++) {
        texts[i] = (varve_string){ names[i], strlen(names[i]) };
        varve_add_variable(list, i ? "1" : "0", varve_scalar(&texts[i]));
    }
}

#define PATH "sgd/param_groups/0/param_names"

/* Writes the graph and checks the names in the file; NULL: none. */
static void check(const char *first, const char *second)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    varve_saved_node node;
    cr_assert_ok(
        write_graph(&w, "a.pt", VARVE_FORMAT_TORCH, build, &reported, &error),
        error);
    varve_reader *r = vv_reader_open_in(&w.context, "a.pt", &error);
    cr_assert(r, "%s", error.message);
    bool is_listed = strstr(reported.text, PATH ": the parameter names");
    cr_assert_eq(is_listed, !first, "%s", reported.text);
    cr_assert_null(
        strstr(reported.text, "it is in no dict"), "%s", reported.text);
    cr_assert_eq(varve_reader_find(r, PATH, &node), first != NULL);
    if (first) {
        char text[2][16] = { "\1\0\0\0\0\0\0", "\1\0\0\0\0\0\0" };
        text[0][8] = *first;
        text[1][8] = *second;
        check_value(r, PATH "/0", "string[]", text[0], 9);
        check_value(r, PATH "/1", "string[]", text[1], 9);
    }
    varve_reader_free(r);
    world_free(&w);
}

static void set(const char *first, const char *second, bool with_slots)
{
    called[0] = first;
    called[1] = second;
    names[0] = "x";
    names[1] = "y";
    has_slots = with_slots;
}

TEST(torch_names, are_kept_if_they_match_the_variables)
{
    set("x", "y", true);
    check("x", "y");
    set("x", "y", false);
    check("x", "y");
}

TEST(torch_names, follow_the_variables_of_their_slots)
{
    set("z", "y", true);
    check("z", "y");
    set("y", "x", true);
    check("y", "x");
}

TEST(torch_names, are_omitted_if_no_variable_has_the_name)
{
    set("z", "y", false);
    check(NULL, NULL);
}

TEST(torch_names, must_be_one_for_each_parameter)
{
    set("x", "y", true);
    names[1] = "";
    check("x", "y");
    names[1] = "y";
    has_slots = false;
    called[1] = "other";
    check(NULL, NULL);
}
