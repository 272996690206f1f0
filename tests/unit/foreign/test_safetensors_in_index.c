/* test_safetensors_in_index.c - Tests safetensors models in several files with
 * an index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unit/foreign/safetensors.h"

#include <stdio.h>

#include "safetensors_in.h"

#define T(name, begin, end)                                                    \
    "\"" name "\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[" #begin   \
    "," #end "]}"

#define INDEX "d/m.safetensors.index.json"

/* Writes two files and an index that maps the names of the first to `map`. */
static struct memory *two_files(const char *map)
{
    struct memory *memory = memory_new();
    char index[512];
    put_tensors(memory, "d/one.safetensors",
        "{\"__metadata__\":{\"format\":"
        "\"pt\",\"alias\":\"c\"}," T("b", 1, 2) "," T("a", 0, 1) "}",
        2);
    put_tensors(memory, "d/two.safetensors",
        "{\"__metadata__\":{\"format\":\"np\"}," T("c", 0, 1) "}", 1);
    snprintf(index, sizeof index,
        "{\"metadata\": {\"total_size\": 3.5e1, "
        "\"x\": [{}]}, \"weight_map\": {%s}, \"more\": null}\n",
        map);
    put_text(memory, INDEX, index);
    return memory;
}

static const char good[] =
    "\"a\": \"one.safetensors\", "
    "\"c\": \"two.s\\u0061fetensors\", \"b\": \"one.safetensors\"";

