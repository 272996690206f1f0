/* test_bundle_out.c - Tests writing the index and the shards of TensorFlow
 * checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_out.h"

#include <stdio.h>

#include "bundle_entry.h"
#include "bundles.h"
#include "bytes.h"
#include "crc.h"
#include "unit/foreign/written.h"

static varve_tensor type_of(varve_dtype dtype, uint32_t rank, uint64_t extent,
    uint64_t other)
{
    return (varve_tensor){ .dtype = dtype, .rank = rank,
        .shape = { extent, other } };
}

/* Writes "w" float32[2,3] = 0 to 5, "s" string[2] = hello, world. */
static varve_status write_golden(
    const struct vv_context *context, uint64_t shard_size, varve_error *error)
{
    static const uint64_t lengths[] = { 5, 5 };
    unsigned char w[24];
    struct vv_bundle_out out;
    for (int i = 0; i < 6; i++) {
        float value = (float)i;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        vv_store32(w + 4 * i, bits);
    }
    varve_status status =
        vv_bundle_out_begin(&out, context, "m", 0, shard_size, error);
    if (status)
        return status;
    status = add_value(&out, "w", type_of(VARVE_FLOAT32, 2, 2, 3), w, sizeof w,
        NULL, error);
    if (!status)
        status = add_value(&out, "s", type_of(VARVE_STRING, 1, 2, 0),
            "helloworld", 10, lengths, error);
    return vv_bundle_out_end(&out, status, error);
}

static const char golden_index[] =
    "00000608011a020801"
    "00011173080712041202080220182810351b4cd607"
    "00011377080112081202080212020803281835c0db3d17"
    "0000000001000000001b0f292e"
    "000000000100000000c0f2a1b0"
    "00010278003d000000000100000000793006f4"
    "42084f0e"
    "000000000000000000000000000000000000000000000000000000000000000000000000"
    "57fb808b247547db";

/* TensorFlow 2.21 (SaveV2) wrote these two files. */
TEST(bundle_out, writes_the_bytes_that_tensorflow_writes)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_error error;
    size_t size;
    cr_assert_ok(write_golden(&context, 0, &error), error);
    const unsigned char *bytes = memory_bytes(memory, "m.index", &size);
    cr_assert(hex_equal(bytes, size, golden_index));
    bytes = memory_bytes(memory, "m.data-00000-of-00001", &size);
    cr_assert(hex_equal(bytes, size,
        "000000000000803f0000004000004040000080400000a040"
        "0505b56f994f68656c6c6f776f726c64"));
    memory_free(memory);
}

/* --- TensorFlow checkpoints, written again ------------------------------- */

/* Returns the content of a golden file, to be freed. */
static unsigned char *read_golden(
    const char *name, const char *ending, size_t *size)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s%s", FOREIGN_DIRECTORY, name, ending);
    return test_read_file(path, size);
}

static unsigned char *read_shard(
    const char *name, uint64_t shard, uint64_t count, size_t *size)
{
    char ending[40];
    snprintf(ending, sizeof ending, ".data-%05d-of-%05d", (int)shard,
        (int)count);
    return read_golden(name, ending, size);
}

/* Returns the next entry in the order of the data file. */
static struct vv_bundle_entry *next_entry(
    struct vv_bundle *bundle, uint32_t shard)
{
    struct vv_bundle_entry *next = NULL;
    for (size_t i = 0; i < bundle->entry_count; i++) {
        struct vv_bundle_entry *entry = &bundle->entries[i];
        if (!entry->is_added && entry->shard == shard &&
            (!next || entry->offset < next->offset ||
                (entry->offset == next->offset && entry->size < next->size)))
            next = entry;
    }
    return next;
}

/* Adds strings as stored in a file. */
static varve_status add_strings(struct vv_bundle_out *out,
    struct vv_bundle_value *value, uint64_t count, varve_error *error)
{
    unsigned char *lengths = malloc(8 * (size_t)count + 1);
    const unsigned char *at = value->bytes;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t length = 0;
        unsigned shift = 0;
        do
            length |= (uint64_t)(*at & 127) << shift;
        while (shift += 7, *at++ & 128);
        vv_store64(lengths + 8 * i, length);
        sum += length;
    }
    value->lengths = lengths;
    value->bytes = at + 4;
    value->size = sum;
    varve_status status = vv_bundle_out_add(out, value, error);
    free(lengths);
    return status;
}

static void add_shard(struct vv_bundle_out *out, struct vv_bundle *bundle,
    uint32_t shard, const unsigned char *bytes)
{
    struct vv_bundle_entry *entry;
    varve_error error;
    while ((entry = next_entry(bundle, shard))) {
        struct vv_bundle_value value = { .key = entry->key,
            .key_size = entry->key_size,
            .type = vv_bundle_tensor(bundle, entry),
            .bytes = bytes + entry->offset,
            .size = entry->size };
        entry->is_added = true;
        cr_assert_ok(value.type.dtype == VARVE_STRING
                ? add_strings(out, &value, entry->count, &error)
                : vv_bundle_out_add(out, &value, &error), error);
    }
}

