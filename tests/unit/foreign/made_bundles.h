/* made_bundles.h - Builds TensorFlow checkpoints entry by entry, in a system in
 * memory.
 *
 *     begin_bundle(); add_..., add_...; open_bundle() or refuse_bundle(); end
 *
 * Entries must be added in order of their keys.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_MADE_BUNDLES_H
#define UNIT_MADE_BUNDLES_H

#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "bundle.h"
#include "bytes.h"
#include "crc.h"
#include "hex.h"
#include "reader.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "table_out.h"
#include "wire.h"

#define INDEX "c.index"
#define SHARD "c.data-00000-of-00001"

enum { FLOAT = 1, INT32 = 3, STRING = 7, COMPLEX64 = 8, INT64 = 9 };

struct bundle_maker {
    struct memory *memory;
    struct vv_table_out table;
    struct vv_buffer data; /* of the only shard */
    bool no_shard;
};

static struct bundle_maker maker;

/* An entry of the index. Fields that are 0 are omitted, as by protobuf. */
struct index_entry {
    uint64_t dtype, shard, offset, size;
    uint32_t sum;
    int rank;
    int64_t shape[20];
    const unsigned char *slices; /* their encoded fields */
    size_t slices_size;
};

static inline void add_raw(
    const char *key, size_t size, const void *value, size_t value_size)
{
    vv_table_out_add(&maker.table, key, size, value, value_size);
}

static inline void add_index_entry(
    const char *key, size_t key_size, const struct index_entry *t)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    vv_wire_number(&b, VV_ENTRY_DTYPE, t->dtype);
    size_t shape = vv_wire_begin(&b, VV_ENTRY_SHAPE);
    for (int i = 0; i < t->rank; i++) {
        size_t dim = vv_wire_begin(&b, VV_SHAPE_DIM);
        vv_wire_number(&b, VV_DIM_SIZE, (uint64_t)t->shape[i]);
        vv_wire_end(&b, dim);
    }
    vv_wire_end(&b, shape);
    vv_wire_number(&b, VV_ENTRY_SHARD, t->shard);
    vv_wire_number(&b, VV_ENTRY_OFFSET, t->offset);
    vv_wire_number(&b, VV_ENTRY_SIZE, t->size);
    vv_wire_fixed32(&b, VV_ENTRY_SUM, t->sum);
    vv_buffer_add(&b, t->slices, t->slices_size);
    add_raw(key, key_size, b.data ? b.data : (const void *)"", b.size);
    vv_buffer_clear(&b);
}

/* Adds a header with a number of shards. */
static inline void add_header(uint64_t shards, uint64_t endianness)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    vv_wire_number(&b, VV_HEADER_SHARD_COUNT, shards);
    vv_wire_number(&b, VV_HEADER_ENDIANNESS, endianness);
    size_t version = vv_wire_begin(&b, VV_HEADER_VERSION);
    vv_wire_number(&b, VV_VERSION_PRODUCER, 1);
    vv_wire_end(&b, version);
    add_raw("", 0, b.data, b.size);
    vv_buffer_clear(&b);
}

static inline void begin_empty_bundle(void)
{
    maker.memory = memory_new();
    maker.no_shard = false;
    vv_table_out_begin(&maker.table, test_allocator());
    vv_buffer_init(&maker.data, test_allocator());
}

static inline void begin_bundle(void)
{
    begin_empty_bundle();
    add_header(1, 0);
}

/* Adds a value with these stored bytes; `entry` contains its type and shape. */
static inline void add_value(
    const char *key, struct index_entry t, const void *bytes, size_t size)
{
    t.offset = maker.data.size;
    t.size = size;
    t.sum = t.sum ? t.sum : vv_crc32c_mask(vv_crc32c(0, bytes, size));
    vv_buffer_add(&maker.data, bytes, size);
    add_index_entry(key, strlen(key), &t);
}

