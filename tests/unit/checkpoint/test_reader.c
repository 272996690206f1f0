/* test_reader.c - Tests the reader.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "reader.h"
#include "reader_names.h"

#include <time.h>

static float values[2] = { 1, 2 };

static void write_model(void)
{
    varve_error error = { 0 };
    varve_metadata metadata = { .name = "step",
        .kind = VARVE_METADATA_INTEGER, .integer = 3 };
    varve_write_options options = { .metadata = &metadata,
        .metadata_count = 1 };
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_node *x = varve_add_variable(model, "x", varve_array(values, 2));
    varve_add_slot(root, x, "m", varve_array(COPY_OF(values), 1));
    varve_tag(x, "b");
    varve_tag(x, "a");
    varve_tag(varve_add_variable(root, "z", varve_array(COPY_OF(values), 2)),
        VARVE_TAG_LOCAL);
    cr_assert_ok(varve_write(root, FILE_NAME, &options, &error), error);
    free_root(root);
}

static varve_reader *open_file(void)
{
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(&world.context, "a", &error);
    cr_assert(reader, "%s", error.message);
    return reader;
}

TEST(reader, returns_all_contents_of_a_file)
{
    varve_saved_node node;
    const char *name;
    uint32_t child, slot;
    begin_world();
    write_model();
    varve_reader *reader = open_file();
    cr_assert_str_eq(varve_reader_path(reader), FILE_NAME);
    size_t size;
    memory_bytes(world.memory, FILE_NAME, &size);
    cr_assert_eq(varve_reader_size(reader), size);
    cr_assert_eq(varve_reader_counter(reader), 0);
    cr_assert_eq(varve_reader_metadata_at(reader, 0)->integer, 3);
    cr_assert_eq(varve_reader_node_count(reader), 5);
    static const char *const paths[] = { "", "model", "z", "model/x",
        "m(model/x)" };
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert(varve_reader_node_at(reader, i, &node));
        cr_assert_eq(node.id, i);
        cr_assert_str_eq(node.path, paths[i]);
        cr_assert_str_eq(vv_reader_node_path(reader, i), paths[i]);
        cr_assert(varve_reader_find(reader, paths[i], &node));
        cr_assert_eq(node.id, i);
        cr_assert_eq(node.has_value, i > 2);
    }
    varve_reader_node_at(reader, 3, &node);
    cr_assert(node.value.dtype == VARVE_FLOAT32 && node.value.shape[0] == 2);
    cr_assert(node.size == 8 && node.tag_count == 2);
    cr_assert_str_eq(varve_reader_tag_at(reader, 3, 0), "a");
    cr_assert_str_eq(varve_reader_tag_at(reader, 3, 1), "b");
    cr_assert(varve_reader_edge_at(reader, 0, 1, &name, &child));
    cr_assert(strcmp(name, "z") == 0 && child == 2);
    cr_assert(varve_reader_slot_at(reader, 0, 0, &name, &child, &slot));
    cr_assert(strcmp(name, "m") == 0 && child == 3 && slot == 4);
    varve_reader_free(reader);
    end_world();
}

TEST(reader, distinguishes_a_slot_from_an_edge_of_the_same_name)
{
    static float x, m, edge;
    varve_error error;
    varve_saved_node node;
    begin_world();
    varve_node *root = new_root();
    varve_node *b = varve_add_variable(root, "b", varve_scalar(&x));
    varve_add_slot(root, b, "a", varve_scalar(&m));
    varve_add_variable(root, "a(b)", varve_scalar(&edge));
    cr_assert_ok(varve_write(root, FILE_NAME, NULL, &error), error);
    free_root(root);
    varve_reader *reader = open_file();
    cr_assert(varve_reader_find(reader, "a(b)", &node));
    cr_assert_eq(node.id, 3);
    cr_assert(varve_reader_find(reader, "/a(b)", &node));
    cr_assert_eq(node.id, 3);
    cr_assert(varve_reader_find(reader, "a%28b%29", &node));
    cr_assert_eq(node.id, 1);
    varve_reader_free(reader);
    end_world();
}

TEST(reader, ends_past_the_end)
{
    varve_saved_node node;
    const char *name;
    uint32_t child, slot;
    begin_world();
    write_model();
    varve_reader *reader = open_file();
    static const size_t past[] = { 5, UINT32_MAX, SIZE_MAX };
    for (int i = 0; i < 3; i++) {
        cr_assert(!varve_reader_node_at(reader, past[i], &node));
        cr_assert(!varve_reader_edge_at(reader, past[i], 0, &name, &child));
        cr_assert(!varve_reader_edge_at(reader, 0, past[i], &name, &child));
        cr_assert(!varve_reader_slot_at(
            reader, past[i], 0, &name, &child, &slot));
        cr_assert(!varve_reader_slot_at(
            reader, 0, past[i], &name, &child, &slot));
        cr_assert_null(varve_reader_tag_at(reader, past[i], 0));
        cr_assert_null(varve_reader_tag_at(reader, 3, past[i]));
        cr_assert_null(varve_reader_metadata_at(reader, past[i]));
        cr_assert_eq(varve_reader_read(reader, past[i], NULL, 0, NULL),
            VARVE_NOT_FOUND);
    }
    cr_assert(!varve_reader_find(reader, "none", &node));
    varve_reader_free(reader);
    varve_reader_free(NULL);
    end_world();
}

TEST(reader, reads_values_after_checking_them)
{
    float found[3] = { 0 };
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_reader *reader = open_file();
    cr_assert_ok(varve_reader_read(reader, 3, found, 8, &error), error);
    cr_assert(found[0] == 1 && found[1] == 2);
    cr_assert_eq(
        varve_reader_read(reader, 3, found, 7, &error), VARVE_MISUSE);
    cr_assert_eq(
        varve_reader_read(reader, 2, found, 8, &error), VARVE_NOT_FOUND);
    varve_saved_node node;
    size_t size;
    varve_reader_node_at(reader, 3, &node);
    memory_bytes(world.memory, FILE_NAME, &size)[node.offset] ^= 1;
    cr_assert_eq(
        varve_reader_read(reader, 3, found, 8, &error), VARVE_CORRUPT);
    varve_reader_free(reader);
    end_world();
}

TEST(reader, handles_every_failed_allocation)
{
    begin_world();
    write_model();
    varve_reader *reader = NULL;
    for (long n = 0; !reader; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        reader = vv_reader_open_in(&world.context, "a", &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(error.status, reader ? VARVE_OK : VARVE_NO_MEMORY);
    }
    varve_reader_free(reader);
    end_world();
}

/* The total length of all paths of a deep graph is the square of its depth. */
TEST(reader, opens_a_deep_graph_with_little_memory)
{
    enum { DEPTH = 20000 };
    varve_error error = { 0 };
    varve_saved_node node;
    size_t size;
    begin_world();
    varve_node *root = new_root();
    varve_node *at = root;
    for (int i = 0; i < DEPTH; i++)
        at = varve_add_object(at, "down");
    cr_assert_ok(varve_write(root, FILE_NAME, NULL, &error), error);
    free_root(root);
    memory_bytes(world.memory, FILE_NAME, &size);
    size_t before = test_byte_count();
    test_reset_peak();
    varve_reader *reader = open_file();
    cr_assert_leq(test_peak_bytes() - before, 16 * size + 64 * 1024);
    cr_assert(varve_reader_node_at(reader, 3, &node));
    cr_assert_str_eq(node.path, "down/down/down");
    cr_assert(varve_reader_node_at(reader, DEPTH, &node));
    cr_assert_eq(strlen(node.path), 255);
    cr_assert_eq(strncmp(node.path, "...", 3), 0);
    varve_saved_node again;
    cr_assert(varve_reader_node_at(reader, DEPTH, &again));
    cr_assert_eq(again.path, node.path);
    varve_reader_free(reader);
    end_world();
}

