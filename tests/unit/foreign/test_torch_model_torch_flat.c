/* test_torch_model_torch_flat.c - Tests flat state dicts of optimizers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <varve/varve.h>

#include "torch_model.h"
#include "torch_sample.h"

static int64_t place;

/* Adds a vector of one float with its own storage. */
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

/* Asserts that two paths lead to the same node or, if `kept` is NULL, that the
 * first one does not exist. */
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

TEST(torch_flat, belong_to_the_variable_with_the_longest_prefix)
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

TEST(torch_flat, require_one_model_with_all_parameters)
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

/* Asserts the listed reason for an optimizer; "": none. */
static void check_reason(struct vv_buffer *b, const char *reason)
{
    struct world w = world_new();
    varve_error error = { 0 };
    const char *path = "", *what = "";
    struct vv_buffer file = file_of(b);
    varve_reader *r = open_bytes(&w, "a.pt", &file, &error);
    cr_assert(r, "%s", error.message);
    bool is_listed = varve_reader_left_out_at(r, 0, &path, &what);
    cr_assert_eq(is_listed, *reason != 0, "%s", what);
    cr_assert_str_eq(what, reason);
    cr_assert(!is_listed || strcmp(path, "optim") == 0, "%s", path);
    varve_reader_free(r);
    vv_buffer_clear(&file);
    world_free(&w);
}

TEST(torch_flat, report_the_reason_if_not_created)
{
    struct vv_buffer b = begin();
    put_dict(&b, "model", NAMES("b"));
    put_dict(&b, "other", NAMES("b"));
    put_dict(&b, "optim", NAMES("state.b.m"));
    check_reason(&b, "moments as slots: its parameters may belong to "
                     "\"model\" or to \"other\"");
    b = begin();
    put_dict(&b, "model", NAMES("a"));
    put_dict(&b, "optim", NAMES("state.b.m", "param_groups.b.lr"));
    check_reason(&b, "moments as slots: no model next to it has all parameters "
                     "that it names");
    b = begin(); /* a module named `state` */
    put_dict(&b, "model", NAMES("a"));
    put_dict(&b, "optim", NAMES("state.b.m"));
    check_reason(&b, "");
}

/* The reason is in the message of a failed assertion, and in both reports. */
TEST(torch_flat, report_the_reason_in_a_failed_assertion)
{
    static const char reason[] = "optim: moments as slots: its parameters may "
                                 "belong to \"model\" or to \"other\"";
    struct vv_buffer b = begin();
    float x[1] = { 0 }, m[1] = { 0 };
    varve_error error = { 0 };
    put_dict(&b, "model", NAMES("b"));
    put_dict(&b, "other", NAMES("b"));
    put_dict(&b, "optim", NAMES("state.b.m"));
    struct vv_buffer bytes = file_of(&b);
    const char *path = test_path("flat.pt");
    test_write_file(path, bytes.data, bytes.size);
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_node *v = varve_add_variable(varve_add_object(root, "model"), "b",
        varve_array(x, 1));
    varve_add_slot(
        varve_add_object(root, "optim"), v, "m", varve_array(m, 1));
    varve_restoration *r = varve_read(root, path, NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    cr_assert(strstr(error.message, "left out by the reader: ") &&
        strstr(error.message, reason), "%s", error.message);
    cr_assert_eq(
        varve_assert_existing_objects_matched(r, &error), VARVE_UNMATCHED);
    cr_assert(strstr(error.message, reason), "%s", error.message);
    varve_report *report = varve_report_new(r, &error);
    cr_assert(strstr(varve_report_text(report), reason), "%s",
        varve_report_text(report));
    const char *json = varve_report_json(report, &error);
    cr_assert(json && strstr(json, "\"left_out\":[\n{\"path\":\"optim\","
        "\"what\":\"moments as slots: "), "%s", json);
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
    vv_buffer_clear(&bytes);
}

TEST(torch_flat, require_names_of_three_parts)
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

TEST(torch_flat, report_failed_allocations)
{
    struct vv_buffer b = begin();
    put_dict(&b, "model", NAMES("0.w", "b"));
    put_dict(&b, "optim", NAMES("state.0.w.m", "state.b.m"));
    struct vv_buffer file = file_of(&b);
    check_without_memory("a.pt", &file);
    vv_buffer_clear(&file);
}