static inline void add_floats(const char *key, int64_t count)
{
    unsigned char bytes[256];
    for (int64_t i = 0; i < count; i++) {
        float value = (float)i;
        uint32_t bits;
        memcpy(&bits, &value, 4);
        vv_store32(bytes + 4 * i, bits);
    }
    add_value(key,
        (struct index_entry){ .dtype = FLOAT, .rank = 1, .shape = { count } },
        bytes, 4 * (size_t)count);
}

/* Adds a scalar string with its checksums. */
static inline void add_string(const char *key, const void *text, size_t size)
{
    struct vv_buffer b;
    unsigned char length[4];
    vv_buffer_init(&b, test_allocator());
    vv_wire_varint(&b, size);
    vv_store32(length, (uint32_t)size);
    uint32_t sum = vv_crc32c(0, length, 4);
    size_t at = b.size;
    vv_buffer_add32(&b, vv_crc32c_mask(sum));
    sum = vv_crc32c(sum, b.data + at, 4);
    vv_buffer_add(&b, text, size);
    sum = vv_crc32c(sum, text, size);
    add_value(key,
        (struct index_entry){ .dtype = STRING, .sum = vv_crc32c_mask(sum) },
        b.data, b.size);
    vv_buffer_clear(&b);
}

static inline void put_bundle(void)
{
    cr_assert(vv_table_out_end(&maker.table));
    memory_put(
        maker.memory, INDEX, maker.table.bytes.data, maker.table.bytes.size);
    if (!maker.no_shard)
        memory_put(maker.memory, SHARD, maker.data.data, maker.data.size);
    vv_table_out_clear(&maker.table);
    vv_buffer_clear(&maker.data);
}

static inline varve_reader *try_bundle(varve_error *error)
{
    struct vv_context context = test_context(memory_system(maker.memory));
    *error = (varve_error){ 0 };
    return vv_reader_open_in(&context, "c", error);
}

static inline varve_reader *open_bundle(void)
{
    varve_error error;
    put_bundle();
    varve_reader *reader = try_bundle(&error);
    cr_assert(reader, "%s", error.message);
    return reader;
}

static inline void end_bundle(varve_reader *reader)
{
    varve_reader_free(reader);
    cr_assert_eq(memory_open_count(maker.memory), 0);
    memory_free(maker.memory);
    cr_assert_eq(test_block_count(), 0);
}

/* Asserts that the checkpoint cannot be opened, with this error. */
static inline void refuse_bundle(varve_status status, const char *says)
{
    varve_error error;
    put_bundle();
    varve_reader *reader = try_bundle(&error);
    cr_assert_null(reader, "is accepted, where it should say %s", says);
    cr_assert_eq(error.status, status, "%s: %s",
        varve_status_name(error.status), error.message);
    cr_assert(strstr(error.message, says), "%s\nnot: %s", error.message, says);
    end_bundle(NULL);
}

/* Asserts the bytes of the value at a path. */
static inline void check_bytes(
    varve_reader *reader, const char *path, const char *hex)
{
    unsigned char bytes[512];
    varve_error error;
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, path, &node), "%s", path);
    cr_assert(node.has_value && node.size <= sizeof bytes, "%s", path);
    cr_assert_ok(
        varve_reader_read(reader, node.id, bytes, sizeof bytes, &error), error);
    cr_assert(hex_equal(bytes, (size_t)node.size, hex), "%s", path);
}

/* Asserts that the value at a path cannot be read, with this error. */
static inline void refuse_value(
    varve_reader *reader, const char *path, const char *says)
{
    unsigned char bytes[512];
    varve_error error = { 0 };
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, path, &node), "%s", path);
    cr_assert_eq(
        varve_reader_read(reader, node.id, bytes, sizeof bytes, &error),
        VARVE_CORRUPT, "%s", error.message);
    cr_assert(strstr(error.message, says), "%s\nnot: %s", error.message, says);
}

#endif
