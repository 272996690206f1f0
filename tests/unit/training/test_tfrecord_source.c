/* test_tfrecord_source.c - lib/training/tfrecord_source.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "sources.h"

#include <stdio.h>
#include <stdlib.h>

#include "tfrecord_source.h"

static varve_records *open_records(const struct vv_context *context,
    const varve_records_options *options, varve_error *error)
{
    return vv_records_open_tfrecords_in(context, "file", options, error);
}

static const varve_records_options lengths_only = { .no_content = true };

/* "one", nothing, "three". */
static size_t sample(unsigned char file[64])
{
    size_t size = put_tfrecord(file, 0, "one", 3);
    size = put_tfrecord(file, size, "", 0);
    return put_tfrecord(file, size, "three", 5);
}

/* The record "abc", with sums from a program that computes them bit by bit. */
TEST(tfrecord_source, reads_the_bytes_of_another_writer)
{
    static const unsigned char file[] = {
        3, 0, 0, 0, 0, 0, 0, 0, 0xb0, 0x99, 0x49, 0x0e, 'a', 'b', 'c',
        0x6e, 0x57, 0xf1, 0x21,
    };
    unsigned char own[32];
    cr_assert_eq(put_tfrecord(own, 0, "abc", 3), sizeof file);
    cr_assert_arr_eq(own, file, sizeof file);
    holds(open_records, file, sizeof file, "abc|");
}

TEST(tfrecord_source, gives_records)
{
    unsigned char file[64];
    holds(open_records, file, sample(file), "one||three|");
    holds(open_records, "", 0, "");
}

/* "abc" as Python's gzip and zlib have it. */
TEST(tfrecord_source, says_that_a_file_is_compressed)
{
    static const unsigned char packed[] = {
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff, 0x4b, 0x4c, 0x4a, 6, 0, 0xc2,
        0x41, 0x24, 0x35, 3, 0, 0, 0,
    };
    static const unsigned char deflated[] = {
        0x78, 0x9c, 0x4b, 0x4c, 0x4a, 6, 0, 2, 0x4d, 1, 0x27, 0,
    };
    refuses(open_records, &plain_options, packed, sizeof packed,
        VARVE_TOO_NEW, "the compression GZIP: write it again without, or "
        "unpack it with gunzip");
    refuses(open_records, &plain_options, deflated, sizeof deflated,
        VARVE_TOO_NEW, "the compression ZLIB: write it again without");
    refuses(open_records, &lengths_only, packed, sizeof packed, VARVE_TOO_NEW,
        "GZIP");
}

TEST(tfrecord_source, finds_every_flipped_bit)
{
    unsigned char file[64];
    size_t size = sample(file);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        file[bit / 8] ^= (unsigned char)(1 << bit % 8);
        refuses(open_records, &plain_options, file, size, VARVE_CORRUPT,
            "file: record at offset ");
        file[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

TEST(tfrecord_source, finds_every_cut)
{
    unsigned char file[64];
    size_t size = sample(file);
    for (size_t cut = 1; cut < size; cut++) {
        if (cut == 19 || cut == 35)
            continue; /* between two records */
        char says[64];
        snprintf(says, sizeof says, "found the end of the file at %zu", cut);
        refuses(open_records, &plain_options, file, cut, VARVE_TRUNCATED,
            says);
        refuses(open_records, &lengths_only, file, cut, VARVE_TRUNCATED,
            says);
    }
}

/* The sum of the length is right: anybody can compute it. */
TEST(tfrecord_source, does_not_believe_a_length)
{
    static const uint64_t lengths[] = {
        4, 5, 1000, UINT32_MAX, INT64_MAX, UINT64_MAX - 15, UINT64_MAX - 3,
        UINT64_MAX
    };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        unsigned char file[64];
        size_t size = put_tfrecord(file, 0, "abc", 3);
        vv_store64(file, lengths[i]);
        vv_store32(file + 8, vv_crc32c_mask(vv_crc32c(0, file, 8)));
        test_reset_peak();
        refuses(open_records, &plain_options, file, size, VARVE_TRUNCATED,
            "record at offset 0: expected");
        refuses(open_records, &lengths_only, file, size, VARVE_TRUNCATED,
            "record at offset 0: expected");
        cr_assert_lt(test_peak_bytes(), 2 << 20);
    }
}

TEST(tfrecord_source, verifies_a_record_when_it_is_read)
{
    unsigned char file[64];
    size_t size = sample(file);
    varve_error error = { 0 };
    varve_batch batch;
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    file[size - 6] ^= 1;
    memory_put(memory, "file", file, size);
    varve_records *records = open_records(&context, &lengths_only, &error);
    cr_assert(records, "%s", error.message);
    cr_assert_ok(varve_records_next(records, &batch, &error), error);
    cr_assert_ok(varve_records_next(records, &batch, &error), error);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(
            varve_records_next(records, &batch, &error), VARVE_CORRUPT);
        cr_assert(strstr(error.message, "offset 35"), "%s", error.message);
        cr_assert_eq(varve_records_consumed(records), 2);
    }
    memory_bytes(memory, "file", &size)[size - 6] ^= 1;
    cr_assert_ok(varve_records_next(records, &batch, &error), error);
    cr_assert_arr_eq(batch.records->data, "three", 5);
    varve_records_free(records);
    memory_free(memory);
}

TEST(tfrecord_source, reads_records_larger_than_its_window)
{
    enum { SIZE = (5 << 20) / 2 };
    unsigned char *bytes = malloc(SIZE), *file = malloc(3 * SIZE);
    varve_error error = { 0 };
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i * i >> 3);
    size_t size = put_tfrecord(file, 0, bytes, SIZE);
    size = put_tfrecord(file, size, "end", 3);
    memory_put(memory, "file", file, size);
    for (int no_content = 0; no_content < 2; no_content++) {
        varve_batch batch;
        varve_records_options options = {
            .no_content = no_content,
            .batch = 2,
        };
        varve_records *records = open_records(&context, &options, &error);
        cr_assert(records, "%s", error.message);
        cr_assert_ok(varve_records_next(records, &batch, &error), error);
        cr_assert_eq(batch.count, 2);
        cr_assert_eq(batch.records[0].size, (size_t)SIZE);
        cr_assert(memcmp(batch.records[0].data, bytes, SIZE) == 0);
        cr_assert(memcmp(batch.records[1].data, "end", 3) == 0);
        varve_records_free(records);
    }
    memory_free(memory);
    free(bytes);
    free(file);
}

TEST(tfrecord_source, survives_faults)
{
    unsigned char file[64];
    survives_faults(open_records, file, sample(file), "one||three|");
}
