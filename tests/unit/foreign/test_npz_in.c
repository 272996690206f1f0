/* test_npz_in.c - Tests opening archives of NumPy arrays.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "npz_in.h"

#include <stdio.h>

#include "readers.h"

/* Adds an entry with an array. */
static void add(struct archive *a, const char *name, bool is_deflated,
    const char *text, const char *data, size_t size)
{
    struct vv_buffer b = new_bytes();
    add_array(&b, 1, text, data, size);
    archive_add(a, (struct entry){ .name = name,
                       .bytes = b.data,
                       .size = b.size,
                       .is_deflated = is_deflated });
    vv_buffer_clear(&b);
}

#define I2 DICTIONARY("<i2", "False", "(2,)")

TEST(npz_in, has_a_named_value_for_each_entry)
{
    struct archive a = archive_new();
    struct world w = world_new();
    varve_error error = { 0 };
    bool deflates = vv_inflater_exists();
    add(&a, "a.npy", false, I2, "\1\0\2\0", 4);
    add(&a, "b/c.npy", deflates, I2, "\3\0\4\0", 4);
    add(&a, "b/d.npy", deflates, DICTIONARY(">i2", "True", "(2, 2)"),
        "\0\1\0\3\0\2\0\4", 8);
    add(&a, "s.npy", deflates, DICTIONARY("|S2", "False", "(2,)"), "ab\0\0", 4);
    add(&a, "t.npy", false, DICTIONARY("|S2", "False", "(2,)"), "ab\0\0", 4);
    add(&a, "v.npy", deflates, DICTIONARY("<V2", "False", "(2,)"), "abcd", 4);
    archive_end(&a);
    varve_reader *r = open_bytes(&w, "a.npz", &a.file, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_reader_format(r), VARVE_FORMAT_NPZ);
    check_value(r, "a", "int16[2]", "\1\0\2\0", 4);
    check_value(r, "b/c", "int16[2]", "\3\0\4\0", 4);
    check_value(r, "b/d", "int16[2,2]", "\1\0\2\0\3\0\4\0", 8);
    check_value(r, "s", "string[2]", "\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0ab", 18);
    check_value(r, "t", "string[2]", "\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0ab", 18);
    check_value(r, "v", "uint8[4]", "abcd", 4);
    cr_assert_ok(varve_reader_verify(r, NULL, &error), error);
    varve_reader_free(r);
    world_free(&w);
    archive_clear(&a);
}

TEST(npz_in, may_be_empty)
{
    struct archive a = archive_new();
    struct world w = world_new();
    varve_error error = { 0 };
    archive_end(&a);
    varve_reader *r = open_bytes(&w, "a.npz", &a.file, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_reader_node_count(r), 1);
    varve_reader_free(r);
    world_free(&w);
    archive_clear(&a);
}

/* The checksum of the archive covers header and data. The checksum of
 * the data is derived from it, and is right if and only if every change is
 * detected, also with several chunks. */
static void check_sum(size_t size)
{
    struct archive a = archive_new();
    struct world w = world_new();
    varve_error error = { 0 };
    varve_saved_node node;
    char text[100];
    char *data = malloc(size);
    for (size_t i = 0; i < size; i++)
        data[i] = (char)(i * 7 ^ i >> 8);
    snprintf(text, sizeof text,
        "{'descr': '|u1', 'fortran_order': False, 'shape': (%zu,)}", size);
    add(&a, "a.npy", false, text, data, size);
    archive_end(&a);
    varve_reader *r = open_bytes(&w, "a.npz", &a.file, &error);
    cr_assert(varve_reader_find(r, "a", &node));
    cr_assert_eq(node.offset, a.begin - size, "it is read where it lies");
    cr_assert_ok(varve_reader_read(r, node.id, data, size, &error), error);
    size_t file_size;
    unsigned char *bytes = memory_bytes(w.memory, "a.npz", &file_size);
    for (size_t at = 0; at < size; at += size / 7 + 1) {
        bytes[node.offset + at] ^= 4;
        cr_assert_eq(
            varve_reader_read(r, node.id, data, size, &error), VARVE_CORRUPT);
        cr_assert(
            strstr(error.message, "expected CRC-32"), "%s", error.message);
        bytes[node.offset + at] ^= 4;
        varve_reader_free(r);
        r = vv_reader_open_in(&w.context, "a.npz", &error);
    }
    varve_reader_free(r);
    free(data);
    world_free(&w);
    archive_clear(&a);
}