static void check_shard(struct memory *memory, const char *name,
    uint64_t shard, uint64_t count)
{
    char path[40];
    size_t size;
    unsigned char *bytes = read_shard(name, shard, count, &size);
    snprintf(path, sizeof path, "m.data-%05d-of-%05d", (int)shard, (int)count);
    cr_assert(file_is(memory, path, bytes, size), "%s: %s", name, path);
    free(bytes);
}

/* Writes every value again, in the order of the data files. */
static void copy_golden(const char *name)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_bundle bundle = { .context = &context, .path = name };
    struct vv_bundle_out out;
    varve_error error;
    size_t size;
    unsigned char *index = read_golden(name, ".index", &size);
    cr_assert_ok(vv_bundle_read_index(&bundle, index, size, &error), error);
    cr_assert_ok(
        vv_bundle_out_begin(&out, &context, "m", 0, 0, &error), error);
    for (uint32_t i = 0; i < bundle.shard_count; i++) {
        size_t shard_size;
        unsigned char *bytes =
            read_shard(name, i, bundle.shard_count, &shard_size);
        if (i > 0)
            cr_assert_ok(vv_bundle_files_shard(&out.files, &error), error);
        add_shard(&out, &bundle, i, bytes);
        free(bytes);
    }
    cr_assert_ok(vv_bundle_out_end(&out, 0, &error), error);
    cr_assert(file_is(memory, "m.index", index, size), "%s", name);
    for (uint32_t i = 0; i < bundle.shard_count; i++)
        check_shard(memory, name, i, bundle.shard_count);
    free(index);
    vv_bundle_clear(&bundle);
    memory_free(memory);
}

/* All golden files except those with slices, quantized types or types that
 * Varve does not support. */
TEST(bundle_out, copies_golden_bundles_byte_for_byte)
{
    static const char *const names[] = { "containers", "cycle_and_sharing",
        "empty", "flat_names", "keras2_functional", "keras2_mixed_precision",
        "keras2_new_adam", "keras2_rmsprop", "keras2_rnn_embedding",
        "keras2_root", "keras2_sgd_momentum", "keras2_subclassed",
        "keras3_adam", "keras3_functional", "keras3_mixed_precision",
        "keras3_subclassed", "keras_adam", "managed/ckpt-2", "managed/ckpt-3",
        "merged_shards", "module", "names", "old_saver", "python_state",
        "random_generators", "same_global_names",
        "saved_model/variables/variables", "saved_with_counter-1", "shapes",
        "shards_by_task", "strings", "tables",
        "tensors_of_all_types", "variables_of_all_types" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        copy_golden(names[i]);
}

/* --- Bytes --------------------------------------------------------------- */

static void add_number(struct vv_bundle_out *out, const char *key, size_t size,
    uint32_t number)
{
    varve_error error;
    unsigned char bytes[4];
    vv_store32(bytes, number);
    cr_assert_ok(vv_bundle_out_add(out,
        &(struct vv_bundle_value){ .key = key, .key_size = size,
            .type = { .dtype = VARVE_INT32 }, .bytes = bytes, .size = 4 },
        &error), error);
}

/* Several full blocks, a huge entry, keys of bytes 0xff. Size and checksum are
 * those of the files that TensorFlow 2.21 (SaveV2) wrote for the same values in
 * the same order. */
TEST(bundle_out, writes_indexes_of_many_blocks_like_tensorflow)
{
    static char key[600000];
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_bundle_out out;
    varve_error error;
    size_t size;
    cr_assert_ok(
        vv_bundle_out_begin(&out, &context, "m", 0, 0, &error), error);
    for (uint32_t i = 7000; i-- > 0;) {
        memset(key, 'k', 100);
        snprintf(key, sizeof key, "%05u", i);
        key[5] = '/';
        add_number(&out, key, 6 + i * 7 % 90, i);
    }
    memset(key, 'z', sizeof key);
    add_number(&out, "\xff\xff", 2, 7000);
    add_number(&out, key, sizeof key, 7001);
    add_number(&out, "z", 1, 7002);
    add_number(&out, "\xff\xfe", 2, 7003);
    cr_assert_ok(vv_bundle_out_end(&out, 0, &error), error);
    const unsigned char *bytes = memory_bytes(memory, "m.index", &size);
    cr_assert_eq(size, 1051765);
    cr_assert_eq(vv_crc32c(0, bytes, size), 0xc7922348);
    bytes = memory_bytes(memory, "m.data-00000-of-00001", &size);
    cr_assert_eq(size, 28016);
    cr_assert_eq(vv_crc32c(0, bytes, size), 0xdb2e7d7b);
    memory_free(memory);
}

/* As TensorFlow writes them: an extent of 0 is omitted, and so is a size, but
 * strings without elements have the checksum of their lengths. */
TEST(bundle_out, writes_values_without_elements)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_bundle_out out;
    varve_error error;
    size_t size;
    cr_assert_ok(
        vv_bundle_out_begin(&out, &context, "m", 0, 0, &error), error);
    cr_assert_ok(add_value(&out, "e", type_of(VARVE_FLOAT32, 2, 0, 3), NULL, 0,
        NULL, &error), error);
    cr_assert_ok(add_value(&out, "es", type_of(VARVE_STRING, 1, 0, 0), NULL, 0,
        NULL, &error), error);
    cr_assert_ok(vv_bundle_out_end(&out, 0, &error), error);
    const unsigned char *bytes =
        memory_bytes(memory, "m.data-00000-of-00001", &size);
    cr_assert(hex_equal(bytes, size, "d8ea82a2"));
    bytes = memory_bytes(memory, "m.index", &size);
    cr_assert(hex_equal(bytes + 9, 4 + 15 + 4 + 13,
        "00010f65 08011206120012020803 35d8ea82a2"
        "01010d73 080712021200 280435f6c10c64"));
    memory_free(memory);
}

