/* test_hdf5_values.c - Tests datasets of HDF5 files.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "hdf5_values.h"

#include "convert.h"
#include "hdf5_sample.h"

#ifdef VV_HAVE_HDF5

static const struct {
    const char *name;
    varve_dtype dtype;
} kinds[] = {
    { "i1", VARVE_INT8 }, { "i2", VARVE_INT16 }, { "i4", VARVE_INT32 },
    { "i8", VARVE_INT64 }, { "u1", VARVE_UINT8 }, { "u2", VARVE_UINT16 },
    { "u4", VARVE_UINT32 }, { "u8", VARVE_UINT64 }, { "f2", VARVE_FLOAT16 },
    { "f4", VARVE_FLOAT32 }, { "f8", VARVE_FLOAT64 },
    { "c8", VARVE_COMPLEX64 }, { "c16", VARVE_COMPLEX128 },
};

/* Asserts the values 0 to 5, and whether they can be read in place. */
static void check_place(
    struct hdf5_sample *s, const char *path, varve_dtype dtype, bool in_place)
{
    cr_assert_eq(find_sample(s, path).file != NULL, in_place, "%s", path);
    check_count(s->reader, path, dtype);
}

TEST(hdf5_values, have_all_element_types_in_both_byte_orders)
{
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char path[40];
        bool is_byte = kinds[i].name[1] == '1' && !kinds[i].name[2];
        snprintf(path, sizeof path, "little/%s", kinds[i].name);
        check_place(&s, path, kinds[i].dtype, true);
        snprintf(path, sizeof path, "big/%s", kinds[i].name);
        check_place(&s, path, kinds[i].dtype, is_byte);
    }
    check_place(&s, "array", VARVE_FLOAT32, true);
    close_sample(&s);
}

TEST(hdf5_values, have_types_that_h5py_derives_from_others)
{
    static const double one_and_two[] = { 1, 2 };
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    varve_saved_node node = find_sample(&s, "bfloat16");
    cr_assert_eq(node.value.dtype, VARVE_BFLOAT16);
    unsigned char bytes[4];
    double found[2];
    varve_error error = { 0 };
    cr_assert_ok(
        varve_reader_read(s.reader, node.id, bytes, 4, &error), error);
    vv_convert(VARVE_FLOAT64, found, VARVE_BFLOAT16, bytes, 2);
    cr_assert_eq(memcmp(found, one_and_two, sizeof found), 0);
    check_value(s.reader, "bool", "bool[2,3]", "\0\0\0\1\1\1", 6);
    check_value(s.reader, "enum", "int16[2]", "\1\0\2\0", 4);
    check_value(s.reader, "none", "float32[0,3]", "", 0);
    check_value(s.reader, "scalar", "float64[]", "\0\0\0\0\0\0\x0c\x40", 8);
    cr_assert_not(find_sample(&s, "null").has_value);
    cr_assert_eq(find_sample(&s, "null").value.dtype, VARVE_FLOAT32);
    close_sample(&s);
}

/* Texts are read when the file is opened; an error excludes one dataset. */
TEST(hdf5_values, omit_texts_that_cannot_be_read)
{
    struct hdf5_sample s = open_sample("hdf5_texts.h5");
    cr_assert(has_tag(&s, "long", "hdf5:size"));
    cr_assert(find_sample(&s, "packed").has_value);
    check_value(s.reader, "text", "string[]", "\5\0\0\0\0\0\0\0hello", 13);
    close_sample(&s);
}

TEST(hdf5_values, have_texts_of_both_kinds)
{
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    check_value(s.reader, "text", "string[]", "\5\0\0\0\0\0\0\0hello", 13);
    check_value(s.reader, "texts", "string[3]",
        "\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0onethree", 32);
    check_value(s.reader, "fixed", "string[3]",
        "\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0ababcd", 30);
    close_sample(&s);
}

TEST(hdf5_values, are_states_if_the_type_is_unsupported)
{
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    check_value(s.reader, "opaque", "uint8[6]", "abcdef", 6);
    check_value(s.reader, "compound", "uint8[16]",
        "\1\0\0\0\0\0\0\0\0\0\4\x40x\0\0\0", 16);
    cr_assert_eq(find_sample(&s, "compound").kind, VARVE_STATE);
    cr_assert(has_tag(&s, "compound", "hdf5:compound"));
    cr_assert(has_tag(&s, "opaque", "hdf5:opaque"));
    cr_assert(has_tag(&s, "long", "hdf5:float128"));
    close_sample(&s);
}

TEST(hdf5_values, are_tagged_with_the_reason_if_not_read)
{
    static const struct { const char *path, *tag; } marks[] = {
        { "lists", "hdf5:vlen" }, { "references", "hdf5:reference" },
        { "virtual", "hdf5:elsewhere:virtual" },
        { "outside", "hdf5:elsewhere:hdf5_model.h5" },
        { "piled", "hdf5:filters" }, { "fill/huge", "hdf5:size" },
        { "type", "hdf5:type" },
    };
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        cr_assert_eq(find_sample(&s, marks[i].path).kind, VARVE_OBJECT);
        cr_assert(has_tag(&s, marks[i].path, marks[i].tag), "%s",
            marks[i].path);
    }
    close_sample(&s);
}