TEST(safetensors_index, reads_each_tensor_from_its_file)
{
    struct memory *memory = two_files(good);
    varve_error error;
    varve_reader *reader = open_in(memory, INDEX, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(varve_reader_format(reader), VARVE_FORMAT_SAFETENSORS);
    cr_assert_eq(first_byte(reader, "a"), 0);
    cr_assert_eq(first_byte(reader, "b"), 1);
    cr_assert_eq(first_byte(reader, "c"), 0);
    varve_reader_free(reader);
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

TEST(safetensors_index, uses_metadata_of_the_first_file_that_has_it)
{
    struct memory *memory = two_files(good);
    varve_error error;
    varve_saved_node alias, c;
    varve_reader *reader = open_in(memory, INDEX, &error);
    cr_assert_str_eq(varve_reader_metadata_at(reader, 0)->name, "alias");
    cr_assert_str_eq(varve_reader_metadata_at(reader, 1)->string, "pt");
    cr_assert_null(varve_reader_metadata_at(reader, 2));
    cr_assert(varve_reader_find(reader, "alias", &alias));
    cr_assert(varve_reader_find(reader, "c", &c));
    cr_assert_eq(alias.id, c.id);
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(safetensors_index, finds_the_index_by_the_name_of_the_model)
{
    static const char *const names[] = { "d/m", "d/m.safetensors", INDEX };
    struct memory *memory = two_files(good);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        varve_error error;
        varve_reader *reader = open_in(memory, names[i], &error);
        cr_assert(reader, "%s", error.message);
        cr_assert_str_eq(varve_reader_path(reader), INDEX);
        varve_reader_free(reader);
    }
    memory_free(memory);
}

TEST(safetensors_index, refuses_maps_that_differ_from_the_files)
{
    static const struct {
        const char *map;
        varve_status status;
        const char *says;
    } rows[] = {
        { "\"a\": \"one.safetensors\", \"b\": \"one.safetensors\", "
          "\"c\": \"two.safetensors\", \"d\": \"two.safetensors\"",
            VARVE_CORRUPT,
            INDEX ": weight_map: the tensor \"d\" is missing in "
                  "d/two.safetensors" },
        { "\"a\": \"one.safetensors\", \"b\": \"two.safetensors\", "
          "\"c\": \"two.safetensors\"",
            VARVE_CORRUPT, INDEX ": weight_map: the tensor \"b\" is missing" },
        { "\"a\": \"one.safetensors\", \"b\": \"one.safetensors\", "
          "\"\\u0061\": \"two.safetensors\"",
            VARVE_CORRUPT,
            "expected each name only once in weight_map, found a duplicate" },
        { "\"a\": 1", VARVE_CORRUPT, "expected a string, found 1" },
        { "\"a\": \"../d/one.safetensors\"", VARVE_CORRUPT,
            "is not the name of a file in the directory of" },
        { "\"a\": \"/d/one.safetensors\"", VARVE_CORRUPT,
            "is not the name of a file in the directory of" },
        { "\"a\": \"..\"", VARVE_CORRUPT,
            "not the name of a file in the directory" },
        { "\"a\": \"\"", VARVE_CORRUPT,
            "not the name of a file in the directory" },
        { "\"a\": \"one\\u0000\"", VARVE_CORRUPT,
            "not the name of a file in the directory" },
        { "\"a\": \"\\u002e\\u002e\\u002fd\"", VARVE_CORRUPT,
            "not the name of a file in the directory" },
        { "\"a\": \"three.safetensors\"", VARVE_NOT_FOUND,
            INDEX ": weight_map: the file \"three.safetensors\" is missing in "
                  "the directory of the index" },
        { "\"a\": \"sub/one.safetensors\"", VARVE_NOT_FOUND,
            "the file \"sub/one.safetensors\" is missing" },
        { "\"a\": \"sub/../one.safetensors\"", VARVE_CORRUPT,
            "not the name of a file in the directory" },
        { "\"a\": \"sub//one.safetensors\"", VARVE_CORRUPT,
            "not the name of a file in the directory" },
        { "\"a\": \"m.safetensors.index.json\"", VARVE_LIMIT, "header" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct memory *memory = two_files(rows[i].map);
        refused(memory, INDEX, rows[i].status, rows[i].says);
        memory_free(memory);
    }
}

TEST(safetensors_index, omits_tensors_that_are_not_in_the_map)
{
    struct memory *memory =
        two_files("\"a\": \"one.safetensors\", \"c\": \"./two.safetensors\"");
    varve_error error;
    varve_saved_node node;
    const char *path, *what;
    varve_reader *reader = open_in(memory, INDEX, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(first_byte(reader, "a"), 0);
    cr_assert_eq(first_byte(reader, "c"), 0);
    cr_assert_not(varve_reader_find(reader, "b", &node));
    cr_assert(varve_reader_left_out_at(reader, 0, &path, &what));
    cr_assert_str_eq(path, "b");
    cr_assert(strstr(what, "weight_map"), "%s", what);
    cr_assert_not(varve_reader_left_out_at(reader, 1, &path, &what));
    varve_reader_free(reader);
    memory_free(memory);
}

/* If two tensors have the same name, the one in the map is used. */
TEST(safetensors_index, uses_the_file_given_by_the_map)
{
    struct memory *memory = two_files(good);
    varve_error error;
    varve_saved_node node, alias;
    put_tensors(memory, "d/sub/two.safetensors",
        "{\"__metadata__\":{\"x\":"
        "\"b\"}," T("b", 0, 1) "," T("c", 1, 2) "}",
        2);
    put_text(memory, INDEX,
        "{\"weight_map\":{\"b\":\"one.safetensors\","
        "\"a\":\"one.safetensors\",\"c\":\"sub/two.safetensors\"}}");
    varve_reader *reader = open_in(memory, INDEX, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(first_byte(reader, "b"), 1);
    cr_assert_eq(first_byte(reader, "c"), 1);
    cr_assert(varve_reader_find(reader, "x", &alias));
    cr_assert(varve_reader_find(reader, "b", &node));
    cr_assert_eq(alias.id, node.id);
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(safetensors_index, refuses_an_invalid_index)
{
    static const struct {
        const char *text;
        const char *says;
    } rows[] = {
        { "{}", "expected a weight_map, found none" },
        { "[]", "expected an object, found an array" },
        { "{\"weight_map\": []}", "expected an object, found an array" },
        { "{\"weight_map\": {}, \"weight_map\": {}}", "each key only once" },
        { "{\"weight_map\": {}, \"weight_ma\\u0070\": {}}",
            "each key only once" },
        { "{\"metadata\": {}, \"metadata\": {}}", "each key only once" },
        { "{\"weight_map\": {}} x", "expected the end" },
        { "{\"weight_map\": {}", "found the end" },
        { " ", "found the end" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct memory *memory = memory_new();
        put_text(memory, INDEX, rows[i].text);
        refused(memory, INDEX, VARVE_CORRUPT, rows[i].says);
        memory_free(memory);
    }
}

TEST(safetensors_index, refuses_truncation_of_any_file)
{
    static const char *const names[] = { "d/one.safetensors",
        "d/two.safetensors" };
    for (size_t i = 0; i < 2; i++) {
        struct memory *memory = two_files(good);
        size_t size;
        memory_bytes(memory, names[i], &size);
        memory_resize(memory, names[i], size - 1);
        refused(memory, INDEX, VARVE_TRUNCATED, names[i]);
        memory_free(memory);
    }
}

TEST(safetensors_index, reports_git_lfs_pointers)
{
    struct memory *memory = two_files(good);
    put_text(memory, "d/two.safetensors",
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
    refused(memory, INDEX, VARVE_NOT_A_CHECKPOINT, "git lfs pull");
    memory_free(memory);
}

TEST(safetensors_index, accepts_an_empty_map)
{
    struct memory *memory = two_files("");
    varve_error error;
    varve_reader *reader = open_in(memory, INDEX, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(varve_reader_node_count(reader), 1);
    varve_reader_free(reader);
    memory_free(memory);
}

static enum vv_probe_result bid_for(const char *path, const char *head)
{
    struct vv_candidate candidate = { .path = path,
        .size = strlen(head),
        .head = (const unsigned char *)head,
        .head_size = strlen(head) };
    return vv_safetensors_index_format.probe(&candidate);
}

TEST(safetensors_index, recognizes_its_content_and_name)
{
    cr_assert_eq(bid_for(INDEX, " {}"), VV_PROBE_SURE);
    cr_assert_eq(bid_for(INDEX, "x"), VV_PROBE_NAME);
    cr_assert_eq(bid_for("x.json", "{\"weight_map\": {}}"), VV_PROBE_LIKELY);
    cr_assert_eq(bid_for("x.json", "{\"weight\": {}}"), VV_PROBE_NONE);
    cr_assert_eq(bid_for("x.json", "\"weight_map\""), VV_PROBE_NONE);
    cr_assert_eq(bid_for("x.json", ""), VV_PROBE_NONE);
}

TEST(safetensors_index, leaks_nothing_without_memory)
{
    struct memory *memory = two_files(good);
    for (long n = 0;; n++) {
        varve_error error;
        test_fail_allocation(n, false);
        varve_reader *reader = open_in(memory, INDEX, &error);
        test_fail_allocation(-1, false);
        varve_reader_free(reader);
        cr_assert_eq(test_block_count(), 0);
        cr_assert_eq(memory_open_count(memory), 0);
        if (reader)
            break;
        cr_assert_eq(
            error.status, VARVE_NO_MEMORY, "%ld: %s", n, error.message);
    }
    memory_free(memory);
}