TEST(npz_in, verifies_a_stored_value_by_its_checksum)
{
    check_sum(1);
    check_sum(1000);
    check_sum((1 << 20) * 2 + 5);
}

TEST(npz_in, finds_a_changed_header_by_the_checksum)
{
    struct archive a = archive_new();
    struct world w = world_new();
    varve_error error = { 0 };
    add(&a, "a.npy", false, I2, "\1\0\2\0", 4);
    archive_end(&a);
    size_t at = a.begin - 5; /* the end of its last line */
    cr_assert_eq(a.file.data[at], '\n');
    a.file.data[at] = ' ';
    varve_reader *r = open_bytes(&w, "a.npz", &a.file, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_reader_verify(r, NULL, &error), VARVE_CORRUPT);
    varve_reader_free(r);
    world_free(&w);
    archive_clear(&a);
}

TEST(npz_in, verifies_decoded_values)
{
    static const char *const texts[] = {
        DICTIONARY(">i2", "False", "(2,)"),
        DICTIONARY("<i2", "False", "(2,)"),
    };
    for (int i = 0; i <= vv_inflater_exists(); i++) {
        struct archive a = archive_new();
        struct world w = world_new();
        varve_error error = { 0 };
        add(&a, "a.npy", i, texts[i], "\1\0\2\0", 4);
        archive_end(&a);
        a.file.data[a.begin - 1] ^= 1;
        varve_reader *r = open_bytes(&w, "a.npz", &a.file, &error);
        cr_assert(r, "%s", error.message);
        cr_assert_eq(varve_reader_verify(r, NULL, &error), VARVE_CORRUPT);
        varve_reader_free(r);
        world_free(&w);
        archive_clear(&a);
    }
}

static void check_entry(const char *name, const char *text, const char *data,
    size_t size, varve_status status, const char *says)
{
    for (int is_deflated = 0; is_deflated <= vv_inflater_exists();
         is_deflated++) {
        struct archive a = archive_new();
        add(&a, name, is_deflated, text, data, size);
        archive_end(&a);
        check_refused("a.npz", &a.file, status, says);
        archive_clear(&a);
    }
}

TEST(npz_in, refuses_archives_without_arrays)
{
    check_entry("data.txt", I2, "\1\0\2\0", 4, VARVE_NOT_A_CHECKPOINT,
        "a.npz: \"data.txt\": not an array: the name is not"
        " of the form NAME.npy");
    check_entry(".npy", I2, "\1\0\2\0", 4, VARVE_NOT_A_CHECKPOINT, "NAME.npy");
    check_entry("a.npy", I2, "\1\0\2\0\3", 5, VARVE_CORRUPT,
        "expected 4 bytes after the header, found 5");
    check_entry("a.npy", I2, "\1\0\2", 3, VARVE_TRUNCATED, "found 3");
    check_entry("a.npy", DICTIONARY("|O", "False", "(2,)"), "\1\0\2", 3,
        VARVE_NOT_A_CHECKPOINT, "allow_pickle=False");
    check_entry("a\n.npy", "{'descr'", "", 0, VARVE_CORRUPT,
        "a.npz: \"a?.npy\": header at byte");
    check_entry("a.npy", DICTIONARY("<U1", "False", "()"), "\0\0\0\1", 4,
        VARVE_CORRUPT, "code point");
    struct archive a = archive_new();
    archive_add(&a,
        (struct entry){ .name = "a.npy", .bytes = "\x93NUMPY\1", .size = 7 });
    archive_end(&a);
    check_refused("a.npz", &a.file, VARVE_NOT_A_CHECKPOINT, "too short");
    archive_clear(&a);
    a = archive_new();
    archive_add(&a,
        (struct entry){
            .name = "a.npy", .bytes = "\x93NUMPY\1\0\xff\0{}", .size = 12 });
    archive_end(&a);
    check_refused("a.npz", &a.file, VARVE_CORRUPT, "longer than the entry");
    archive_clear(&a);
}

