/* test_gguf_in.c - Tests opening GGUF files.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

#include "gguf_in.h"
#include "gguf_sample.h"

enum { F32 = 0, Q8_0 = 8, I16 = 25 };

static struct gguf_file f;

/* --- Bids ----------------------------------------------------------------- */

static enum vv_probe_result bid_for(
    const char *path, const char *head, size_t size)
{
    struct vv_candidate candidate = { .path = path,
        .size = size,
        .head = (const unsigned char *)head,
        .head_size = size };
    return vv_gguf_format.probe(&candidate);
}

TEST(gguf_in, recognizes_its_magic_and_its_name)
{
    cr_assert_eq(bid_for("a", "GGUF\3\0\0\0", 8), VV_PROBE_SURE);
    cr_assert_eq(bid_for("a.gguf", "GGUF", 4), VV_PROBE_SURE);
    cr_assert_eq(bid_for("a.gguf", "GGU", 3), VV_PROBE_NAME);
    cr_assert_eq(bid_for("a.gguf", "GGML", 4), VV_PROBE_NAME);
    cr_assert_eq(bid_for("gguf", "GGML", 4), VV_PROBE_NONE);
}

/* --- Valid files ---------------------------------------------------------- */

static varve_saved_node find(varve_reader *reader, const char *path)
{
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, path, &node), "%s", path);
    return node;
}

static const char *text_of(varve_reader *reader, const char *name)
{
    const varve_metadata *m;
    for (size_t i = 0; (m = varve_reader_metadata_at(reader, i)); i++) {
        if (strcmp(m->name, name) == 0)
            return m->string;
    }
    return NULL;
}

/* Asserts the type and the bytes of a value. */
static void expect(varve_reader *reader, const char *path, const char *type,
    const void *bytes, size_t size)
{
    char text[VARVE_TENSOR_TEXT_SIZE];
    unsigned char found[256];
    varve_saved_node node = find(reader, path);
    cr_assert_str_eq(varve_tensor_text(&node.value, text), type);
    cr_assert_eq(node.size, size);
    cr_assert_ok(
        varve_reader_read(reader, node.id, found, sizeof found, &f.error),
        f.error);
    cr_assert_eq(memcmp(found, bytes, size), 0, "%s", path);
}

static void put_small(void)
{
    put_head(&f, 3, 2);
    put_string(&f, "general.name");
    put32(&f, VV_GGUF_STRING);
    put_string(&f, "small");
    put_string(&f, "words");
    put32(&f, VV_GGUF_ARRAY);
    put32(&f, VV_GGUF_STRING);
    put64(&f, 1);
    put_string(&f, "word");
    put_string(&f, "blk.0.w"); /* 2 rows of 3 */
    put32(&f, 2);
    put64(&f, 3);
    put64(&f, 2);
    put32(&f, I16);
    put64(&f, 64);
    put_tensor(&f, "blk.0.q", Q8_0, 32, 0);
    put_string(&f, "scale"); /* without dimensions */
    put32(&f, 0);
    put32(&f, F32);
    put64(&f, 96);
    put_padding(&f, 32);
    for (int i = 0; i < 34; i++)
        put_number(&f, 100 + (uint64_t)i, 1);
    put_padding(&f, 32);
    for (uint64_t i = 0; i < 6; i++)
        put_number(&f, i, 2);
    put_padding(&f, 32);
    put32(&f, 0x3f800000);
}

TEST(gguf_in, reads_tensors_states_and_text)
{
    put_small();
    varve_reader *reader = open_file(&f);
    cr_assert(reader, "%s", f.error.message);
    cr_assert_eq(varve_reader_format(reader), VARVE_FORMAT_GGUF);
    expect(reader, "blk.0.w", "int16[2,3]", "\0\0\1\0\2\0\3\0\4\0\5\0", 12);
    expect(reader, "scale", "float32[]", "\0\0\x80\x3f", 4);
    varve_saved_node state = find(reader, "blk.0.q");
    cr_assert_eq(state.kind, VARVE_STATE);
    cr_assert_str_eq(varve_reader_tag_at(reader, state.id, 0), "gguf:Q8_0");
    expect(reader, "blk.0.q", "uint8[34]",
        "defghijklmnopqrstuvwxyz{|}~\x7f\x80\x81\x82\x83\x84\x85", 34);
    cr_assert_eq(varve_reader_node_count(reader), 4);
    cr_assert_str_eq(text_of(reader, "general.name"), "small");
    cr_assert_null(text_of(reader, "words"));
    close_file(&f, reader);
}

