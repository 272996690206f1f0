/* test_torch_again.c - Tests the containers chosen when torch files are
 * written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "pickle_in.h"
#include "structure.h"
#include "torch_again.h"

#include "readers.h"
#include "targets.h"
#include "torch_sample.h"

static float weight[2] = { 1, 2 };
static double rate = 0.5, betas[2] = { 0.25, 0.75 };
static int64_t first[1] = { 0 }, second[1] = { 1 };
static bool is_maximal = true;

static void add_group(varve_node *groups, const char *name, int64_t *params)
{
    varve_node *group = varve_add_object(groups, name);
    varve_add_variable(group, "params", varve_array(COPY_AT(params), 1));
    varve_add_variable(group, "lr", varve_scalar(COPY_AT(&rate)));
    varve_add_variable(group, "betas", varve_array(COPY_OF(betas), 2));
    varve_add_variable(group, "maximize", varve_scalar(COPY_AT(&is_maximal)));
    varve_node *eps = varve_add_object(group, "eps");
    varve_add_variable(eps, "1", varve_scalar(COPY_AT(&rate)));
}

/* Builds a PyTorch file as it is after a program or another format: only
 * objects. */
static void build(varve_node *root)
{
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(model, "w", varve_array(weight, 2));
    varve_node *adam = varve_add_object(root, "adam");
    varve_node *state = varve_add_object(adam, "state");
    varve_node *entry = varve_add_object(state, "0");
    varve_add_variable(entry, "exp_avg", varve_array(COPY_OF(weight), 2));
    varve_add_variable(entry, "n_iter", varve_scalar(COPY_AT(&first[0])));
    varve_node *groups = varve_add_object(adam, "param_groups");
    add_group(groups, "1", second);
    add_group(groups, "0", first);
}

/* Returns the pickle of the graph that `build` creates. Items are compared,
 * since the opcodes would be long as text. */
static struct vv_pickle pickle_of(struct world *w, struct vv_buffer *bytes)
{
    struct losses reported = { "" };
    varve_error error = { 0 };
    struct vv_pickle p;
    size_t size;
    cr_assert_ok(write_graph(
        w, "a.pt", VARVE_FORMAT_TORCH, build, &reported, &error), error);
    const unsigned char *file = memory_bytes(w->memory, "a.pt", &size);
    const unsigned char *at = file;
    while (memcmp(at, "\x80\2", 2) != 0)
        at++;
    vv_buffer_add(bytes, at, size - (size_t)(at - file));
    cr_assert_ok(vv_pickle_read(&p, bytes, "a.pt", &error), error);
    return p;
}

/* Returns the value of a text key of a dict, or 0. */
static uint32_t at(const struct vv_pickle *p, uint32_t dict, const char *name)
{
    for (uint32_t l = vv_pickle_item(p, dict)->first; l;) {
        struct vv_pickle_link key = vv_pickle_link(p, l);
        struct vv_pickle_link value = vv_pickle_link(p, key.next);
        if (vv_pickle_is_text(p, key.item, name))
            return value.item;
        l = value.next;
    }
    cr_assert_fail("%s", name);
    return 0;
}

static uint32_t kind_of(const struct vv_pickle *p, uint32_t item)
{
    return vv_pickle_item(p, item)->kind;
}

TEST(torch_again, creates_the_dicts_and_lists_of_an_optimizer)
{
    struct world w = world_new();
    struct vv_buffer bytes = new_bytes();
    struct vv_pickle p = pickle_of(&w, &bytes);
    uint32_t adam = at(&p, p.root, "adam");
    uint32_t state = at(&p, adam, "state");
    uint32_t groups = at(&p, adam, "param_groups");
    cr_assert_eq(kind_of(&p, adam), VV_PICKLE_DICT);
    cr_assert_eq(kind_of(&p, groups), VV_PICKLE_LIST);
    struct vv_pickle_link key =
        vv_pickle_link(&p, vv_pickle_item(&p, state)->first);
    cr_assert_eq(kind_of(&p, key.item), VV_PICKLE_INTEGER);
    uint32_t entry = vv_pickle_link(&p, key.next).item;
    cr_assert_eq(kind_of(&p, at(&p, entry, "exp_avg")), VV_PICKLE_CALL);
    cr_assert_eq(kind_of(&p, at(&p, entry, "n_iter")), VV_PICKLE_INTEGER);
    struct vv_pickle_link group =
        vv_pickle_link(&p, vv_pickle_item(&p, groups)->first);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t params = at(&p, group.item, "params");
        cr_assert_eq(kind_of(&p, params), VV_PICKLE_LIST);
        cr_assert_eq(vv_pickle_item(&p,
            vv_pickle_link(&p, vv_pickle_item(&p, params)->first).item)->a, i);
        cr_assert_eq(kind_of(&p, at(&p, group.item, "lr")), VV_PICKLE_REAL);
        cr_assert_eq(kind_of(&p, at(&p, group.item, "betas")),
            VV_PICKLE_TUPLE);
        cr_assert_eq(at(&p, group.item, "maximize"), VV_PICKLE_THE_TRUE);
        uint32_t eps = at(&p, group.item, "eps");
        cr_assert_eq(kind_of(&p, eps), VV_PICKLE_TUPLE);
        cr_assert_eq(vv_pickle_link(&p, vv_pickle_item(&p, eps)->first).item,
            VV_PICKLE_THE_NONE);
        if (i == 0)
            group = vv_pickle_link(&p, group.next);
    }
    cr_assert_eq(group.next, 0);
    vv_pickle_clear(&p);
    vv_buffer_clear(&bytes);
    world_free(&w);
}
