/* test_torch_flat.c - lib/foreign/torch/torch_flat.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "torch_flat.h"
#include "torch_sample.h"

static int64_t place;

/* A vector of one float, at a place of its own. */
static void put_value(struct vv_buffer *b, const char *name)
{
    put_text(b, name);
    put_tensor(b, &(struct put){ .class = "FloatStorage", .key = "0",
        .count = 20, .offset = place++, .rank = 1, .shape = { 1 },
        .strides = { 1 } });
}

static void put_dict(
    struct vv_buffer *b, const char *name, const char *const *names)
{
    put_text(b, name);
    OP(b, "}(");
    for (; *names; names++)
        put_value(b, *names);
    OP(b, "u");
}

#define NAMES(...) (const char *const[]){ __VA_ARGS__, NULL }

static struct vv_buffer begin(void)
{
    struct vv_buffer b = new_bytes();
    place = 0;
    OP(&b, "}(");
    return b;
}

static struct vv_buffer file_of(struct vv_buffer *b)
{
    OP(b, "u.");
    struct vv_buffer file = new_torch(b, "0", 80, NULL);
    vv_buffer_clear(b);
    return file;
}

/* Whether a path leads to the same as another one, or, if that is NULL, to
 * nothing. */
static void check(
    struct vv_buffer *b, const char *slot, const char *kept)
{
    struct world w = world_new();
    varve_error error = { 0 };
    varve_saved_node node;
    struct vv_buffer file = file_of(b);
    varve_reader *r = open_bytes(&w, "a.pt", &file, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_reader_find(r, slot, &node), kept != NULL, "%s", slot);
    if (kept)
        cr_assert_eq(node.id, find_node(r, kept).id);
    varve_reader_free(r);
    vv_buffer_clear(&file);
    world_free(&w);
}

TEST(torch_flat, are_of_the_variable_that_the_name_begins_with)
{
    struct vv_buffer b = begin();
    put_dict(&b, "optim", NAMES("state.0.w.m", "state.0.w.v", "state.b.m",
        "param_groups.0.w.lr"));
    put_dict(&b, "model", NAMES("0.w", "b", "other"));
    check(&b, "optim/m(model/0.w)", "optim/state.0.w.m");
    b = begin();
    put_dict(&b, "model", NAMES("0.w", "b", "other"));
    put_dict(&b, "optim", NAMES("state.0.w.m", "state.b.m"));
    check(&b, "optim/m(model/b)", "optim/state.b.m");
}

TEST(torch_flat, need_one_model_that_has_all)
{
    struct vv_buffer b = begin();
    put_dict(&b, "model", NAMES("0.w"));
    put_dict(&b, "optim", NAMES("state.0.w.m", "state.b.m"));
    check(&b, "optim/m(model/0.w)", NULL);
    b = begin();
    put_dict(&b, "model", NAMES("b"));
    put_dict(&b, "other", NAMES("b"));
    put_dict(&b, "optim", NAMES("state.b.m"));
    check(&b, "optim/m(model/b)", NULL);
}

TEST(torch_flat, have_names_of_three_parts)
{
    static const char *const names[] = { "state.b", "state..m", "state.b.",
        "stat.b.m", "state", "state." };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct vv_buffer b = begin();
        put_dict(&b, "model", NAMES("b", "m"));
        put_dict(&b, "optim", NAMES(names[i]));
        check(&b, "optim/m(model/b)", NULL);
    }
}

TEST(torch_flat, need_memory)
{
    struct vv_buffer b = begin();
    put_dict(&b, "model", NAMES("0.w", "b"));
    put_dict(&b, "optim", NAMES("state.0.w.m", "state.b.m"));
    struct vv_buffer file = file_of(&b);
    check_without_memory("a.pt", &file);
    vv_buffer_clear(&file);
}
