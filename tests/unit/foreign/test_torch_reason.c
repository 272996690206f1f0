/* test_torch_reason.c - Tests the reasons why an optimizer has no slots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "torch_made.h"
#include "torch_reason.h"

/* {"a": {"b": 1}, "c": {}} */
static struct made *begin(void)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "}(U\1a}U\1bK\1sU\1c}u.");
    return made_graph(&b);
}

static void check(struct made *m, const struct vv_torch_reason *reason,
    const char *path, const char *expected)
{
    struct vv_buffer text;
    vv_buffer_init(&text, test_allocator());
    m->draft.left_out.size = m->draft.left_out_texts.size = 0;
    uint32_t node = made_child(m, made_child(m, 0, 'a'), 'b');
    cr_assert_ok(vv_torch_report_reason(&m->g, node, reason, &text), m->error);
    vv_buffer_clear(&text);
    cr_assert_eq(m->draft.left_out.size, sizeof(struct vv_left_out));
    const char *texts = (const char *)m->draft.left_out_texts.data;
    cr_assert_str_eq(texts, path);
    cr_assert_str_eq(texts + strlen(texts) + 1, expected);
}

TEST(torch_reason, reports_the_optimizer_and_the_ambiguity)
{
    struct made *m = begin();
    uint32_t a = made_child(m, 0, 'a'), c = made_child(m, 0, 'c');
    uint64_t extents[5] = { 2, 3, 4, 5, 6 };
    struct vv_torch_form form = { extents, 2, true, false };
    struct vv_torch_name name = { "w.1", 3 };
    struct vv_torch_reason r = {
        .models = { a, c }, .form = &form, .name = &name
    };
    check(m, &r, "a/b",
        "moments as slots: no model next to it has variables of "
        "these shapes");
    r.why = VV_TORCH_MODELS_FIT;
    check(m, &r, "a/b",
        "moments as slots: its parameters may belong to \"a\" or to \"c\"");
    r.why = VV_TORCH_SHAPES_FIT;
    check(m, &r, "a/b",
        "moments as slots: it has no \"param_names\", and \"a\" has several "
        "variables of [2,3]");
    form.rank = 5;
    check(m, &r, "a/b",
        "moments as slots: it has no \"param_names\", and \"a\" has several "
        "variables of [2,3,4,5,...]");
    form.is_known = false;
    check(m, &r, "a/b",
        "moments as slots: it has no \"param_names\", and \"a\" has several "
        "variables of a possible shape");
    r.why = VV_TORCH_NO_NAMES;
    check(m, &r, "a/b",
        "moments as slots: its \"param_names\" do not have one name for "
        "each parameter");
    r.why = VV_TORCH_NO_NAME;
    check(m, &r, "a/b",
        "moments as slots: no model next to it has a variable \"w.1\" "
        "(from its \"param_names\") of that shape");
    r.why = VV_TORCH_NO_LOOKS;
    check(m, &r, "a/b",
        "moments as slots: the file has too many objects to search for "
        "its model");
    made_end(m);
}