TEST(gguf_in, reads_a_file_written_by_ggml)
{
    size_t size;
    char *bytes = test_read_file(GOLDEN "/foreign/small.gguf", &size);
    put(&f, bytes, size);
    free(bytes);
    varve_reader *reader = open_file(&f);
    cr_assert(reader, "%s", f.error.message);
    static const char *const texts[][2] = {
        { "general.alignment", "64" },
        { "general.architecture", "tiny" },
        { "meta.uint8", "255" },
        { "meta.int8", "-128" },
        { "meta.uint16", "65535" },
        { "meta.int16", "-32768" },
        { "meta.uint32", "4294967295" },
        { "meta.int32", "-2147483648" },
        { "meta.uint64", "18446744073709551615" },
        { "meta.int64", "-9223372036854775808" },
        { "meta.float32", "0.1" },
        { "meta.float64", "0.30000000000000004" },
        { "meta.bool", "true" },
        { "meta.string", "gr\xc3\xb6\xc3\x9f"
                         "er" },
        { "meta.last", "after the arrays" },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_assert_str_eq(text_of(reader, texts[i][0]), texts[i][1]);
    expect(reader, "blk.0.f32.weight", "float32[2,3]",
        (float[]){ -2, -1, 0, 1, 2, 3 }, 24);
    expect(reader, "blk.0.f64.weight", "float64[2,3]",
        (double[]){ -2, -1, 0, 1, 2, 3 }, 48);
    expect(reader, "blk.0.f16.weight", "float16[2,3]",
        (uint16_t[]){ 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200 }, 12);
    expect(reader, "blk.0.i8.weight", "int8[2,3]", "\xfe\xff\0\1\2\3", 6);
    expect(reader, "blk.0.i16.weight", "int16[2,3]",
        (int16_t[]){ -2, -1, 0, 1, 2, 3 }, 12);
    expect(reader, "blk.0.i32.weight", "int32[2,3]",
        (int32_t[]){ -2, -1, 0, 1, 2, 3 }, 24);
    expect(reader, "blk.0.i64.weight", "int64[2,3]",
        (int64_t[]){ -2, -1, 0, 1, 2, 3 }, 48);
    expect(reader, "blk.0.bf16.weight", "bfloat16[3]",
        (uint16_t[]){ 0x3f80, 0xc000, 0x7fc1 }, 6);
    cr_assert_eq(find(reader, "blk.0.q8_0.weight").size, 4 * 34);
    cr_assert_eq(find(reader, "blk.0.q4_0.weight").size, 4 * 18);
    varve_saved_node cube = find(reader, "cube");
    cr_assert_eq(cube.value.shape[0], 2);
    cr_assert_eq(cube.value.shape[2], 4);
    close_file(&f, reader);
}

TEST(gguf_in, restores_into_a_graph)
{
    int16_t w[2][3] = { { 0 } };
    float scale = 0;
    varve_error error;
    put_small();
    test_write_file(test_path("model.gguf"), f.bytes, f.size);
    f.size = 0;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "blk.0.w", varve_array(&w[0][0], 2, 3));
    varve_add_variable(root, "scale", varve_scalar(&scale));
    varve_restoration *found =
        varve_read(root, test_path("model.gguf"), NULL, &error);
    cr_assert(found, "%s", error.message);
    cr_assert_eq(w[1][2], 5);
    cr_assert_eq(scale, 1.0f);
    varve_restoration_free(found);
    varve_graph_free(graph);
}

TEST(gguf_in, uses_the_alignment_of_the_file)
{
    put_head(&f, 2, 1);
    put_alignment(&f, 8);
    put_tensor(&f, "a", F32, 1, 8); /* data in another order than the names */
    put_tensor(&f, "b", F32, 1, 0);
    put_padding(&f, 8);
    put32(&f, 7);
    put32(&f, 0);
    put32(&f, 9);
    varve_reader *reader = open_file(&f);
    cr_assert(reader, "%s", f.error.message);
    expect(reader, "a", "float32[1]", "\x09\0\0\0", 4);
    expect(reader, "b", "float32[1]", "\x07\0\0\0", 4);
    close_file(&f, reader);
}

TEST(gguf_in, reads_files_without_tensors_or_bytes)
{
    put_head(&f, 0, 0);
    varve_reader *reader = open_file(&f);
    cr_assert(reader, "%s", f.error.message);
    cr_assert_eq(varve_reader_node_count(reader), 1);
    close_file(&f, reader);

    put_head(&f, 1, 0);
    put_tensor(&f, "none", F32, 0, 1024); /* past the end, but empty */
    reader = open_file(&f);
    cr_assert(reader, "%s", f.error.message);
    expect(reader, "none", "float32[0]", "", 0);
    close_file(&f, reader);
}