/* A path is made from that of its parent; one that is too long is not made
 * again. */
TEST(reader, creates_a_path_in_constant_time)
{
    enum { DEPTH = 400000 };
    varve_error error = { 0 };
    varve_saved_node node;
    begin_world();
    varve_node *root = new_root();
    varve_node *at = root;
    for (int i = 0; i < DEPTH; i++)
        at = varve_add_object(at, "d");
    cr_assert_ok(varve_write(root, FILE_NAME, NULL, &error), error);
    free_root(root);
    varve_reader *reader = open_file();
    clock_t begin = clock();
    for (size_t i = 0; i <= DEPTH; i++)
        cr_assert(varve_reader_node_at(reader, i, &node));
    cr_assert_lt(clock() - begin, 5 * CLOCKS_PER_SEC);
    varve_reader_free(reader);
    end_world();
}

TEST(reader, finds_no_missing_slot)
{
    float value[1] = { 0 };
    varve_error error = { 0 };
    varve_saved_node node;
    begin_world();
    varve_node *root = new_root();
    varve_node *x = varve_add_variable(root, "x", varve_array(value, 1));
    varve_add_slot(root, x, "m", varve_array(COPY_OF(value), 1));
    write_root(root);
    free_root(root);
    varve_reader *reader = vv_reader_open_in(&world.context, "a", &error);
    cr_assert(varve_reader_find(reader, "m(x)", &node));
    cr_assert(!varve_reader_find(reader, "v(x)", &node));
    cr_assert(!varve_reader_find(reader, "m(y)", &node));
    varve_reader_free(reader);
    cr_assert_null(vv_reader_open_in(&world.context, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    end_world();
}

TEST(reader, returns_global_names)
{
    float one[2] = { 1, 1 };
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "a", varve_scalar(&one[0]));
    varve_node *b = varve_add_variable(root, "b", varve_scalar(&one[1]));
    varve_set_global_name(b, "net/b");
    write_root(root);
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert(reader, "%s", error.message);
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "b", &node));
    cr_assert_str_eq(node.global_name, "net/b");
    cr_assert(varve_reader_find(reader, "a", &node));
    cr_assert_null(node.global_name);
    varve_reader_free(reader);
    free_root(root);
    end_world();
}

