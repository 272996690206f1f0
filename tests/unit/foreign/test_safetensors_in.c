/* test_safetensors_in.c - Tests opening safetensors files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unit/foreign/safetensors.h"

#include <stdio.h>

#include "safetensors_in.h"

#define T(name, dtype, shape, begin, end)                                      \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape                   \
    ",\"data_offsets\":[" #begin "," #end "]}"

static const char sample[] = "{\"__metadata__\":{\"format\":\"pt\"}," T("net/w",
    "U8", "[3,2]", 2, 8) "," T("b", "I16", "[1]", 0, 2) "," T("adam/m(net/w)",
    "U8", "[1]", 8, 9) "," T("q", "F4", "[2,2]", 9, 11) "}     ";

TEST(safetensors_in, reads_each_value_in_place)
{
    struct memory *memory = memory_new();
    varve_error error;
    varve_saved_node node;
    put_tensors(memory, "x.safetensors", sample, 11);
    varve_reader *reader = open_in(memory, "x.safetensors", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(varve_reader_format(reader), VARVE_FORMAT_SAFETENSORS);
    cr_assert_eq(varve_reader_size(reader), 8 + sizeof sample - 1 + 11);
    cr_assert(varve_reader_find(reader, "net/w", &node));
    cr_assert_eq(node.value.dtype, VARVE_UINT8);
    cr_assert_eq(node.value.rank, 2);
    cr_assert_eq(node.value.shape[0], 3);
    cr_assert_str_eq(node.global_name, "net/w");
    cr_assert_eq(first_byte(reader, "net/w"), 2);
    cr_assert_eq(first_byte(reader, "b"), 0);
    cr_assert_eq(first_byte(reader, "adam/m(net/w)"), 8);
    cr_assert_eq(first_byte(reader, "q"), 9);
    cr_assert_str_eq(varve_reader_metadata_at(reader, 0)->name, "format");
    cr_assert_str_eq(varve_reader_metadata_at(reader, 0)->string, "pt");
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(safetensors_in, creates_slots_from_slot_names)
{
    struct memory *memory = memory_new();
    varve_error error;
    varve_saved_node adam, w;
    const char *name;
    uint32_t variable, slot;
    put_tensors(memory, "x.safetensors", sample, 11);
    varve_reader *reader = open_in(memory, "x.safetensors", &error);
    cr_assert(varve_reader_find(reader, "adam", &adam));
    cr_assert(varve_reader_find(reader, "net/w", &w));
    cr_assert(
        varve_reader_slot_at(reader, adam.id, 0, &name, &variable, &slot));
    cr_assert_str_eq(name, "m");
    cr_assert_eq(variable, w.id);
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(safetensors_in, keeps_names_that_only_resemble_slots)
{
    struct memory *memory = memory_new();
    varve_error error;
    put_tensors(memory, "x.safetensors",
        "{" T("w", "U8", "[1]", 0, 1) "," T("/m(w)", "U8", "[1]", 1, 2) "," T(
            "m()", "U8", "[1]", 2, 3) "," T("(w)", "U8", "[1]", 3,
            4) "," T("w/m(w)", "U8", "[1]", 4, 5) "}",
        5);
    varve_reader *reader = open_in(memory, "x.safetensors", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(first_byte(reader, "%2Fm%28w%29"), 1);
    cr_assert_eq(first_byte(reader, "m%28%29"), 2);
    cr_assert_eq(first_byte(reader, "%28w%29"), 3);
    cr_assert_eq(first_byte(reader, "w%2Fm%28w%29"), 4);
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(safetensors_in, keeps_unsupported_types_as_opaque_bytes)
{
    struct memory *memory = memory_new();
    varve_error error;
    varve_saved_node node;
    put_tensors(memory, "x.safetensors", sample, 11);
    varve_reader *reader = open_in(memory, "x.safetensors", &error);
    cr_assert(varve_reader_find(reader, "q", &node));
    cr_assert_eq(node.kind, VARVE_STATE);
    cr_assert_eq(node.size, 2);
    cr_assert_str_eq(varve_reader_tag_at(reader, node.id, 0), "safetensors:F4");
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(safetensors_in, omits_names_that_are_invalid_for_nodes)
{
    static const char *const left[] = { "\"\"", "a\\x00b", "\"\"", "k" };
    struct memory *memory = memory_new();
    varve_error error;
    varve_saved_node node;
    const char *path, *what;
    put_tensors(memory, "x.safetensors",
        "{\"__metadata__\":{\"\":\"x\","
        "\"k\":\"a\\u0000\",\"alias\":\"\"}," T("", "U8", "[1]", 0, 1) "," T(
            "a\\u0000b", "U8", "[1]", 1, 2) "," T("w", "U8", "[1]", 2, 3) "}",
        3);
    varve_reader *reader = open_in(memory, "x.safetensors", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(first_byte(reader, "w"), 2);
    cr_assert_not(varve_reader_find(reader, "alias", &node));
    for (size_t i = 0; i < 4; i++) {
        cr_assert(varve_reader_left_out_at(reader, i, &path, &what));
        cr_assert_str_eq(path, left[i], "%zu", i);
    }
    cr_assert_not(varve_reader_left_out_at(reader, 4, &path, &what));
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(safetensors_in, reads_every_type)
{
    static const struct {
        const char *name;
        varve_dtype dtype;
        unsigned size;
    } rows[] = {
        { "BOOL", VARVE_BOOL, 1 },
        { "U8", VARVE_UINT8, 1 },
        { "I8", VARVE_INT8, 1 },
        { "I16", VARVE_INT16, 2 },
        { "U16", VARVE_UINT16, 2 },
        { "F16", VARVE_FLOAT16, 2 },
        { "BF16", VARVE_BFLOAT16, 2 },
        { "I32", VARVE_INT32, 4 },
        { "U32", VARVE_UINT32, 4 },
        { "F32", VARVE_FLOAT32, 4 },
        { "F64", VARVE_FLOAT64, 8 },
        { "I64", VARVE_INT64, 8 },
        { "U64", VARVE_UINT64, 8 },
        { "C64", VARVE_COMPLEX64, 8 },
        { "F8_E5M2", VARVE_FLOAT8_E5M2, 1 },
        { "F8_E4M3", VARVE_FLOAT8_E4M3FN, 1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct memory *memory = memory_new();
        char header[128];
        varve_error error;
        varve_saved_node node;
        snprintf(header, sizeof header,
            "{\"x\":{\"dtype\":\"%s\",\"shape\":"
            "[2],\"data_offsets\":[0,%u]}}",
            rows[i].name, 2 * rows[i].size);
        put_tensors(memory, "x.safetensors", header, 2 * rows[i].size);
        varve_reader *reader = open_in(memory, "x.safetensors", &error);
        cr_assert(reader, "%s", error.message);
        cr_assert(varve_reader_find(reader, "x", &node));
        cr_assert_eq(node.value.dtype, rows[i].dtype, "%s", rows[i].name);
        cr_assert_eq(node.size, 2 * rows[i].size);
        varve_reader_free(reader);
        memory_free(memory);
    }
}

static bool same_node(varve_reader *reader, const char *a, const char *b)
{
    varve_saved_node x, y;
    return varve_reader_find(reader, a, &x) &&
           varve_reader_find(reader, b, &y) && x.id == y.id;
}

TEST(safetensors_in, creates_a_second_path_from_an_alias)
{
    struct memory *memory = memory_new();
    varve_error error;
    put_tensors(memory, "x.safetensors",
        "{\"__metadata__\":{\"dec/w\":"
        "\"enc/w\",\"e\\u0062\":\"\\u0062\",\"b\":\"enc/w\",\"enc\":\"b\","
        "\"no\":\"such\"}," T("enc/w", "U8", "[1]", 0, 1) "," T(
            "b", "U8", "[1]", 1, 2) "}",
        2);
    varve_reader *reader = open_in(memory, "x.safetensors", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert(same_node(reader, "dec/w", "enc/w"));
    cr_assert(same_node(reader, "eb", "b"));
    cr_assert_not(same_node(reader, "b", "enc/w"));
    cr_assert_eq(first_byte(reader, "enc/w"), 0);
    cr_assert_eq(first_byte(reader, "b"), 1);
    varve_saved_node node;
    cr_assert_not(varve_reader_find(reader, "no", &node));
    size_t count = 0;
    while (varve_reader_metadata_at(reader, count))
        count++;
    cr_assert_eq(count, 5); /* they are also text metadata */
    varve_reader_free(reader);
    memory_free(memory);
}