/* --- Invalid files -------------------------------------------------------- */

static void refuse_version(
    uint32_t version, varve_status status, const char *words)
{
    put(&f, "GGUF", 4);
    put32(&f, version);
    put64(&f, 0);
    put64(&f, 0);
    refuse(&f, status, words);
}

TEST(gguf_in, refuses_other_versions)
{
    refuse_version(0, VARVE_CORRUPT, "version 2 or 3 of GGUF, found 0");
    refuse_version(
        1, VARVE_NOT_A_CHECKPOINT, "version 2 or 3 of GGUF, found 1");
    refuse_version(4, VARVE_TOO_NEW, "found 4");
    refuse_version(0x03000000, VARVE_NOT_A_CHECKPOINT, "big-endian");
    put(&f, "GGML", 4);
    refuse(&f, VARVE_NOT_A_CHECKPOINT, "not a GGUF file");
}

TEST(gguf_in, refuses_impossible_counts)
{
    put_head(&f, UINT64_MAX, 0);
    refuse(&f, VARVE_TRUNCATED, "tensors, the rest of the file has room for 0");
    put_head(&f, 0, UINT64_MAX);
    refuse(&f, VARVE_TRUNCATED, "metadata, the rest of the file has room");
}

TEST(gguf_in, refuses_wrong_alignments)
{
    static const uint32_t wrong[] = { 0, 3, 48 };
    for (size_t i = 0; i < 3; i++) {
        put_head(&f, 0, 1);
        put_alignment(&f, wrong[i]);
        refuse(&f, VARVE_CORRUPT, "power of two");
    }
    put_head(&f, 0, 1);
    put_string(&f, "general.alignment");
    put32(&f, VV_GGUF_UINT64);
    put64(&f, 64);
    refuse(&f, VARVE_CORRUPT, "power of two");
}

TEST(gguf_in, refuses_duplicate_names)
{
    put_head(&f, 0, 2);
    put_alignment(&f, 32);
    put_alignment(&f, 64);
    refuse(&f, VARVE_CORRUPT, "metadata \"general.alignment\": offset ");

    put_head(&f, 2, 0);
    put_tensor(&f, "same", F32, 0, 0);
    put_tensor(&f, "same", F32, 0, 0);
    refuse(&f, VARVE_CORRUPT, "same");
}

TEST(gguf_in, omits_invalid_texts)
{
    const char *path, *what;
    put_head(&f, 0, 2);
    put_string(&f, "text");
    put32(&f, VV_GGUF_STRING);
    put_string(&f, "\xff");
    put_string(&f, "other");
    put32(&f, VV_GGUF_STRING);
    put_string(&f, "good");
    varve_reader *reader = open_file(&f);
    cr_assert(reader, "%s", f.error.message);
    cr_assert_null(text_of(reader, "text"));
    cr_assert_str_eq(text_of(reader, "other"), "good");
    cr_assert(varve_reader_left_out_at(reader, 0, &path, &what));
    cr_assert_str_eq(path, "text");
    cr_assert(strstr(what, "UTF-8"), "%s", what);
    cr_assert_not(varve_reader_left_out_at(reader, 1, &path, &what));
    close_file(&f, reader);
}

/* A sparse file: a text or a name is in a hole. */
TEST(gguf_in, needs_no_memory_for_a_hole)
{
    enum { HOLE = 60 << 20 };
    for (int is_name = 0; is_name < 2; is_name++) {
        const char *path, *what;
        put_head(&f, 0, 1);
        if (!is_name)
            put_string(&f, "text");
        if (!is_name)
            put32(&f, VV_GGUF_STRING);
        put64(&f, HOLE);
        size_t size = f.size;
        test_reset_peak();
        f.memory = memory_new();
        unsigned char *bytes = calloc(1, size + HOLE);
        memcpy(bytes, f.bytes, size);
        memory_put(f.memory, GGUF_PATH, bytes, size + HOLE);
        free(bytes);
        f.context = test_context(memory_system(f.memory));
        varve_reader *reader =
            vv_reader_open_in(&f.context, GGUF_PATH, &f.error);
        cr_assert_lt(test_peak_bytes(), 2 << 20);
        cr_assert_eq(reader != NULL, !is_name, "%s", f.error.message);
        if (reader)
            cr_assert(varve_reader_left_out_at(reader, 0, &path, &what));
        else
            cr_assert_eq(f.error.status, VARVE_TRUNCATED);
        varve_reader_free(reader);
        memory_free(f.memory);
        f.size = 0;
    }
}

