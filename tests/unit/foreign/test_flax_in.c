/* test_flax_in.c - Tests opening Flax files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_in.h"

#include <stdio.h>

#include "flax_sample.h"

#define GOLDEN_FILE(name) GOLDEN "/foreign/flax_" name ".msgpack"

/* --- Bids ----------------------------------------------------------------- */

static enum vv_probe_result bid_for(const char *path, const char *digits)
{
    struct vv_buffer b = flax_bytes(digits);
    enum vv_probe_result result =
        probe_of(&vv_flax_format, path, b.data, b.size);
    vv_buffer_clear(&b);
    return result;
}

TEST(flax_in, recognizes_a_map_that_contains_an_array)
{
    static const char *const files[] = { "81 a161 " FLAX_ONE_TWO,
        "de 0001 a161 " FLAX_FOUR, "82 a161 05 a162 " FLAX_FOUR,
        "81 a161 81 a162 " FLAX_FOUR, "82 a161 80 a162 " FLAX_FOUR,
        "82 a161 c0 d9 01 62 " FLAX_FOUR,
        "82 a161 cb 0000000000000000 a162 c8 0001 01 93 90",
        "82 a161 a162 a163 d8 01 93 dc 0000" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        cr_assert_eq(bid_for("checkpoint_10", files[i]), VV_PROBE_LIKELY, "%s",
            files[i]);
        cr_assert_eq(bid_for("a.msgpack", files[i]), VV_PROBE_LIKELY);
    }
}

TEST(flax_in, recognizes_its_file_name)
{
    cr_assert_eq(bid_for("a.msgpack", "81 a161 90"), VV_PROBE_LIKELY);
    cr_assert_eq(bid_for("a.msgpack", "80"), VV_PROBE_LIKELY);
    cr_assert_eq(bid_for("a.msgpack", FLAX_FOUR), VV_PROBE_NAME);
    cr_assert_eq(bid_for("a.msgpack", "3c68746d6c"), VV_PROBE_NAME);
    cr_assert_eq(bid_for("a.msgpack", ""), VV_PROBE_NAME);
}

