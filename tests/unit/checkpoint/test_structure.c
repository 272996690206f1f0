/* test_structure.c - Tests graphs made from a file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "structure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "graph.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "system.h"

static float x[3];
static float slot[3];
static int64_t local;
static varve_string texts[2];

static varve_status save(void *self, varve_sink *sink)
{
    varve_put(sink, self, strlen(self));
    return VARVE_OK;
}

static varve_status load(void *self, const void *bytes, size_t size)
{
    memcpy(self, bytes, size);
    return VARVE_OK;
}

/* Writes a shared list element, a cycle, a slot, a state with a child, tags, a
 * global name, and a variable without a value. */
static void build(varve_graph *g)
{
    static const varve_state_callbacks callbacks = { save, load };
    varve_node *root = varve_graph_root(g);
    varve_node *list = varve_add_list(root, "z list");
    varve_node *v = varve_add_variable(list, VARVE_APPEND, varve_array(x, 3));
    varve_track(list, VARVE_APPEND, root);
    varve_track(root, "again", v);
    varve_node *adam = varve_add_object(root, "adam");
    varve_tag(varve_add_slot(adam, v, "m", varve_array(slot, 3)), "of adam");
    varve_tag(v, "zeta");
    varve_tag(v, "alpha");
    varve_tag(varve_add_variable(root, "local", varve_scalar(&local)),
        VARVE_TAG_LOCAL);
    varve_node *dict = varve_add_dict(root, "dict/of texts");
    varve_add_variable(dict, "t", varve_array(texts, 2));
    varve_node *state = varve_add_state(root, "state", &callbacks, "opaque");
    varve_track(state, "child", v);
    varve_set_global_name(v, "the/global/name");
    varve_set_initializer(
        varve_add_variable(root, "empty", varve_scalar(&local)), NULL, NULL);
    for (int i = 0; i < 3; i++)
        x[i] = slot[i] = (float)i + 0.5f;
    texts[0] = (varve_string){ "some text", 9 };
    texts[1] = (varve_string){ "", 0 };
}

static const varve_metadata metadata[] = {
    { .name = "b", .kind = VARVE_METADATA_STRING, .string = "text" },
    { .name = "a", .kind = VARVE_METADATA_REAL, .real = 0.25 },
    { .name = "step", .kind = VARVE_METADATA_INTEGER, .integer = 9 },
};

static void write_sample(const char *prefix)
{
    varve_error error;
    varve_graph *g = varve_graph_new(test_allocator());
    varve_write_options options = {
        .metadata = metadata, .metadata_count = 3
    };
    build(g);
    cr_assert_ok(varve_save(varve_graph_root(g), prefix, &options, &error),
        error);
    varve_graph_free(g);
}

static void write_again(varve_graph *g, const char *path)
{
    varve_error error;
    varve_write_options options = { .keep_counter = true };
    options.metadata = varve_graph_metadata(g, &options.metadata_count);
    cr_assert_ok(
        varve_write(varve_graph_root(g), path, &options, &error), error);
}

static void same_files(const char *one, const char *other)
{
    size_t size[2];
    void *bytes[2] = { test_read_file(one, &size[0]),
        test_read_file(other, &size[1]) };
    cr_assert_eq(size[0], size[1]);
    cr_assert_eq(memcmp(bytes[0], bytes[1], size[0]), 0);
    free(bytes[0]);
    free(bytes[1]);
}

TEST(structure, is_written_back_byte_for_byte)
{
    varve_error error;
    write_sample(test_path("run/c"));
    varve_graph *g =
        varve_graph_from(test_path("run/c"), test_allocator(), &error);
    cr_assert(g, "%s", error.message);
    write_again(g, test_path("again"));
    same_files(test_path("run/c-1.varve"), test_path("again"));
    varve_graph_free(g);
}

