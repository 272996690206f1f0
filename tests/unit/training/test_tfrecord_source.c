/* test_tfrecord_source.c - Tests TFRecord files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sources.h"

#include <stdio.h>
#include <stdlib.h>

#include "compressed.h"
#include "inflater.h"
#include "tfrecord_source.h"

static varve_records *open_records(const struct vv_context *context,
    const varve_records_options *options, varve_error *error)
{
    return vv_records_open_tfrecords_in(context, "file", options, error);
}

static const varve_records_options lengths_only = { .no_content = true };

/* Makes the records "one", empty, "three". */
static size_t sample(unsigned char file[64])
{
    size_t size = put_tfrecord(file, 0, "one", 3);
    size = put_tfrecord(file, size, "", 0);
    return put_tfrecord(file, size, "three", 5);
}

/* The record "abc" with checksums from a bit-by-bit implementation. */
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

TEST(tfrecord_source, reads_records)
{
    unsigned char file[64];
    holds(open_records, file, sample(file), "one||three|");
    holds(open_records, "", 0, "");
}

/* --- Compressed files ----------------------------------------------------- */

static const char *const compressed[] = { "gzip", "zlib", "members" };

enum { COMPRESSED = sizeof compressed / sizeof *compressed, RECORDS = 200 };

/* An open file of tests/golden/compressed. */
struct opened {
    struct memory *memory;
    varve_records *records;
};

static struct opened open_golden(
    const char *name, const varve_records_options *options)
{
    struct opened o = { .memory = memory_new() };
    struct vv_context context = test_context(memory_system(o.memory));
    varve_error error = { 0 };
    char file[64];
    size_t size;
    snprintf(file, sizeof file, "%s.tfrecord", name);
    unsigned char *bytes = read_compressed(file, &size, 0);
    memory_put(o.memory, "file", bytes, size);
    free(bytes);
    o.records = open_records(&context, options, &error);
    cr_assert(o.records, "%s: %s", name, error.message);
    return o;
}

static void close_golden(struct opened *o)
{
    varve_records_free(o->records);
    cr_assert_eq(memory_open_count(o->memory), 0);
    memory_free(o->memory);
}

/* Both must return the same records until both end. */
static void check_same(varve_records *one, varve_records *other)
{
    for (;;) {
        varve_batch a, b;
        varve_error error = { 0 };
        cr_assert_ok(varve_records_next(one, &a, &error), error);
        cr_assert_ok(varve_records_next(other, &b, &error), error);
        cr_assert_eq(a.count, b.count);
        if (a.count == 0)
            return;
        cr_assert_eq(a.records->index, b.records->index);
        cr_assert_eq(a.records->size, b.records->size);
        cr_assert(
            memcmp(a.records->data, b.records->data, a.records->size) == 0);
    }
}

TEST(tfrecord_source, reads_compressed_records_in_any_order)
{
    for (size_t i = 0; vv_inflater_exists() && i < COMPRESSED; i++) {
        for (unsigned how = 0; how < 4; how++) {
            const varve_records_options options = { .epochs = 2,
                .shuffle = how & 1, .no_content = how & 2 };
            struct opened plain = open_golden("plain", &options);
            struct opened o = open_golden(compressed[i], &options);
            cr_assert_eq(varve_records_count(o.records), RECORDS);
            check_same(plain.records, o.records);
            close_golden(&o);
            close_golden(&plain);
        }
    }
}

/* The position of one file is valid in the other, which has the same
 * content. */
TEST(tfrecord_source, resumes_compressed_files_at_each_record)
{
    const varve_records_options options = { .epochs = 1 };
    for (size_t at = 0; vv_inflater_exists() && at < RECORDS; at++) {
        struct opened plain = open_golden("plain", &options);
        struct opened o = open_golden(compressed[at % COMPRESSED], &options);
        varve_graph *graph = varve_graph_new(NULL);
        varve_node *node =
            varve_add_records(varve_graph_root(graph), "data", o.records);
        varve_error error = { 0 };
        varve_batch batch;
        for (size_t i = 0; i < at; i++)
            cr_assert_ok(
                varve_records_next(plain.records, &batch, &error), error);
        uint64_t *consumed = varve_data(varve_find(node, "consumed"));
        *consumed = at;
        check_same(plain.records, o.records);
        varve_graph_free(graph);
        close_golden(&o);
        close_golden(&plain);
    }
}