TEST(hdf5_values, are_read_from_chunks_and_filters)
{
    static const char *const names[] = { "plain", "gzip", "shuffled",
        "summed", "scaled", "lzf" };
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    int32_t expected[1000];
    for (int i = 0; i < 1000; i++)
        expected[i] = i;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[40];
        snprintf(path, sizeof path, "chunked/%s", names[i]);
        check_value(
            s.reader, path, "int32[10,100]", expected, sizeof expected);
        cr_assert_null(find_sample(&s, path).file);
    }
    close_sample(&s);
}

TEST(hdf5_values, are_read_from_every_lzf_instruction)
{
    static const struct { const char *name; size_t size; } rows[] = {
        { "zeros", 5000 }, { "near", 2100 }, { "far", 16000 },
        { "noise", 500 }, { "steps", 12000 },
    };
    struct hdf5_sample s = open_sample("hdf5_odd.h5");
    static char found[16000], expected[16000];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[40];
        varve_error error = { 0 };
        snprintf(path, sizeof path, "lzf/%s", rows[i].name);
        varve_saved_node node = find_sample(&s, path);
        cr_assert_ok(varve_reader_read(
            s.reader, node.id, found, rows[i].size, &error), error);
        snprintf(path, sizeof path, "plain/%s", rows[i].name);
        node = find_sample(&s, path);
        cr_assert_ok(varve_reader_read(
            s.reader, node.id, expected, rows[i].size, &error), error);
        cr_assert_eq(memcmp(found, expected, rows[i].size), 0, "%s", path);
    }
    close_sample(&s);
}

/* Each byte of a chunk is changed: either an error or some values result, but
 * no access out of bounds. */
TEST(hdf5_values, are_safe_with_any_damaged_lzf_chunk)
{
    struct vv_buffer file = read_sample("hdf5_odd.h5");
    static char found[2100];
    size_t refused = 0, at = 0;
    use_module();
    struct hdf5_sample s = open_sample("hdf5_odd.h5");
    varve_saved_node node = find_sample(&s, "plain/near");
    varve_error error = { 0 };
    cr_assert_ok(varve_reader_read(
        s.reader, node.id, found, sizeof found, &error), error);
    close_sample(&s);
    /* An LZF chunk begins with a literal, so the bytes occur twice. */
    while (memcmp(file.data + at + 1, found, 7) != 0 || file.data[at] > 31)
        at++;
    for (size_t i = 0; i < 40; i++) {
        struct world w = world_new();
        unsigned char was = file.data[at + i];
        file.data[at + i] ^= 0xe3;
        varve_reader *r = open_bytes(&w, "a.h5", &file, &error);
        cr_assert(r, "%s", error.message);
        cr_assert(varve_reader_find(r, "lzf/near", &node));
        refused += varve_reader_read(
            r, node.id, found, sizeof found, &error) != VARVE_OK;
        varve_reader_free(r);
        file.data[at + i] = was;
        world_free(&w);
    }
    cr_assert_gt(refused, 0);
    vv_buffer_clear(&file);
}

TEST(hdf5_values, are_complex_as_in_matlab)
{
    static const double doubles[] = { 0, 1, 2, 3, 4, 5 };
    static const float floats[] = { 0, 1, 2, 3, 4, 5 };
    static const char *const paths[] = { "complex/f40", "complex/f41",
        "complex/f80", "complex/f81" };
    struct hdf5_sample s = open_sample("hdf5_odd.h5");
    for (size_t i = 0; i < 2; i++) {
        check_value(
            s.reader, paths[i], "complex64[3]", floats, sizeof floats);
        check_value(s.reader, paths[i + 2], "complex128[3]", doubles,
            sizeof doubles);
    }
    cr_assert(find_sample(&s, "complex/f80").file);
    cr_assert(has_tag(&s, "complex/integers", "hdf5:compound"));
    close_sample(&s);
}

TEST(hdf5_values, may_be_texts_with_nul)
{
    static const char fixed[] = "\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\2\0\0\0\0\0\0\0a\0b\0c";
    static const char varying[] = "\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\1\0\0\0\0\0\0\0a\0\0\0bc";
    struct hdf5_sample s = open_sample("hdf5_odd.h5");
    const char *path, *what;
    check_value(s.reader, "nul/fixed", "string[3]", fixed, sizeof fixed - 1);
    check_value(
        s.reader, "nul/varying", "string[3]", varying, sizeof varying - 1);
    cr_assert(varve_reader_left_out_at(s.reader, 0, &path, &what));
    cr_assert_str_eq(path, "nul/fixed@text");
    close_sample(&s);
}

TEST(hdf5_values, are_fill_values_if_not_written)
{
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    int16_t sevens[16], minus[4];
    for (int i = 0; i < 16; i++)
        sevens[i] = 7;
    for (int i = 0; i < 4; i++)
        minus[i] = -1;
    check_value(s.reader, "fill/chunked", "int16[4,4]", sevens, 32);
    check_value(s.reader, "fill/contiguous", "int16[4]", minus, 8);
    check_value(
        s.reader, "fill/compact", "int32[3]", "\0\0\0\0\1\0\0\0\2\0\0\0", 12);
    close_sample(&s);
}

#endif
