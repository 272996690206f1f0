/* test_torch_slots.c - Tests optimizer slots of torch files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_sample.h"
#include "torch_slots.h"

/* Adds a matrix of `rows` rows and one column at an offset of the storage. */
static void put_matrix(struct vv_buffer *b, int64_t offset, int64_t rows)
{
    put_tensor(b, &(struct put){ .class = "HalfStorage", .key = "0",
        .count = 100, .offset = offset, .rank = 2, .shape = { rows, 1 },
        .strides = { 1, 1 } });
}

/* name: {"w0": [rows[0], 1], "w1": ...} at offsets from `offset` on. */
static void put_model(struct vv_buffer *b, const char *name, int64_t offset,
    const char *rows)
{
    put_text(b, name);
    OP(b, "}(");
    for (int i = 0; rows[i]; i++) {
        put_text(b, (char[]){ 'w', (char)('0' + i), '\0' });
        put_matrix(b, offset + 10 * i, rows[i] - '0');
    }
    OP(b, "u");
}

/* Adds "optimizer": the state of parameters with these rows; a bar separates
 * groups. */
static void put_optimizer(struct vv_buffer *b, int64_t offset, const char *rows)
{
    put_text(b, "optimizer");
    OP(b, "}(");
    put_text(b, "state");
    OP(b, "}(");
    int64_t number = 0;
    for (int i = 0; rows[i]; i++) {
        if (rows[i] == '|')
            continue;
        put_integer(b, number);
        OP(b, "}(");
        put_text(b, "step");
        OP(b, "K\5");
        put_text(b, "m");
        put_matrix(b, offset + number * 10, rows[i] - '0');
        put_text(b, "v");
        put_matrix(b, offset + number * 10 + 5, rows[i] - '0');
        OP(b, "u");
        number++;
    }
    OP(b, "u");
    put_text(b, "param_groups");
    OP(b, "](");
    number = 0;
    for (const char *r = rows; *r; r += *r == '|') {
        OP(b, "}");
        put_text(b, "params");
        OP(b, "](");
        for (; *r && *r != '|'; r++)
            put_integer(b, number++);
        OP(b, "es");
    }
    OP(b, "eu");
}

/* The same in one group, with parameter names: a letter each for w0, w1, ... */
static void put_named_optimizer(
    struct vv_buffer *b, int64_t offset, const char *rows, const char *names)
{
    put_text(b, "optimizer");
    OP(b, "}(");
    put_text(b, "state");
    OP(b, "}(");
    for (int i = 0; rows[i]; i++) {
        put_integer(b, i);
        OP(b, "}(");
        put_text(b, "m");
        put_matrix(b, offset + 10 * i, rows[i] - '0');
        put_text(b, "v");
        put_matrix(b, offset + 10 * i + 5, rows[i] - '0');
        OP(b, "u");
    }
    OP(b, "u");
    put_text(b, "param_groups");
    OP(b, "]}(");
    put_text(b, "params");
    OP(b, "](");
    for (int i = 0; rows[i]; i++)
        put_integer(b, i);
    OP(b, "e");
    put_text(b, "param_names");
    OP(b, "](");
    for (int i = 0; names[i]; i++)
        put_text(b, (char[]){ 'w', names[i], '\0' });
    OP(b, "euau");
}

struct made {
    struct world w;
    varve_reader *r;
};

static struct made make(struct vv_buffer *b)
{
    struct made m = { .w = world_new() };
    varve_error error = { 0 };
    OP(b, "u.");
    struct vv_buffer file = new_torch(b, "0", 200, NULL);
    m.r = open_bytes(&m.w, "a.pt", &file, &error);
    cr_assert(m.r, "%s", error.message);
    vv_buffer_clear(b);
    vv_buffer_clear(&file);
    return m;
}

static void end(struct made *m)
{
    varve_reader_free(m->r);
    world_free(&m->w);
}

static bool is_there(const struct made *m, const char *path)
{
    varve_saved_node node;
    return varve_reader_find(m->r, path, &node);
}

/* Asserts that m of w0, w1, ... of a model is that of these positions; '-':
 * there is no such slot. */
static void check(struct made *m, const char *model, const char *positions)
{
    for (int i = 0; positions[i]; i++) {
        char slot[60], kept[60];
        snprintf(slot, sizeof slot, "optimizer/m(%s/w%d)", model, i);
        snprintf(kept, sizeof kept, "optimizer/state/%c/m", positions[i]);
        cr_assert_eq(is_there(m, slot), positions[i] != '-', "%s", slot);
        if (positions[i] != '-')
            cr_assert_eq(find_node(m->r, slot).id, find_node(m->r, kept).id,
                "%s, %s", slot, kept);
    }
}