TEST(tfrecord_source, has_the_fingerprint_of_its_uncompressed_content)
{
    uint64_t fingerprints[COMPRESSED + 1][2];
    for (size_t i = 0; vv_inflater_exists() && i <= COMPRESSED; i++) {
        struct opened o =
            open_golden(i ? compressed[i - 1] : "plain", &plain_options);
        varve_graph *graph = varve_graph_new(NULL);
        varve_node *node =
            varve_add_records(varve_graph_root(graph), "data", o.records);
        memcpy(fingerprints[i], varve_data(varve_find(node, "fingerprint")),
            sizeof fingerprints[i]);
        cr_assert_arr_eq(
            fingerprints[i], fingerprints[0], sizeof fingerprints[0]);
        varve_graph_free(graph);
        close_golden(&o);
    }
}

TEST(tfrecord_source, reads_an_empty_compressed_file)
{
    size_t size;
    unsigned char *bytes = read_compressed("empty.tfrecord", &size, 0);
    static const unsigned char deflated[] = { 0x78, 0x9c, 3, 0, 0, 0, 0, 1 };
    if (vv_inflater_exists()) {
        holds(open_records, bytes, size, "");
        holds(open_records, deflated, sizeof deflated, "");
    }
    free(bytes);
}

TEST(tfrecord_source, reports_an_unsupported_compression)
{
    static const char *const says[] = {
        "compressed with GZIP: write the file without compression, or "
        "decompress it with gunzip",
        "compressed with ZLIB: write the file without compression"
    };
    for (size_t i = 0; !vv_inflater_exists() && i < 2; i++) {
        char name[64];
        size_t size;
        snprintf(name, sizeof name, "%s.tfrecord", compressed[i]);
        unsigned char *bytes = read_compressed(name, &size, 0);
        refuses(open_records, &plain_options, bytes, size, VARVE_TOO_NEW,
            says[i]);
        refuses(open_records, &lengths_only, bytes, size, VARVE_TOO_NEW,
            "without zlib");
        free(bytes);
    }
}

/* From the first deflated byte on; the checksums of gzip and zlib follow. */
TEST(tfrecord_source, finds_damage_in_compressed_data)
{
    for (size_t i = 0; vv_inflater_exists() && i < 2; i++) {
        char name[64];
        size_t size;
        snprintf(name, sizeof name, "%s.tfrecord", compressed[i]);
        unsigned char *bytes = read_compressed(name, &size, 9);
        for (size_t at = i ? 2 : 10; at < size; at += at < size - 9 ? 7 : 1) {
            struct memory *memory = memory_new();
            struct vv_context context = test_context(memory_system(memory));
            varve_error error = { 0 };
            bytes[at] ^= 1;
            memory_put(memory, "file", bytes, size);
            cr_assert_null(open_records(&context,
                at % 2 ? &plain_options : &lengths_only, &error), "%zu", at);
            cr_assert(error.status == VARVE_CORRUPT ||
                    error.status == VARVE_TRUNCATED, "%s", error.message);
            bytes[at] ^= 1;
            memory_free(memory);
        }
        for (size_t cut = 12; cut < size; cut += 31)
            refuses(open_records, &lengths_only, bytes, cut, VARVE_TRUNCATED,
                "end");
        memcpy(bytes + size, "GARBAGE!", 9);
        refuses(open_records, &plain_options, bytes, size + 9, VARVE_CORRUPT,
            i ? "more bytes after its end" : "corrupt bytes");
        free(bytes);
    }
}

TEST(tfrecord_source, handles_failed_calls_in_compressed_files)
{
    size_t size;
    unsigned char *bytes = read_compressed("small.tfrecord", &size, 0);
    if (vv_inflater_exists()) {
        holds(open_records, bytes, size, "one||three|");
        survives_faults(open_records, bytes, size, "one||three|");
    }
    free(bytes);
}

/* --- Damage --------------------------------------------------------------- */

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

TEST(tfrecord_source, finds_every_truncation)
{
    unsigned char file[64];
    size_t size = sample(file);
    for (size_t cut = 1; cut < size; cut++) {
        if (cut == 19 || cut == 35)
            continue; /* between two records */
        char says[64];
        snprintf(says, sizeof says, "the file ends at %zu", cut);
        refuses(open_records, &plain_options, file, cut, VARVE_TRUNCATED,
            says);
        refuses(open_records, &lengths_only, file, cut, VARVE_TRUNCATED,
            says);
    }
}

/* The checksum of the length is valid, as in a forged file. */
TEST(tfrecord_source, checks_the_length_against_the_file)
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
            "record at offset 0: ");
        refuses(open_records, &lengths_only, file, size, VARVE_TRUNCATED,
            "record at offset 0: ");
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

TEST(tfrecord_source, handles_failed_calls)
{
    unsigned char file[64];
    survives_faults(open_records, file, sample(file), "one||three|");
}