TEST(gguf_in, omits_entries_without_a_valid_name)
{
    const char *path, *what;
    put_head(&f, 2, 1);
    put_string(&f, "");
    put32(&f, VV_GGUF_UINT32);
    put32(&f, 7);
    put_tensor(&f, "", F32, 1, 0);
    put_tensor(&f, "w", F32, 1, 32);
    put_padding(&f, 32);
    put(&f, (char[64]){ 0 }, 64);
    varve_reader *reader = open_file(&f);
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "w", &node));
    for (size_t i = 0; i < 2; i++) {
        cr_assert(varve_reader_left_out_at(reader, i, &path, &what));
        cr_assert_str_eq(path, "\"\"");
        cr_assert(strstr(what, "under a name that is empty"), "%s", what);
    }
    cr_assert_not(varve_reader_left_out_at(reader, 2, &path, &what));
    close_file(&f, reader);
}

static void refuse_tensor(uint32_t type, uint64_t extent, uint64_t offset,
    varve_status status, const char *words)
{
    put_head(&f, 2, 0);
    put_tensor(&f, "good", F32, 1, 0);
    put_tensor(&f, "bad", type, extent, offset);
    put_padding(&f, 32);
    put(&f, (char[64]){ 0 }, 64);
    refuse(&f, status, words);
}

TEST(gguf_in, refuses_invalid_tensors)
{
    refuse_tensor(4, 32, 32, VARVE_TOO_NEW, "tensor type 4");
    refuse_tensor(Q8_0, 33, 32, VARVE_CORRUPT, "the block size 32");
    refuse_tensor(F32, UINT64_C(1) << 62, 32, VARVE_CORRUPT, "2^64");
    refuse_tensor(Q8_0, UINT64_MAX - 31, 32, VARVE_CORRUPT, "2^64");
    refuse_tensor(F32, 1, 33, VARVE_CORRUPT, "multiple of 32, found 33");
    refuse_tensor(F32, 9, 32, VARVE_TRUNCATED,
        "tensor \"bad\": offset 60: its 36 bytes at 32 of the data extend past "
        "the end of the data, which has 64 bytes");
    refuse_tensor(F32, 1, 96, VARVE_TRUNCATED, "has 64 bytes");
    refuse_tensor(F32, 1, 0, VARVE_CORRUPT, "ends at 4 of the data: it begins");
}

TEST(gguf_in, refuses_more_than_four_dimensions)
{
    put_head(&f, 1, 0);
    put_string(&f, "deep");
    put32(&f, 5);
    put(&f, (char[64]){ 0 }, 64);
    refuse(&f, VARVE_LIMIT, "4 dimensions, found 5");
}

TEST(gguf_in, refuses_every_truncation)
{
    put_small();
    size_t size = f.size;
    for (size_t i = 1; i < size; i++) {
        f.size = i;
        varve_reader *reader = open_file(&f);
        cr_assert_null(reader, "cut to %zu bytes", i);
        cr_assert_eq(
            f.error.status, VARVE_TRUNCATED, "%zu: %s", i, f.error.message);
        close_file(&f, NULL);
    }
    f.size = size;
    close_file(&f, open_file(&f));
}

/* --- Memory --------------------------------------------------------------- */

TEST(gguf_in, leaks_nothing_without_memory)
{
    put_small();
    for (long n = 0;; n++) {
        place_file(&f);
        test_fail_allocation(n, false);
        varve_reader *reader =
            vv_reader_open_in(&f.context, GGUF_PATH, &f.error);
        test_fail_allocation(-1, false);
        if (!reader)
            cr_assert_eq(f.error.status, VARVE_NO_MEMORY);
        size_t size = f.size;
        bool is_open = reader != NULL;
        close_file(&f, reader);
        f.size = size;
        cr_assert_eq(test_block_count(), 0);
        if (is_open)
            break;
    }
}

static void expect_bound(struct gguf_file *many)
{
    size_t most = 16 * many->size + 64 * 1024;
    test_reset_peak();
    varve_reader *reader = open_file(many);
    cr_assert(reader, "%s", many->error.message);
    cr_assert_leq(test_peak_bytes(), most, "%zu bytes and not %zu",
        test_peak_bytes(), most);
    close_file(many, reader);
}

TEST(gguf_in, needs_memory_bounded_by_the_file)
{
    static struct gguf_file many;
    enum { COUNT = 4000 };
    char name[8];
    put_head(&many, COUNT, 0);
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "%x", i);
        put_tensor(&many, name, Q8_0, 0, 0);
    }
    expect_bound(&many);
    put_head(&many, 0, COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "%x", i);
        put_string(&many, name);
        put32(&many, VV_GGUF_BOOL);
        put(&many, "", 1);
    }
    expect_bound(&many);
}