TEST(flax_in, does_not_recognize_other_files)
{
    static const char *const others[] = { "", "80", "81", "81 a161",
        "81 a161 90", FLAX_FOUR, "81 a161 c7 15 02 93 91 02",
        "81 a161 c7 15 01 92 91 02", "81 a161 c7 15 01 93 a1 02",
        "81 c0 " FLAX_FOUR, "91 " FLAX_FOUR, "81 a161 c1 " FLAX_FOUR,
        "8002 8a0a6cfc9c46f9206aa8", "81 d9 ff 61" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_assert_eq(bid_for("a", others[i]), VV_PROBE_NONE, "%s", others[i]);
    check_no_bid_for_noise(&vv_flax_format);
}

/* --- Valid files ---------------------------------------------------------- */

static varve_reader *open_golden(const char *path)
{
    varve_error error = { 0 };
    varve_reader *reader = varve_reader_open(path, NULL, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(varve_reader_format(reader), VARVE_FORMAT_FLAX);
    cr_assert_not(varve_reader_has_checksums(reader));
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    return reader;
}

TEST(flax_in, reads_a_file_written_by_flax)
{
    varve_reader *r = open_golden(GOLDEN_FILE("values"));
    for (unsigned i = 1; i <= VARVE_DTYPE_COUNT; i++) {
        char path[40];
        snprintf(
            path, sizeof path, "types/%s", varve_dtype_name((varve_dtype)i));
        if (i != VARVE_STRING)
            check_count(r, path, (varve_dtype)i);
    }
    check_value(r, "types/int4", "uint8[6]", "\0\1\2\3\4\5", 6);
    check_value(
        r, "types/float8_e4m3fnuz", "uint8[6]", "\0\x40\x48\x4c\x50\x52", 6);
    check_value(r, "ranks/none", "int32[]", "\7\0\0\0", 4);
    check_value(r, "ranks/empty", "float32[0,3]", "", 0);
    check_value(r, "ranks/three", "uint8[2,2,2]", "\0\1\2\3\4\5\6\7", 8);
    check_value(r, "numbers/large", "uint64[]", "\5\0\0\0\0\0\0\x80", 8);
    check_value(r, "numbers/negative", "int64[]",
        "\x18\xfc\xff\xff\xff\xff\xff\xff", 8);
    check_value(r, "numbers/complex", "complex128[]",
        "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0", 16);
    check_value(r, "numbers/scalar", "float32[]", "\0\0\x40\x40", 4);
    check_value(r, "numbers/true", "bool[]", "\1", 1);
    check_value(r, "texts/text", "string[]", "\5\0\0\0\0\0\0\0gr\xc3\xbcn", 13);
    check_value(r, "lists/reals", "float64[2]",
        "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\4\x40", 16);
    check_value(r, "lists/mixed/0", "int16[1]", "\1\0", 2);
    check_value(r, "keys/-2", "int64[]", "\2\0\0\0\0\0\0\0", 8);
    check_value(r, "names/<0>", "int64[]", "\3\0\0\0\0\0\0\0", 8);
    check_value(r, "date", "uint8[8]", "\5\0\0\0\0\0\0\0", 8);
    varve_reader_free(r);
}

TEST(flax_in, reads_chunked_arrays)
{
    varve_reader *r = open_golden(GOLDEN_FILE("chunked"));
    float expected[15];
    for (int i = 0; i < 15; i++)
        expected[i] = (float)i;
    if (!VV_BIG_ENDIAN)
        check_value(r, "pieces", "float32[5,3]", expected, sizeof expected);
    varve_reader_free(r);
}

TEST(flax_in, restores_a_model_and_its_optimizer)
{
    float kernel[2][3] = { { 0 } }, mu[2][3] = { { 0 } };
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_node *layer =
        varve_add_object(varve_add_object(root, "params"), "Dense_0");
    varve_node *w =
        varve_add_variable(layer, "kernel", varve_array(&kernel[0][0], 2, 3));
    varve_node *adam = varve_add_object(
        varve_add_object(
            varve_add_object(varve_add_object(root, "opt_state"), "1"),
            "inner_state"),
        "0");
    varve_add_slot(adam, w, "mu", varve_array(&mu[0][0], 2, 3));
    varve_restoration *found =
        varve_read(root, GOLDEN_FILE("state"), NULL, &error);
    cr_assert(found, "%s", error.message);
    cr_assert_eq(kernel[1][2], 5 - 0.002f, "%.9g", kernel[1][2]);
    cr_assert(mu[1][2] > 0.18f && mu[1][2] < 0.2f, "%.9g", mu[1][2]);
    varve_restoration_free(found);
    varve_graph_free(graph);
}

TEST(flax_in, finds_a_model_in_its_directory)
{
    struct vv_buffer b = flax_bytes("81 a161 " FLAX_FOUR);
    struct world w = world_new();
    varve_error error = { 0 };
    memory_put(w.memory, "model/flax_model.msgpack", b.data, b.size);
    varve_reader *r = vv_reader_open_in(&w.context, "model", &error);
    cr_assert(r, "%s", error.message);
    varve_reader_free(r);
    vv_buffer_clear(&b);
    world_free(&w);
}

/* File names as used by flax.training.checkpoints. */
TEST(flax_in, finds_the_latest_of_numbered_files)
{
    static const char *const names[] = { "d/checkpoint_9", "d/checkpoint_10",
        "d/checkpoint_10.tmp", "d/other_11", "d/checkpoint_x" };
    struct vv_buffer b = flax_bytes("81 a161 " FLAX_FOUR);
    struct world w = world_new();
    varve_error error = { 0 };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        memory_put(w.memory, names[i], b.data, b.size);
    varve_reader *r = vv_reader_open_in(&w.context, "d", &error);
    cr_assert(r, "%s", error.message);
    cr_assert_str_eq(varve_reader_path(r), "d/checkpoint_10");
    varve_reader_free(r);
    vv_buffer_clear(&b);
    world_free(&w);
}

/* --- Invalid files -------------------------------------------------------- */

TEST(flax_in, refuses_every_truncation)
{
    static const char *const files[] = { GOLDEN_FILE("values"),
        GOLDEN_FILE("state"), GOLDEN_FILE("chunked") };
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        struct world w = world_new();
        struct vv_buffer b = new_bytes();
        size_t size;
        char *bytes = test_read_file(files[f], &size);
        vv_buffer_add(&b, bytes, size);
        for (size_t i = 1; i < size; i++) {
            varve_error error = { 0 };
            b.size = i;
            cr_assert_null(open_bytes(&w, FLAX_PATH, &b, &error));
            cr_assert(error.status == VARVE_TRUNCATED, "cut to %zu: %s", i,
                error.message);
        }
        vv_buffer_clear(&b);
        free(bytes);
        world_free(&w);
    }
}

TEST(flax_in, reports_errors_of_files_with_its_name)
{
    flax_refused("3c61", VARVE_CORRUPT, "the end of the file");
    flax_refused("c1", VARVE_CORRUPT, "found an invalid byte");
}

TEST(flax_in, leaks_nothing_without_memory)
{
    struct vv_buffer b =
        flax_bytes("82 a16f 82 a16d 82 a161 " FLAX_ONE_TWO
                   "a162 80 a173 91 a178 a6706172616d73 82 a161 " FLAX_ONE_TWO
                   "a162 d4 05 01");
    check_without_memory(FLAX_PATH, &b);
    vv_buffer_clear(&b);
}