/* --- An index that several threads verify ------------------------------- */

enum { MANY = 70000, WIDTH = 100 };

static void write_many(void)
{
    static float many[MANY];
    varve_error error = { 0 };
    varve_node *root = new_root(), *unit = NULL;
    for (unsigned i = 0; i < MANY; i++) {
        char name[40];
        snprintf(name, sizeof name, "unit_%u", i / WIDTH);
        if (i % WIDTH == 0)
            unit = varve_add_object(root, name);
        snprintf(name, sizeof name, "weight_with_a_long_name_%u", i);
        varve_add_variable(unit, name, varve_scalar(&many[i]));
    }
    cr_assert_ok(varve_write(root, FILE_NAME, NULL, &error), error);
    free_root(root);
}

TEST(reader, returns_all_contents_of_a_large_file)
{
    varve_saved_node node;
    const char *name;
    uint32_t child;
    begin_world();
    write_many();
    varve_reader *reader = open_file();
    cr_assert_gt(reader->file.index_size, 4 << 20);
    cr_assert_eq(varve_reader_node_count(reader), 1 + MANY / WIDTH + MANY);
    for (unsigned i = 0; i < MANY; i += 997) {
        char path[80];
        snprintf(path, sizeof path, "unit_%u/weight_with_a_long_name_%u",
            i / WIDTH, i);
        cr_assert(varve_reader_find(reader, path, &node), "%s", path);
        cr_assert_str_eq(node.path, path);
        cr_assert(varve_reader_edge_at(
            reader, reader->paths.parents[node.id], i % WIDTH, &name, &child));
        cr_assert_str_eq(name, strchr(path, '/') + 1);
        cr_assert_eq(child, node.id);
    }
    varve_reader_free(reader);
    end_world();
}

/* The flipped bit makes names invalid too: the checksum error is reported. */
TEST(reader, reports_damage_of_a_large_index_by_its_checksum)
{
    begin_world();
    write_many();
    size_t size;
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    varve_reader *reader = open_file();
    size_t at = (size_t)reader->file.data_end;
    size_t index_size = reader->file.index_size;
    varve_reader_free(reader);
    for (size_t i = 20; i < index_size; i += index_size / 7) {
        varve_error error = { 0 };
        bytes[at + i] ^= 0x80;
        cr_assert_null(vv_reader_open_in(&world.context, "a", &error));
        cr_assert_eq(error.status, VARVE_CORRUPT);
        cr_assert(strstr(error.message, "index: bytes"), "%s", error.message);
        bytes[at + i] ^= 0x80;
    }
    end_world();
}
