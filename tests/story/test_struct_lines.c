/* test_struct_lines.c - Tests several members of a struct in one line of its
 * table.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <string.h>

/* [fields] */
struct adam {
    int64_t step;
    double rate, betas[2];
    float mean[3][2];
    bool is_warm;
};

static const varve_field adam_fields[] = {
    VARVE_FIELDS(struct adam, step, rate, betas, mean, is_warm),
    VARVE_FIELDS_END,
};
/* [/fields] */

static const varve_field by_line[] = {
    VARVE_FIELD(struct adam, step),
    VARVE_FIELD(struct adam, rate),
    VARVE_FIELD_ARRAY(struct adam, betas),
    VARVE_FIELD_ARRAY(struct adam, mean),
    VARVE_FIELD(struct adam, is_warm),
    VARVE_FIELDS_END,
};

TEST(structs, may_list_many_members_in_a_line)
{
    struct adam adam = { 7, 0.5, { 1, 2 }, { { 1, 2 }, { 3 } }, true };
    const struct adam before = adam;
    cr_assert_eq(sizeof adam_fields, sizeof by_line);
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *node = varve_add_struct(root, "adam", adam_fields, &adam);
    const varve_tensor *mean = varve_value(varve_find(node, "mean"));
    cr_assert_eq(mean->rank, 2);
    cr_assert_eq(mean->shape[1], 2);
    cr_assert_eq(varve_value(varve_find(node, "betas"))->dtype, VARVE_FLOAT64);
    cr_assert_eq(varve_value(varve_find(node, "rate"))->rank, 0);
    story_write(root, "f");
    varve_graph_free(graph);
    memset(&adam, 0, sizeof adam);
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_add_struct(root, "adam", by_line, &adam);
    varve_restoration *r = story_read(root, "f", NULL);
    story_consumed(r);
    varve_restoration_free(r);
    cr_assert_eq(adam.step, before.step);
    cr_assert_eq(adam.rate, before.rate);
    cr_assert_eq(adam.betas[1], 2);
    cr_assert_arr_eq(adam.mean, before.mean, sizeof adam.mean);
    cr_assert(adam.is_warm);
    varve_graph_free(graph);
}

/* Two lines of a table with the same member are rejected. */
TEST(structs, list_each_member_only_once)
{
    static const varve_field twice[] = {
        VARVE_FIELDS(struct adam, step, rate),
        VARVE_FIELDS(struct adam, betas, step),
        VARVE_FIELDS_END,
    };
    struct adam adam = { 0 };
    varve_graph *graph = story_graph();
    varve_error error = { 0 };
    varve_add_struct(varve_graph_root(graph), "adam", twice, &adam);
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "adam/step: the member is listed twice"), "%s",
        error.message);
    varve_graph_free(graph);
}