/* Opens a file with a tensor below `parts` nested objects. */
static varve_status open_chain(size_t parts, size_t data_size)
{
    struct memory *memory = memory_new();
    char *header = malloc(2 * parts + 128);
    varve_error error = { 0 };
    strcpy(header, "{\"");
    for (size_t i = 0; i < parts; i++)
        memcpy(header + 2 + 2 * i, "a/", 2);
    sprintf(header + 2 + 2 * parts,
        "b\":{\"dtype\":\"U8\",\"shape\":[%zu],"
        "\"data_offsets\":[0,%zu]}}",
        data_size, data_size);
    put_tensors(memory, "x.safetensors", header, data_size);
    varve_reader *reader = open_in(memory, "x.safetensors", &error);
    varve_status status = reader ? VARVE_OK : error.status;
    if (reader)
        cr_assert_eq(varve_reader_node_count(reader), parts + 2);
    varve_reader_free(reader);
    memory_free(memory);
    free(header);
    return status;
}

TEST(safetensors_in, limits_objects_by_the_size_of_the_file)
{
    cr_assert_eq(open_chain(200, 0), VARVE_OK);
    cr_assert_eq(open_chain(3000, 0), VARVE_LIMIT);
    cr_assert_eq(open_chain(3000, 100000), VARVE_OK);
    test_reset_peak();
    cr_assert_eq(open_chain(30000, 0), VARVE_LIMIT);
    cr_assert_lt(test_peak_bytes(), 16 * 60000);
}