TEST(structure, is_an_ordinary_graph)
{
    varve_error error;
    write_sample(test_path("c"));
    varve_graph *g =
        varve_graph_from(test_path("c-1"), test_allocator(), &error);
    varve_node *root = varve_graph_root(g);
    varve_node *v = varve_find_path(root, "z list/0");
    cr_assert_eq(v, varve_find(root, "again"));
    cr_assert_eq(varve_find_path(root, "z list/1"), root);
    cr_assert_eq(varve_node_kind(varve_find(root, "dict/of texts")),
        VARVE_DICT);
    cr_assert_eq(((float *)varve_data(v))[2], 2.5f);
    cr_assert(varve_has_tag(v, "alpha") && varve_has_tag(v, "zeta"));
    cr_assert_str_eq(varve_global_name(v), "the/global/name");
    varve_node *m = varve_find_slot(varve_find(root, "adam"), v, "m");
    cr_assert(m && varve_has_tag(m, "of adam"));
    cr_assert_eq(varve_state_of(varve_find(root, "local")), VARVE_DECLARED);
    cr_assert_eq(*(int64_t *)varve_data(varve_find(root, "local")), 0);
    cr_assert_eq(varve_save_counter(root), 1);
    const varve_string *text =
        varve_data(varve_find_path(root, "dict%2Fof texts/t"));
    cr_assert_eq(text->size, 9);
    cr_assert_eq(memcmp(text->data, "some text", 9), 0);
    size_t count = 0;
    cr_assert(varve_graph_metadata(g, &count) && count == 3);
    varve_remove(varve_find(root, "adam"));
    varve_remove(varve_find(root, "state"));
    ((float *)varve_data(v))[0] = 7;
    cr_assert_ok(varve_save(root, test_path("c"), NULL, &error), error);
    varve_graph_free(g);
    g = varve_graph_from(test_path("c"), test_allocator(), &error);
    root = varve_graph_root(g);
    cr_assert_eq(*(float *)varve_data(varve_find(root, "again")), 7);
    cr_assert_null(varve_find(root, "adam"));
    cr_assert_null(varve_find(root, "state"));
    cr_assert_null(varve_graph_metadata(g, &count));
    cr_assert_eq(count, 0);
    cr_assert_null(varve_graph_metadata(NULL, NULL));
    varve_graph_free(g);
}

TEST(structure, stores_its_values_in_memory_once)
{
    enum { COUNT = 1 << 20 }; /* 4 MiB, twice */
    varve_error error;
    float *values = calloc(2 * COUNT, sizeof *values);
    varve_graph *g = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(g);
    varve_node *v =
        varve_add_variable(root, "v", varve_array(values, COUNT));
    varve_add_slot(root, v, "m", varve_array(values + COUNT, COUNT));
    cr_assert_ok(varve_write(root, test_path("f"), NULL, &error), error);
    varve_graph_free(g);
    free(values);
    test_reset_peak();
    g = varve_graph_from(test_path("f"), test_allocator(), &error);
    cr_assert(g, "%s", error.message);
    cr_assert_lt(test_peak_bytes(), 3 * COUNT * sizeof *values,
        "%zu bytes", test_peak_bytes());
    varve_graph_free(g);
}

TEST(structure, may_have_any_node_as_its_root)
{
    varve_error error;
    static const char *const roots[] = { "z list", "dict/of texts", "state",
        "again" };
    for (size_t i = 0; i < 4; i++) {
        varve_graph *g = varve_graph_new(test_allocator());
        build(g);
        varve_node *root = varve_find(varve_graph_root(g), roots[i]);
        cr_assert_ok(
            varve_write(root, test_path("part"), NULL, &error), error);
        varve_kind kind = varve_node_kind(root);
        varve_graph_free(g);
        g = varve_graph_from(test_path("part"), test_allocator(), &error);
        cr_assert(g, "%s: %s", roots[i], error.message);
        cr_assert_eq(varve_node_kind(varve_graph_root(g)), kind);
        write_again(g, test_path("again"));
        same_files(test_path("part"), test_path("again"));
        varve_graph_free(g);
    }
}