/* Asserts the reason for which an optimizer has no slots; NULL: none. */
static void check_reason(const struct made *m, const char *expected)
{
    const char *path, *what;
    bool is_there = varve_reader_left_out_at(m->r, 0, &path, &what);
    cr_assert_eq(is_there, expected != NULL, "%s", is_there ? what : "nothing");
    if (!expected)
        return;
    cr_assert_str_eq(path, "optimizer");
    cr_assert(strstr(what, expected), "%s", what);
    cr_assert_not(varve_reader_left_out_at(m->r, 1, &path, &what));
}

static void check_case(const char *model, const char *trained,
    const char *positions, const char *reason)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "}(");
    put_model(&b, "net", 0, model);
    put_optimizer(&b, 40, trained);
    struct made m = make(&b);
    check(&m, "net", positions);
    check_reason(&m, reason);
    end(&m);
}

TEST(torch_slots, belong_to_the_variable_with_the_shape)
{
    check_case("123", "123", "012", NULL);
    check_case("123", "132", "021", NULL);
    check_case("123", "23", "-01", NULL);
    struct vv_buffer b = new_bytes();
    OP(&b, "}(");
    put_optimizer(&b, 40, "12");
    put_model(&b, "net", 0, "12");
    struct made m = make(&b);
    check(&m, "net", "01");
    cr_assert_eq(find_node(m.r, "optimizer/v(net/w1)").id,
        find_node(m.r, "optimizer/state/1/v").id);
    check_value(m.r, "optimizer/step(net/w0)", "int64[]",
        "\5\0\0\0\0\0\0\0", 8);
    end(&m);
}

TEST(torch_slots, are_matched_by_groups_in_their_own_order)
{
    check_case("123", "2|13", "102", NULL);
    check_case("1293", "2|13", "10-2", NULL);
    check_case("123", "2||13", "102", NULL);
    check_case("1234", "34|12", "2301", NULL);
}

/* The file does not contain the order of the optimizer's parameters. */
TEST(torch_slots, require_unambiguous_shapes)
{
    check_case("122", "122", "---", "\"net\" has several variables of [2,1]");
    check_case("11", "1|1", "--", "\"net\" has several variables of [1,1]");
    check_case("11", "1", "--", "\"net\" has several variables of [1,1]");
    check_case("12", "123", "--", "next to it has variables of these shapes");
    check_case("12", "3", "--", "next to it has variables of these shapes");
}

static void check_names(const char *model, const char *trained,
    const char *names, const char *positions, const char *reason)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "}(");
    put_model(&b, "net", 0, model);
    put_named_optimizer(&b, 40, trained, names);
    struct made m = make(&b);
    check(&m, "net", positions);
    check_reason(&m, reason);
    end(&m);
}

TEST(torch_slots, are_matched_by_names_if_available)
{
    check_names("111", "111", "012", "012", NULL);
    check_names("111", "111", "120", "201", NULL);
    check_names("111", "1", "2", "--0", NULL);
    check_names("123", "132", "021", "021", NULL);
    check_names("123", "123", "021", "---", "\"w2\" (from its \"param_n");
    check_names("111", "111", "015", "---", "\"w5\" (from its \"param_n");
    check_names("12", "12", "0", "--", "do not have one name");
}

static void check_models(const char *first, const char *second, bool has_names,
    const char *expected)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "}(");
    put_model(&b, first, 0, "12");
    put_model(&b, second, 20, "12");
    if (has_names)
        put_named_optimizer(&b, 40, "12", "01");
    else
        put_optimizer(&b, 40, "12");
    struct made m = make(&b);
    check(&m, first, expected ? "--" : "01");
    check(&m, second, "--");
    check_reason(&m, expected);
    end(&m);
}

TEST(torch_slots, belong_to_the_matching_model)
{
    check_models("a", "b", false, "may belong to \"a\" or to \"b\"");
    check_models("model", "b", false, "may belong to \"model\" or to \"b\"");
    check_models("a", "b", true, "may belong to \"a\" or to \"b\"");
    check_models("model", "ema", true, NULL);
    struct vv_buffer b = new_bytes();
    OP(&b, "}(");
    put_model(&b, "a", 0, "13");
    put_model(&b, "b", 20, "12");
    put_optimizer(&b, 40, "12");
    struct made m = make(&b);
    check(&m, "a", "--");
    check(&m, "b", "01");
    end(&m);
}