/* Opens a file with this header and no data, and sets its size. */
static varve_status open_header(const char *header, size_t *size)
{
    struct memory *memory = memory_new();
    varve_error error = { 0 };
    put_tensors(memory, "x.safetensors", header, 0);
    *size = 8 + strlen(header);
    test_reset_peak();
    varve_reader *reader = open_in(memory, "x.safetensors", &error);
    varve_reader_free(reader);
    memory_free(memory);
    return reader ? VARVE_OK : error.status;
}

TEST(safetensors_in, allows_some_objects_for_every_value)
{
    enum { COUNT = 5000, DEPTHS = 3 };
    static const char *const below[DEPTHS] = { "kernel", "a/b/c/d",
        "a/b/c/d/e/f/g" };
    for (int depth = 0; depth < DEPTHS; depth++) {
        char *header = malloc(128 * COUNT);
        size_t at = 1, size;
        header[0] = '{';
        for (size_t i = 0; i < COUNT; i++)
            at += (size_t)sprintf(header + at,
                "%s\"%zu/%s/w\":{\"dtype\":"
                "\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}",
                i ? "," : "", i, below[depth]);
        strcpy(header + at, "}");
        cr_assert_eq(open_header(header, &size),
            depth == DEPTHS - 1 ? VARVE_LIMIT : VARVE_OK);
        cr_assert_lt(test_peak_bytes(), 16 * size, "%zu bytes for %zu",
            test_peak_bytes(), size);
        free(header);
    }
}

/* Names of one letter or of many, for one value. */
TEST(safetensors_in, limits_additional_names_by_their_size)
{
    enum { COUNT = 5000 };
    for (int is_long = 0; is_long < 2; is_long++) {
        char *header = malloc(64 * COUNT + 128);
        size_t size;
        size_t at = (size_t)sprintf(header,
            "{" T("w", "U8", "[0]", 0, 0) ",\"__metadata__\":{\"w\":\"\"");
        for (size_t i = 0; i < COUNT; i++)
            at += (size_t)sprintf(header + at, ",\"%s%zu\":\"w\"",
                is_long ? "decoder.layers.weight" : "", i);
        strcpy(header + at, "}}");
        cr_assert_eq(
            open_header(header, &size), is_long ? VARVE_OK : VARVE_LIMIT);
        cr_assert_lt(test_peak_bytes(), 16 * size, "%zu bytes for %zu",
            test_peak_bytes(), size);
        free(header);
    }
}