/* A length of 2^32 or more is checksummed as 64 bits. The test does not need so
 * much memory. */
TEST(bundle_out, computes_checksums_of_lengths_in_32_or_64_bits)
{
    static const uint64_t lengths[] = { UINT64_C(1) << 32, 3 };
    unsigned char fixed[12], masked[4];
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_bundle_out out;
    varve_error error;
    cr_assert_ok(
        vv_bundle_out_begin(&out, &context, "m", 0, 0, &error), error);
    cr_assert_ok(add_value(&out, "s", type_of(VARVE_STRING, 1, 2, 0), "abc", 3,
        lengths, &error), error);
    cr_assert_ok(vv_bundle_out_end(&out, 0, &error), error);
    vv_store64(fixed, lengths[0]);
    vv_store32(fixed + 8, 3);
    vv_store32(masked, vv_crc32c_mask(vv_crc32c(0, fixed, sizeof fixed)));
    cr_assert(
        file_has(memory, "m.data-00000-of-00001", masked, sizeof masked));
    memory_free(memory);
}

TEST(bundle_out, starts_a_new_shard_before_a_value_that_does_not_fit)
{
    static const unsigned char bytes[100];
    static const uint64_t sizes[] = { 4, 6, 1, 20, 0, 4, 4, 2, 1 };
    static const uint64_t expected[] = { 10, 1, 20, 10, 1 };
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_bundle_out out;
    varve_error error;
    cr_assert_ok(
        vv_bundle_out_begin(&out, &context, "m", 0, 10, &error), error);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char key[2] = { (char)('a' + i), '\0' };
        cr_assert_ok(add_value(&out, key, type_of(VARVE_UINT8, 1, sizes[i], 0),
            bytes, sizes[i], NULL, &error), error);
    }
    cr_assert_ok(vv_bundle_out_end(&out, 0, &error), error);
    for (int i = 0; i < 5; i++) {
        char path[40];
        size_t size;
        snprintf(path, sizeof path, "m.data-%05d-of-00005", i);
        cr_assert(memory_bytes(memory, path, &size), "%s", path);
        cr_assert_eq(size, expected[i], "%s", path);
    }
    /* the header, and shard and size of "d" */
    cr_assert(file_has(memory, "m.index", "\x08\x05\x1a\x02\x08\x01", 6));
    cr_assert(file_has(memory, "m.index", "\x18\x02\x28\x14\x35", 5));
    memory_free(memory);
}

TEST(bundle_out, refuses_duplicate_keys_and_too_large_shapes)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_bundle_out out;
    varve_error error;
    cr_assert_ok(
        vv_bundle_out_begin(&out, &context, "m", 0, 0, &error), error);
    varve_tensor huge = type_of(VARVE_INT8, 2, UINT64_C(1) << 63, 0);
    cr_assert_eq(
        add_value(&out, "b", huge, NULL, 0, NULL, &error), VARVE_LIMIT);
    cr_assert_str_eq(error.message,
        "m: b: extents must be less than 2^63, not 9223372036854775808");
    add_number(&out, "a", 1, 1);
    add_number(&out, "b", 1, 1);
    add_number(&out, "a", 1, 1);
    cr_assert_eq(vv_bundle_out_end(&out, 0, &error), VARVE_DUPLICATE);
    cr_assert_str_eq(error.message,
        "m: two values have the key \"a\"");
    cr_assert_eq(memory_file_count(memory), 0);
    memory_free(memory);
}

TEST(bundle_out, leaves_no_file_without_memory)
{
    for (long n = 0;; n++) {
        struct memory *memory = memory_new();
        struct vv_context context = test_context(memory_system(memory));
        varve_error error;
        test_fail_allocation(n, false);
        varve_status status = write_golden(&context, 20, &error);
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        cr_assert_eq(memory_file_count(memory), status ? 0 : 3);
        cr_assert_eq(memory_open_count(memory), 0);
        memory_free(memory);
        if (status == VARVE_OK)
            break;
    }
}