TEST(structure, is_not_created_from_a_damaged_or_missing_file)
{
    varve_error error;
    size_t size, found = 0;
    write_sample(test_path("c"));
    unsigned char *bytes = test_read_file(test_path("c-1.varve"), &size);
    for (size_t i = 0; i < size; i += 7) {
        bytes[i] ^= 16;
        test_write_file(test_path("bad"), bytes, size);
        varve_graph *g =
            varve_graph_from(test_path("bad"), test_allocator(), &error);
        if (g) { /* the byte was between values */
            write_again(g, test_path("again"));
            same_files(test_path("c-1.varve"), test_path("again"));
        }
        found += g == NULL;
        varve_graph_free(g);
        bytes[i] ^= 16;
    }
    free(bytes);
    cr_assert_gt(found, size / 7 / 2);
    cr_assert_null(
        varve_graph_from(test_path("none"), test_allocator(), &error));
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
    cr_assert_null(varve_graph_from(NULL, test_allocator(), &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
}

/* --- A part of the values ----------------------------------------------- */

/* Writes the sample with a changed byte in two values. */
static void write_damaged(const char *one, const char *other)
{
    const char *const paths[] = { one, other };
    size_t size;
    varve_saved_node saved;
    write_sample(test_path("c"));
    unsigned char *bytes = test_read_file(test_path("c-1.varve"), &size);
    varve_reader *reader = varve_reader_open(
        test_path("c-1.varve"), test_allocator(), NULL);
    for (size_t i = 0; i < 2; i++) {
        cr_assert(varve_reader_find(reader, paths[i], &saved));
        bytes[saved.offset] ^= 1;
    }
    varve_reader_free(reader);
    test_write_file(test_path("bad"), bytes, size);
    free(bytes);
}

static varve_graph *part_of(
    const char *name, const varve_read_options *options)
{
    varve_error error;
    varve_graph *g = varve_graph_from_part(
        test_path(name), options, test_allocator(), &error);
    cr_assert(g, "%s", error.message);
    return g;
}

TEST(structure, ignores_damage_of_excluded_values)
{
    varve_error error;
    write_damaged("adam/m(again)", "state");
    cr_assert_null(varve_graph_from_part(test_path("bad"),
        &(varve_read_options){ .except = "state" }, test_allocator(), &error));
    cr_assert_eq(error.status, VARVE_CORRUPT);
    cr_assert(strstr(error.message, "m("), "%s", error.message);
    varve_graph *g = part_of(
        "bad", &(varve_read_options){ .except = "state|adam" });
    varve_node *root = varve_graph_root(g);
    varve_node *v = varve_find(root, "again");
    cr_assert_eq(((float *)varve_data(v))[2], 2.5f);
    varve_node *m = varve_find_slot(varve_find(root, "adam"), v, "m");
    cr_assert_eq(varve_state_of(m), VARVE_DECLARED);
    cr_assert_eq(((float *)varve_data(m))[2], 0);
    cr_assert_eq(varve_find_path(root, "state/child"), v);
    write_again(g, test_path("again"));
    varve_graph_free(g);
    varve_reader *reader = varve_reader_open(
        test_path("again"), test_allocator(), &error);
    varve_saved_node saved;
    cr_assert(varve_reader_find(reader, "state", &saved));
    cr_assert(!saved.has_value && saved.kind == VARVE_STATE);
    cr_assert(varve_reader_find(reader, "adam/m(again)", &saved));
    cr_assert(!saved.has_value && saved.kind == VARVE_VARIABLE);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
    g = part_of("again", NULL);
    write_again(g, test_path("third"));
    same_files(test_path("again"), test_path("third"));
    varve_graph_free(g);
}

TEST(structure, has_the_values_of_a_subtree)
{
    varve_error error;
    write_damaged("adam/m(again)", "state");
    varve_graph *g = part_of("bad",
        &(varve_read_options){ .subtree = "dict%2Fof texts", .only = "t" });
    varve_node *root = varve_graph_root(g);
    const varve_string *text =
        varve_data(varve_find_path(root, "dict%2Fof texts/t"));
    cr_assert_eq(text->size, 9);
    cr_assert_eq(varve_state_of(varve_find(root, "again")), VARVE_DECLARED);
    varve_graph_free(g);
    g = part_of("bad", &(varve_read_options){ .subtree = "z list/0" });
    varve_node *v = varve_find(varve_graph_root(g), "again");
    cr_assert_eq(varve_state_of(v), VARVE_RESTORED);
    varve_graph_free(g);
    cr_assert_null(varve_graph_from_part(test_path("bad"),
        &(varve_read_options){ .subtree = "nowhere" }, test_allocator(),
        &error));
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
}

static void read_without_memory(const varve_read_options *options)
{
    varve_error error;
    for (long n = 0;; n++) {
        test_fail_allocation(n, false);
        varve_graph *g = varve_graph_from_part(
            test_path("c"), options, test_allocator(), &error);
        bool hit = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        cr_assert(g || error.status == VARVE_NO_MEMORY ||
            error.status == VARVE_CALLBACK, "%s", error.message);
        if (g)
            write_again(g, test_path("again"));
        varve_graph_free(g);
        if (!hit)
            break;
    }
}

TEST(structure, fails_and_leaks_nothing_without_memory)
{
    write_sample(test_path("c"));
    read_without_memory(&(varve_read_options){
        .subtree = "adam", .except = "m" });
    read_without_memory(NULL);
    same_files(test_path("c-1.varve"), test_path("again"));
}

TEST(structure, fails_and_leaks_nothing_on_a_failing_disk)
{
    varve_error error;
    size_t size;
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    write_sample(test_path("c"));
    void *bytes = test_read_file(test_path("c-1.varve"), &size);
    memory_put(memory, "f", bytes, size);
    free(bytes);
    for (long n = 0;; n++) {
        faulty_plan(faulty,
            &(struct faulty_plan){ .number = n, .error = EIO });
        varve_graph *g = vv_graph_from_in(&context, "f", NULL, &error);
        bool hit = faulty_hit(faulty);
        cr_assert(g || error.status == VARVE_IO, "%s", error.message);
        varve_graph_free(g);
        cr_assert_eq(memory_open_count(memory), 0);
        if (!hit)
            break;
    }
    faulty_free(faulty);
    memory_free(memory);
}

/* --- A file that is replaced in the meantime ------------------------------ */

struct writer {
    struct vv_context context;
    const char *name;
    float value;
};

static void write_other(void *user)
{
    const struct writer *w = user;
    varve_error error;
    float values[2] = { w->value, w->value };
    varve_graph *g = vv_graph_new_in(&w->context);
    varve_node *root = varve_graph_root(g);
    varve_add_variable(root, "both", varve_scalar(&values[0]));
    varve_add_variable(root, w->name, varve_scalar(&values[1]));
    cr_assert_ok(varve_write(root, "f.varve", NULL, &error), error);
    varve_graph_free(g);
}

static float value_at(varve_graph *g, const char *name)
{
    const varve_node *node = varve_find(varve_graph_root(g), name);
    return node ? *(const float *)varve_data((varve_node *)node) : 0;
}

/* Returns false if there are fewer calls. */
static bool is_whole_beside_a_write(long call)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct writer older = { test_context(memory_system(memory)), "older", 1 };
    struct writer newer = { older.context, "newer", 2 };
    struct vv_context context = test_context(faulty_system(faulty));
    varve_error error = { 0 };
    write_other(&older);
    faulty_plan(faulty, &(struct faulty_plan){ .number = call,
        .way = FAULTY_STOPS, .stop = write_other, .user = &newer });
    varve_graph *g = vv_graph_from_in(&context, "f.varve", NULL, &error);
    cr_assert(g, "call %ld: %s", call, error.message);
    float was = value_at(g, "older");
    float is = value_at(g, "newer");
    cr_assert((was == 1 && is == 0) || (was == 0 && is == 2), "call %ld", call);
    cr_assert_eq(value_at(g, "both"), was + is, "call %ld", call);
    varve_graph_free(g);
    bool hit = faulty_hit(faulty);
    faulty_free(faulty);
    memory_free(memory);
    return hit;
}

TEST(structure, is_read_from_one_file_if_another_replaces_it)
{
    long call = 0;
    while (is_whole_beside_a_write(call))
        call++;
    cr_assert_gt(call, 3);
}

/* --- Variables without values -------------------------------------------- */

static varve_status far_out(
    void *user, uint64_t at, void *bytes, size_t size)
{
    (void)user;
    (void)at;
    memset(bytes, 0, size);
    return VARVE_OK;
}

static varve_status far_in(
    void *user, uint64_t at, const void *bytes, size_t size)
{
    (void)user;
    (void)at;
    (void)bytes;
    (void)size;
    return VARVE_OK;
}

/* Makes a graph from a file of a few hundred bytes with a variable that was not
 * saved. */
static varve_graph *graph_with_unsaved(uint64_t count)
{
    static const varve_memory far = { .copy_out = far_out, .copy_in = far_in };
    varve_error error = { 0 };
    varve_graph *g = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(g);
    varve_tag(varve_add_variable(root, "big",
                  varve_far(&far, VARVE_UINT8, VARVE_SHAPE(count))),
        VARVE_TAG_LOCAL);
    cr_assert_ok(varve_write(root, test_path("u"), NULL, &error), error);
    varve_graph_free(g);
    test_reset_peak();
    g = varve_graph_from(test_path("u"), test_allocator(), &error);
    cr_assert(g, "%s", error.message);
    return g;
}

TEST(structure, needs_no_memory_without_a_value)
{
    varve_error error = { 0 };
    varve_graph *g = graph_with_unsaved((uint64_t)1 << 30);
    varve_node *big = varve_find(varve_graph_root(g), "big");
    cr_assert_eq(varve_state_of(big), VARVE_DECLARED);
    cr_assert_null(varve_value(big)->data);
    cr_assert_ok(varve_write(varve_graph_root(g), test_path("again"), NULL,
                     &error), error);
    varve_node *copy =
        varve_copy_subgraph(varve_graph_root(g), "copy", big, &error);
    cr_assert(copy, "%s", error.message);
    cr_assert_null(varve_value(copy)->data);
    cr_assert_lt(test_peak_bytes(), 16 << 20); /* of 1 GiB */
    varve_graph_free(g);
}

TEST(structure, allocates_memory_on_request)
{
    varve_error error = { 0 };
    varve_graph *g = graph_with_unsaved(1 << 20);
    varve_node *big = varve_find(varve_graph_root(g), "big");
    test_fail_allocation(0, true);
    cr_assert_null(varve_data(big));
    test_fail_allocation(-1, false);
    cr_assert_eq(varve_graph_check(g, &error), VARVE_NO_MEMORY);
    cr_assert_eq(varve_graph_clear_error(g, NULL), VARVE_NO_MEMORY);
    unsigned char *bytes = varve_data(big);
    cr_assert(bytes && bytes[0] == 0 && bytes[(1 << 20) - 1] == 0);
    cr_assert_eq(varve_data(big), bytes);
    varve_graph_free(g);
}

TEST(structure, can_have_a_snapshot_of_variables_without_memory)
{
    varve_error error = { 0 };
    varve_graph *g = graph_with_unsaved(1 << 20);
    varve_node *big = varve_find(varve_graph_root(g), "big");
    varve_snapshot *s = varve_snapshot_new(varve_graph_root(g), &error);
    cr_assert(s, "%s", error.message);
    *(unsigned char *)varve_data(big) = 1;
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert_eq(*(unsigned char *)varve_data(big), 0);
    varve_snapshot_free(s);
    varve_graph_free(g);
}

static void write_floats(uint64_t count)
{
    static const float floats[3] = { 1, 2, 3 };
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "x",
        varve_view((void *)(uintptr_t)floats, VARVE_FLOAT32,
            VARVE_SHAPE(count)));
    cr_assert_ok(varve_write(root, test_path("c"), NULL, &error), error);
    varve_graph_free(graph);
}

/* A variable without a value still has none after a failed read. */
TEST(structure, has_no_value_after_a_failed_read)
{
    const varve_read_options left_out = { .only = "other" };
    varve_error error = { 0 };
    write_floats(2);
    varve_graph *graph = varve_graph_from_part(
        test_path("c"), &left_out, test_allocator(), &error);
    cr_assert(graph, "%s", error.message);
    varve_node *root = varve_graph_root(graph);
    write_floats(3);
    cr_assert_null(varve_read(root, test_path("c"), NULL, &error));
    cr_assert_eq(error.status, VARVE_MISMATCH);
    cr_assert_eq(varve_state_of(varve_find(root, "x")), VARVE_DECLARED);
    varve_graph_free(graph);
}