TEST(safetensors_in, reads_the_save_counter_from_metadata)
{
    static const struct {
        const char *header;
        uint64_t counter;
    } rows[] = {
        { "{\"__metadata__\":{\"save_counter\":\"12\"}}", 12 },
        { "{\"__metadata__\":{\"save_counter\":\"0\"}}", 0 },
        { "{\"__metadata__\":{\"save_counter\":\"012\"}}", 0 },
        { "{\"__metadata__\":{\"save_counter\":\"\"}}", 0 },
        { "{\"__metadata__\":{\"save_counter\":\"twelve\"}}", 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct memory *memory = memory_new();
        varve_error error;
        put_tensors(memory, "x.safetensors", rows[i].header, 0);
        varve_reader *reader = open_in(memory, "x.safetensors", &error);
        cr_assert(reader, "%s", error.message);
        cr_assert_eq(varve_reader_counter(reader), rows[i].counter);
        cr_assert_eq(
            varve_reader_metadata_at(reader, 0) == NULL, rows[i].counter > 0);
        varve_reader_free(reader);
        memory_free(memory);
    }
}

TEST(safetensors_in, refuses_headers_larger_than_the_file)
{
    struct memory *memory = memory_new();
    unsigned char head[32] = { 0 };
    memory_put(memory, "a.safetensors", head, 7);
    refused(memory, "a.safetensors", VARVE_TRUNCATED,
        "expected 8 bytes for the size of the header, found 7");
    memory_put(memory, "b.safetensors", head, 8);
    refused(memory, "b.safetensors", VARVE_CORRUPT, "found the end");
    vv_store64(head, 3);
    memory_put(memory, "c.safetensors", head, 10);
    refused(memory, "c.safetensors", VARVE_TRUNCATED,
        "expected a header of 3 bytes, found 2");
    vv_store64(head, 100000001);
    memory_put(memory, "d.safetensors", head, sizeof head);
    refused(memory, "d.safetensors", VARVE_LIMIT,
        "the header is too large: the limit is 100000000 bytes, it has "
        "100000001");
    vv_store64(head, UINT64_MAX);
    memory_put(memory, "e.safetensors", head, sizeof head);
    refused(memory, "e.safetensors", VARVE_LIMIT, "18446744073709551615");
    memory_free(memory);
}

/* A sparse file: everything except the first page is a hole. */
TEST(safetensors_in, needs_no_memory_for_a_hole_in_a_header)
{
    enum { SIZE = 64 << 20 };
    struct memory *memory = memory_new();
    unsigned char *bytes = calloc(1, 8 + SIZE);
    vv_store64(bytes, SIZE);
    memcpy(bytes + 8, "{\"a\":", 5);
    memory_put(memory, "a.safetensors", bytes, 8 + SIZE);
    free(bytes);
    test_reset_peak();
    size_t before = test_byte_count();
    refused(memory, "a.safetensors", VARVE_CORRUPT,
        "JSON at offset 13: expected text, found a NUL byte");
    cr_assert_lt(test_peak_bytes() - before, 2 << 20);
    memory_free(memory);
}

TEST(safetensors_in, refuses_truncated_and_extended_files)
{
    struct memory *memory = memory_new();
    size_t size;
    put_tensors(memory, "x.safetensors", sample, 11);
    memory_bytes(memory, "x.safetensors", &size);
    memory_resize(memory, "x.safetensors", size + 1);
    refused(memory, "x.safetensors", VARVE_CORRUPT,
        "the tensors have 11 bytes of data, but the file has 12");
    for (size_t cut = 1; cut < size; cut++) {
        memory_resize(memory, "x.safetensors", size - cut);
        refused(memory, "x.safetensors", VARVE_TRUNCATED,
            cut <= 11 ? "its data ends at" : "expected");
    }
    memory_free(memory);
}

static enum vv_probe_result bid_for(
    const char *path, const char *head, size_t head_size, uint64_t size)
{
    struct vv_candidate candidate = { .path = path,
        .size = size,
        .head = (const unsigned char *)head,
        .head_size = head_size };
    return vv_safetensors_format.probe(&candidate);
}

TEST(safetensors_in, recognizes_its_content_and_name)
{
    static const char head[] = "\x02\0\0\0\0\0\0\0{}";
    static const char space[] = "\x04\0\0\0\0\0\0\0 \n{}";
    cr_assert_eq(bid_for("x.safetensors", head, 10, 10), VV_PROBE_SURE);
    cr_assert_eq(bid_for("x.bin", head, 10, 10), VV_PROBE_LIKELY);
    cr_assert_eq(bid_for("x.bin", space, 12, 12), VV_PROBE_LIKELY);
    cr_assert_eq(bid_for("x.bin", head, 10, 9), VV_PROBE_NONE);
    cr_assert_eq(bid_for("x.safetensors", head, 9, 9), VV_PROBE_NAME);
    cr_assert_eq(bid_for("x.bin", head, 8, 8), VV_PROBE_NONE);
    cr_assert_eq(bid_for("x.bin", "", 0, 0), VV_PROBE_NONE);
    cr_assert_eq(
        bid_for("x.bin", "\x02\0\0\0\0\0\0\0[]", 10, 10), VV_PROBE_NONE);
    cr_assert_eq(bid_for("safetensors", "text", 4, 4), VV_PROBE_NONE);
    cr_assert_eq(bid_for(".safetensors", "text", 4, 4), VV_PROBE_NAME);
}

TEST(safetensors_in, leaks_nothing_without_memory)
{
    struct memory *memory = memory_new();
    put_tensors(memory, "x.safetensors",
        "{\"__metadata__\":{\"c\":\"a\",\"save_counter\":\"3\"}," T(
            "a", "U8", "[1]", 0, 1) "}",
        1);
    for (long n = 0;; n++) {
        varve_error error;
        test_fail_allocation(n, false);
        varve_reader *reader = open_in(memory, "x.safetensors", &error);
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