/* np.load reads the arrays of such an archive. */
TEST(npz_in, omits_other_entries_next_to_arrays)
{
    static const char *const names[] = { "d/", "README", "o.npy", "\"\"",
        "\\xff.npy" };
    static const char *const whats[] = { "not an array: the name is not of",
        "not an array: the name is not of", "allow_pickle=False",
        "not an array: the name is empty",
        "not an array: the name is not UTF-8" };
    struct archive a = archive_new();
    struct world w = world_new();
    varve_error error = { 0 };
    archive_add(&a, (struct entry){ .name = "d/", .bytes = "", .size = 0 });
    archive_add(
        &a, (struct entry){ .name = "README", .bytes = "x", .size = 1 });
    add(&a, "o.npy", 0, DICTIONARY("|O", "False", "(2,)"), "\1\0\2", 3);
    archive_add(&a, (struct entry){ .name = "", .bytes = "", .size = 0 });
    archive_add(
        &a, (struct entry){ .name = "\xff.npy", .bytes = "", .size = 0 });
    add(&a, "a.npy", 0, I2, "\1\0\2\0", 4);
    archive_end(&a);
    varve_reader *r = open_bytes(&w, "a.npz", &a.file, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "a", "int16[2]", "\1\0\2\0", 4);
    for (size_t i = 0; i < 5; i++) {
        const char *path, *what;
        cr_assert(varve_reader_left_out_at(r, i, &path, &what));
        cr_assert_str_eq(path, names[i]);
        cr_assert(strstr(what, whats[i]), "%s", what);
        cr_assert_null(strstr(what, "a.npz"), "%s", what);
    }
    varve_reader_free(r);
    world_free(&w);
    archive_clear(&a);
}

TEST(npz_in, refuses_a_long_deflated_header)
{
    static char text[20000];
    struct archive a = archive_new();
    if (!vv_inflater_exists())
        return;
    memset(text, ' ', sizeof text - 1);
    memcpy(text, I2, sizeof I2 - 1);
    add(&a, "a.npy", true, text, "\1\0\2\0", 4);
    archive_end(&a);
    check_refused("a.npz", &a.file, VARVE_LIMIT, "longer than 10000 bytes");
    archive_clear(&a);
}

TEST(npz_in, is_recognized_by_magic_and_name)
{
    struct vv_candidate c = {
        .path = "a.npz", .head = (const void *)"PK\3\4", .head_size = 4
    };
    cr_assert_eq(vv_npz_format.probe(&c), VV_PROBE_SURE);
    c.path = "a.zip";
    cr_assert_eq(vv_npz_format.probe(&c), VV_PROBE_LIKELY);
    c.head = (const void *)"PK\5\6";
    cr_assert_eq(vv_npz_format.probe(&c), VV_PROBE_LIKELY);
    c.head = (const void *)"PK\1\2";
    cr_assert_eq(vv_npz_format.probe(&c), VV_PROBE_NONE);
    c.path = "a.npz";
    cr_assert_eq(vv_npz_format.probe(&c), VV_PROBE_NAME);
}

TEST(npz_in, reports_a_build_without_zlib)
{
    struct archive a = archive_new();
    if (vv_inflater_exists())
        return;
    add(&a, "a.npy", true, I2, "\1\0\2\0", 4);
    archive_end(&a);
    check_refused("a.npz", &a.file, VARVE_TOO_NEW, "built without zlib");
    archive_clear(&a);
}

TEST(npz_in, leaks_nothing_without_memory)
{
    struct archive a = archive_new();
    bool deflates = vv_inflater_exists();
    add(&a, "a.npy", false, I2, "\1\0\2\0", 4);
    add(&a, "s.npy", deflates, DICTIONARY("|S2", "False", "(2,)"), "ab\0\0", 4);
    add(&a, "v.npy", deflates, DICTIONARY("<V2", "False", "(2,)"), "abcd", 4);
    archive_end(&a);
    check_without_memory("a.npz", &a.file);
    archive_clear(&a);
}

TEST(npz_in, decodes_a_value_or_reports_a_failed_allocation)
{
    struct archive a = archive_new();
    struct world w = world_new();
    varve_error error = { 0 };
    varve_status status = VARVE_NO_MEMORY;
    char bytes[4];
    add(&a, "a.npy", vv_inflater_exists(), DICTIONARY(">i2", "False", "(2,)"),
        "\0\1\0\2", 4);
    archive_end(&a);
    varve_reader *r = open_bytes(&w, "a.npz", &a.file, &error);
    for (long n = 0; status; n++) {
        test_fail_allocation(n, false);
        status = varve_reader_read(r, 1, bytes, 4, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        cr_assert(n < 100);
    }
    cr_assert_eq(memcmp(bytes, "\1\0\2\0", 4), 0);
    varve_reader_free(r);
    world_free(&w);
    archive_clear(&a);
}