/* Lightning stores several in a list. */
TEST(torch_slots, are_found_from_an_optimizer_in_a_list)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "}(");
    put_model(&b, "state_dict", 0, "12");
    put_text(&b, "optimizer_states");
    OP(&b, "]}(");
    put_optimizer(&b, 40, "12");
    OP(&b, "ua");
    struct made m = make(&b);
    cr_assert(is_there(
        &m, "optimizer_states/0/optimizer/m(state_dict/w1)"));
    end(&m);
}

TEST(torch_slots, skip_untrained_variables)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "}(");
    put_text(&b, "net");
    OP(&b, "}(");
    put_text(&b, "w0");
    put_matrix(&b, 0, 2);
    put_text(&b, "bn.num_batches_tracked");
    put_tensor(&b, &(struct put){ .class = "LongStorage", .key = "0",
        .count = 20, .rank = 2, .shape = { 2, 1 }, .strides = { 1, 1 } });
    put_text(&b, "w1");
    put_matrix(&b, 20, 3);
    put_text(&b, "w0 again");
    put_matrix(&b, 0, 2);
    OP(&b, "u");
    put_optimizer(&b, 40, "23");
    struct made m = make(&b);
    check(&m, "net", "01");
    end(&m);
}

/* As torch.distributed stores it. */
static void put_named(struct vv_buffer *b, const char *first, int64_t rows)
{
    put_text(b, "optimizer");
    OP(b, "}(");
    put_text(b, "state");
    OP(b, "}(");
    for (int i = 0; i < 2; i++) {
        put_text(b, i ? "w0" : first);
        OP(b, "}");
        put_text(b, "m");
        put_matrix(b, 40 + 10 * i, i ? 2 : rows);
        OP(b, "s");
    }
    OP(b, "u");
    put_text(b, "param_groups");
    OP(b, "]}");
    put_text(b, "params");
    OP(b, "](");
    put_text(b, first);
    put_text(b, "w0");
    OP(b, "esau");
}

TEST(torch_slots, belong_to_the_variable_with_the_name)
{
    static const struct {
        const char *first;
        int64_t rows;
        bool are_there;
    } cases[] = { { "w1", 2, true }, { "w2", 2, false }, { "w1", 3, false } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vv_buffer b = new_bytes();
        OP(&b, "}(");
        put_model(&b, "net", 0, "22");
        put_named(&b, cases[i].first, cases[i].rows);
        struct made m = make(&b);
        cr_assert_eq(is_there(&m, "optimizer/m(net/w1)"), cases[i].are_there);
        if (cases[i].are_there)
            cr_assert_eq(find_node(m.r, "optimizer/m(net/w1)").id,
                find_node(m.r, "optimizer/state/w1/m").id);
        end(&m);
    }
}

/* A moment that is itself a variable of the model: its own variable, the next
 * one, which then has no slots, or the previous one, which has some. */
TEST(torch_slots, belong_to_one_variable_only)
{
    static const struct {
        int64_t model, optimizer;
        const char *positions;
    } cases[] = { { 0, 0, "--" }, { 0, 10, "0-" }, { 20, 10, "0-" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vv_buffer b = new_bytes();
        OP(&b, "}(");
        put_model(&b, "net", cases[i].model, "22");
        put_named_optimizer(&b, cases[i].optimizer, "22", "01");
        struct made m = make(&b);
        check(&m, "net", cases[i].positions);
        cr_assert(is_there(&m, "optimizer/v(net/w0)"));
        cr_assert_eq(is_there(&m, "optimizer/v(net/w1)"), i != 1);
        end(&m);
    }
}

TEST(torch_slots, may_be_missing)
{
    static const char *const groups[] = { "N", "]", "]N\x61", "K\1",
        "](}e", "}" };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        struct vv_buffer b = new_bytes();
        OP(&b, "}(");
        put_model(&b, "net", 0, "12");
        put_text(&b, "optimizer");
        OP(&b, "}(");
        put_text(&b, "state");
        OP(&b, "}");
        put_text(&b, "param_groups");
        vv_buffer_add_string(&b, groups[i]);
        OP(&b, "u");
        struct made m = make(&b);
        check(&m, "net", "--");
        end(&m);
    }
}

TEST(torch_slots, report_failed_allocations)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "}(");
    put_model(&b, "net", 0, "12");
    put_optimizer(&b, 40, "12");
    OP(&b, "u.");
    struct vv_buffer file = new_torch(&b, "0", 200, NULL);
    check_without_memory("a.pt", &file);
    vv_buffer_clear(&b);
    vv_buffer_clear(&file);
}
