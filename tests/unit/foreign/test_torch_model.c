/* test_torch_model.c - Tests the list of trainable variables of a model.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_model.h"

#include "support/test.h"
#include "torch_made.h"

/* A Python float. */
#define REAL "G\x3f\xf0\0\0\0\0\0\0"

/* {"a": {"b": float, "c": 2}, "d": float, "o": {"state": {"m": float},
 * "param_groups": []}, "a.b": float, "e.f": float, "g": {"h": that of "d"}} */
static struct made *begin(void)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "}(U\1a}(U\1b" REAL "U\1cK\2uU\1d" REAL "q\1");
    OP(&b, "U\1o}(U\5state}U\1m" REAL "sU\14param_groups]u");
    OP(&b, "U\3a.b" REAL "U\3e.f" REAL "U\1g}U\1hh\1su.");
    return made_graph(&b);
}

static uint32_t find(
    struct made *m, const struct vv_torch_model *model, const char *name)
{
    return vv_torch_model_find(
        model, vv_torch_name_of(&m->g.keys, name, (uint32_t)strlen(name)));
}

TEST(torch_model, lists_trainable_variables)
{
    struct made *m = begin();
    struct vv_torch_model model;
    cr_assert(vv_torch_model_init(&model, &m->g));
    model.looks = 100;
    cr_assert_ok(vv_torch_model_list(&model, 0, true), m->error);
    const uint32_t *all = (const uint32_t *)(const void *)model.variables.data;
    uint32_t a = made_child(m, 0, 'a');
    cr_assert_geq(model.variables.size / sizeof *all, 4);
    cr_assert_eq(all[0], made_child(m, a, 'b'));
    cr_assert_eq(all[1], made_child(m, 0, 'd'));
    cr_assert_eq(find(m, &model, "d"), all[1]);
    cr_assert_eq(find(m, &model, "e.f"), made_child(m, 0, 'e'));
    cr_assert_eq(find(m, &model, "a.c"), 0);       /* an integer */
    cr_assert_eq(find(m, &model, "a.b"), 0);       /* two have this name */
    cr_assert_eq(find(m, &model, "o.state.m"), 0); /* of an optimizer */
    cr_assert_neq(find(m, &model, "g.h"), 0);
    vv_torch_model_clear(&model);
    made_end(m);
}

TEST(torch_model, stops_at_its_limit_of_visits)
{
    struct made *m = begin();
    struct vv_torch_model model;
    cr_assert(vv_torch_model_init(&model, &m->g));
    model.looks = 2;
    cr_assert_ok(vv_torch_model_list(&model, 0, true), m->error);
    cr_assert_eq(model.looks, 0);
    cr_assert_not(vv_torch_model_use_budget(&model, 0));
    model.looks = 3;
    cr_assert(vv_torch_model_use_budget(&model, 2));
    cr_assert_not(vv_torch_model_use_budget(&model, 1));
    vv_torch_model_clear(&model);
    made_end(m);
}
