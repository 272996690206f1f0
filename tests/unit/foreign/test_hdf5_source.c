/* test_hdf5_source.c - Tests access to the bytes of HDF5 files and archives.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "hdf5_source.h"

#include <errno.h>

#include "hdf5_sample.h"
#include "support/faulty_system.h"

TEST(hdf5_source, recognizes_archives)
{
    cr_assert(vv_hdf5_is_archive((const unsigned char *)"PK\3\4", 4));
    cr_assert_not(vv_hdf5_is_archive((const unsigned char *)"PK\3\4", 3));
    cr_assert_not(vv_hdf5_is_archive((const unsigned char *)HDF5_MARK, 8));
}

TEST(hdf5_source, prefixes_messages_with_the_file_once)
{
    struct vv_foreign_file file = { .path = (char[]){ "a.h5" } };
    struct vv_foreign foreign = { .files = &file, .file_count = 1 };
    struct vv_hdf5_source s = { .foreign = &foreign };
    varve_error said = { VARVE_CORRUPT, 0, "expected this" }, error;
    cr_assert_eq(vv_hdf5_fail_at(&s, NULL, &said, &error), VARVE_CORRUPT);
    cr_assert_str_eq(error.message, "a.h5: expected this");
    vv_hdf5_fail_at(&s, "x/y", &said, &error);
    cr_assert_str_eq(error.message, "a.h5: \"x/y\": expected this");
    strcpy(said.message, "a.h5: read failed");
    vv_hdf5_fail_at(&s, "x/y", &said, &error);
    cr_assert_str_eq(error.message, "a.h5: read failed");
}

#ifdef VV_HAVE_HDF5

TEST(hdf5_source, refuses_archives_without_stored_weights)
{
    struct vv_buffer zip = read_sample("hdf5_model.keras");
    use_module();
    for (size_t i = 0; i + 16 < zip.size; i++) {
        if (memcmp(zip.data + i, "model.weights.h5", 16) == 0)
            zip.data[i] = 'n';
    }
    check_refused("a.keras", &zip, VARVE_NOT_A_CHECKPOINT,
        "not a Keras archive: it does not contain \"model.weights.h5\"");
    vv_buffer_clear(&zip);
}

TEST(hdf5_source, reads_at_the_offset_in_the_archive)
{
    struct hdf5_sample s = open_sample("hdf5_model.keras");
    struct hdf5_sample alone = open_sample("hdf5_model.weights.h5");
    unsigned char found[80], expected[80];
    varve_error error = { 0 };
    varve_saved_node a = find_sample(&s, "layers/hidden/vars/0");
    varve_saved_node b = find_sample(&alone, "layers/hidden/vars/0");
    cr_assert(a.file && b.file);
    cr_assert_neq(a.offset, b.offset);
    cr_assert_ok(
        varve_reader_read(s.reader, a.id, found, sizeof found, &error), error);
    cr_assert_ok(varve_reader_read(
                     alone.reader, b.id, expected, sizeof expected, &error),
        error);
    cr_assert_eq(memcmp(found, expected, sizeof found), 0);
    close_sample(&s);
    close_sample(&alone);
}

/* Replaces the number of the filter LZF by an unknown one. */
static void change_filter(struct vv_buffer *bytes)
{
    /* distance between the number and its name in the message */
    enum { BEFORE = 8 };
    size_t count = 0;
    for (size_t i = BEFORE; i + 4 <= bytes->size; i++) {
        unsigned char *at = bytes->data + i;
        if (memcmp(at, "lzf", 4) != 0 || memcmp(at - BEFORE, "\0\x7d", 2) != 0)
            continue;
        at[-BEFORE] = 1;
        count++;
    }
    cr_assert_geq(count, 1);
}

TEST(hdf5_source, reports_a_missing_filter)
{
    struct hdf5_sample s = { .world = world_new() };
    struct vv_buffer file = read_sample("hdf5_types.h5");
    varve_error error = { 0 };
    char bytes[4000];
    change_filter(&file);
    use_module();
    s.reader = open_bytes(&s.world, "hdf5_types.h5", &file, &error);
    cr_assert(s.reader, "%s", error.message);
    varve_saved_node node = find_sample(&s, "chunked/lzf");
    cr_assert_eq(
        varve_reader_read(s.reader, node.id, bytes, sizeof bytes, &error),
        VARVE_TOO_NEW, "%s", error.message);
    cr_assert_str_eq(error.message, "hdf5_types.h5: \"chunked/lzf\": libhdf5 "
                                    "has no filter \"lzf\" (32001) here");
    vv_buffer_clear(&file);
    close_sample(&s);
}

/* The file is truncated while it is open. */
TEST(hdf5_source, reports_the_system_error)
{
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    varve_error error = { 0 };
    char bytes[4000];
    varve_saved_node node = find_sample(&s, "chunked/gzip");
    memory_resize(s.world.memory, "hdf5_types.h5", 600);
    cr_assert_eq(
        varve_reader_read(s.reader, node.id, bytes, sizeof bytes, &error),
        VARVE_TRUNCATED, "%s", error.message);
    cr_assert_eq(strncmp(error.message, "hdf5_types.h5: ", 15), 0);
    close_sample(&s);
}

#ifndef __SANITIZE_ADDRESS__ /* libhdf5 leaks memory after failures */

/* Each read of the file fails once, like a disk error. */
TEST(hdf5_source, reports_disk_errors)
{
    struct vv_buffer bytes = read_sample("hdf5_keras2.h5");
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    use_module();
    memory_put(memory, "a.h5", bytes.data, bytes.size);
    for (long n = 0;; n++) {
        varve_error error = { 0 };
        faulty_plan(
            faulty, &(struct faulty_plan){
                        .kinds = FAULTY_READ, .number = n, .error = EIO });
        varve_reader *reader = vv_reader_open_in(&context, "a.h5", &error);
        bool was_hit = faulty_hit(faulty);
        cr_assert_eq(reader == NULL, was_hit, "%s", error.message);
        varve_reader_free(reader);
        if (!was_hit)
            break;
        cr_assert_eq(error.status, VARVE_IO, "%s", error.message);
        cr_assert_eq(strncmp(error.message, "a.h5: ", 6), 0);
        cr_assert_lt(n, 1000);
    }
    faulty_free(faulty);
    memory_free(memory);
    vv_buffer_clear(&bytes);
}

#endif
#endif
