/* made_bundle.h - Builds TensorFlow checkpoints: an index, shards, and an
 * object graph.
 *
 *     made_begin(&m, "08011a020801");
 *     made_floats(&m, "w", 2, (uint64_t[]){ 2, 3 });
 *     made_put(&m, memory, "x");
 *
 * Entries must be added in order of their keys.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_MADE_BUNDLE_H
#define UNIT_MADE_BUNDLE_H

#include <stdio.h>

#include "bundle.h"
#include "crc.h"
#include "ordered_code.h"
#include "table_out.h"
#include "typed_memory.h"
#include "unit/foreign/hex.h"
#include "unit/foreign/safetensors.h"
#include "wire.h"

#define PLAIN_HEADER "08011a020801"
#define BIG_HEADER "080110011a020801"

enum { MADE_SHARDS = 3 };

struct made {
    struct vv_table_out table;
    struct vv_buffer shards[MADE_SHARDS];
    unsigned shard; /* the shard of the next values */
    unsigned shard_count;
    struct vv_buffer graph;
};

struct made_entry {
    uint32_t dtype;
    uint32_t rank;
    const uint64_t *shape;
    uint32_t shard;
    uint64_t offset, size;
    uint32_t sum; /* masked */
    const int64_t *pairs; /* for slices; a length of -1 means all */
    size_t slice_count;
};

static inline void made_begin(struct made *m, const char *header)
{
    size_t size;
    unsigned char *bytes = hex_bytes(header, &size);
    *m = (struct made){ .shard_count = bytes[1] };
    vv_table_out_begin(&m->table, test_allocator());
    vv_buffer_init(&m->graph, test_allocator());
    for (int i = 0; i < MADE_SHARDS; i++)
        vv_buffer_init(&m->shards[i], test_allocator());
    vv_table_out_add(&m->table, "", 0, bytes, size);
    free(bytes);
}

static inline void made_shape(
    struct vv_buffer *b, uint32_t rank, const uint64_t *shape)
{
    size_t begin = vv_wire_begin(b, VV_ENTRY_SHAPE);
    for (uint32_t i = 0; i < rank; i++) {
        size_t dim = vv_wire_begin(b, VV_SHAPE_DIM);
        vv_wire_number(b, VV_DIM_SIZE, shape[i]);
        vv_wire_end(b, dim);
    }
    vv_wire_end(b, begin);
}

static inline void made_slice(
    struct vv_buffer *b, uint32_t rank, const int64_t *pairs)
{
    size_t begin = vv_wire_begin(b, VV_ENTRY_SLICES);
    for (uint32_t i = 0; i < rank; i++) {
        size_t extent = vv_wire_begin(b, VV_SLICE_EXTENT);
        vv_wire_number(b, VV_EXTENT_START, (uint64_t)pairs[2 * i]);
        if (pairs[2 * i + 1] == 0) { /* written even if it is 0 */
            vv_buffer_add8(b, VV_EXTENT_LENGTH << 3);
            vv_buffer_add8(b, 0);
        } else if (pairs[2 * i + 1] != -1) {
            vv_wire_number(b, VV_EXTENT_LENGTH, (uint64_t)pairs[2 * i + 1]);
        }
        vv_wire_end(b, extent);
    }
    vv_wire_end(b, begin);
}

static inline void made_add(struct made *m, const void *key, size_t key_size,
    const struct made_entry *e)
{
    struct vv_buffer value;
    vv_buffer_init(&value, test_allocator());
    vv_wire_number(&value, VV_ENTRY_DTYPE, e->dtype);
    made_shape(&value, e->rank, e->shape);
    vv_wire_number(&value, VV_ENTRY_SHARD, e->shard);
    vv_wire_number(&value, VV_ENTRY_OFFSET, e->offset);
    vv_wire_number(&value, VV_ENTRY_SIZE, e->size);
    vv_wire_fixed32(&value, VV_ENTRY_SUM, e->sum);
    for (size_t i = 0; i < e->slice_count; i++)
        made_slice(&value, e->rank, e->pairs + 2 * e->rank * i);
    vv_table_out_add(&m->table, key, key_size, value.data, value.size);
    vv_buffer_clear(&value);
}

/* Adds an entry whose bytes are appended to its shard. */
static inline void made_bytes(struct made *m, const void *key, size_t key_size,
    struct made_entry e, const void *bytes, size_t size)
{
    struct vv_buffer *shard = &m->shards[m->shard];
    e.shard = m->shard;
    e.offset = shard->size;
    e.size = size;
    if (e.sum == 0)
        e.sum = vv_crc32c_mask(vv_crc32c(0, bytes, size));
    vv_buffer_add(shard, bytes, size);
    made_add(m, key, key_size, &e);
}

/* Adds a value of bytes 0, 1, 2, ... */
static inline void made_counting(struct made *m, const char *key,
    uint32_t dtype, uint32_t rank, const uint64_t *shape, size_t size)
{
    unsigned char bytes[256];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)i;
    made_bytes(m, key, strlen(key),
        (struct made_entry){ .dtype = dtype, .rank = rank, .shape = shape },
        bytes, size);
}

static inline void made_length(struct vv_buffer *b, uint64_t length, bool swap)
{
    vv_buffer_add32(b,
        swap ? __builtin_bswap32((uint32_t)length) : (uint32_t)length);
}

/* Adds strings: lengths, their checksum, the strings. Both checksums cover the
 * lengths as 4 bytes each, in the writer's byte order. */
static inline void made_strings(struct made *m, const char *key, uint32_t rank,
    uint64_t count, const char *const *texts, const size_t *sizes, bool swap)
{
    struct vv_buffer fixed, stored;
    struct made_entry e = { .dtype = 7, .rank = rank, .shape = &count };
    vv_buffer_init(&fixed, test_allocator());
    vv_buffer_init(&stored, test_allocator());
    for (uint64_t i = 0; i < count; i++) {
        vv_wire_varint(&stored, sizes[i]);
        made_length(&fixed, sizes[i], swap);
    }
    uint32_t sum = vv_crc32c(0, fixed.data, fixed.size);
    made_length(&stored, vv_crc32c_mask(sum), swap);
    sum = vv_crc32c(sum, stored.data + stored.size - 4, 4);
    for (uint64_t i = 0; i < count; i++) {
        vv_buffer_add(&stored, texts[i], sizes[i]);
        sum = vv_crc32c(sum, texts[i], sizes[i]);
    }
    e.sum = vv_crc32c_mask(sum);
    made_bytes(m, key, strlen(key), e, stored.data, stored.size);
    vv_buffer_clear(&fixed);
    vv_buffer_clear(&stored);
}

static inline void made_string(
    struct made *m, const char *key, const char *text, size_t size)
{
    made_strings(m, key, 0, 1, &text, &size, false);
}

/* Writes the files and frees the builder. */
static inline void made_put(
    struct made *m, struct memory *memory, const char *prefix)
{
    char path[128];
    cr_assert(vv_table_out_end(&m->table));
    snprintf(path, sizeof path, "%s.index", prefix);
    memory_put(memory, path, m->table.bytes.data, m->table.bytes.size);
    vv_table_out_clear(&m->table);
    for (unsigned i = 0; i < MADE_SHARDS; i++) {
        snprintf(path, sizeof path, "%s.data-%05u-of-%05u", prefix, i,
            m->shard_count);
        if (i < m->shard_count)
            memory_put(memory, path,
                m->shards[i].size ? m->shards[i].data
                                  : (const unsigned char *)"",
                m->shards[i].size);
        vv_buffer_clear(&m->shards[i]);
    }
    vv_buffer_clear(&m->graph);
}

/* --- Object graphs -------------------------------------------------------- */

/* Adds the next node; its records must be complete. */
static inline void made_node(struct made *m, const struct vv_buffer *records)
{
    vv_wire_bytes(&m->graph, VV_OBJECTS_NODE, records->data, records->size);
    if (records->size == 0) { /* an empty message is written too */
        vv_buffer_add8(&m->graph, VV_OBJECTS_NODE << 3 | 2);
        vv_buffer_add8(&m->graph, 0);
    }
}

static inline void made_child(
    struct vv_buffer *node, const char *name, uint32_t child)
{
    size_t begin = vv_wire_begin(node, VV_OBJECT_CHILD);
    vv_wire_number(node, VV_CHILD_NODE, child);
    vv_wire_bytes(node, VV_CHILD_NAME, name, strlen(name));
    vv_wire_end(node, begin);
}

static inline void made_attribute(struct vv_buffer *node, const char *name,
    const char *full_name, const char *key)
{
    size_t begin = vv_wire_begin(node, VV_OBJECT_ATTRIBUTE);
    vv_wire_bytes(node, VV_ATTRIBUTE_NAME, name, strlen(name));
    vv_wire_bytes(node, VV_ATTRIBUTE_FULL_NAME, full_name, strlen(full_name));
    vv_wire_bytes(node, VV_ATTRIBUTE_KEY, key, strlen(key));
    vv_wire_end(node, begin);
}

static inline void made_slot(struct vv_buffer *node, uint32_t variable,
    const char *name, uint32_t slot)
{
    size_t begin = vv_wire_begin(node, VV_OBJECT_SLOT);
    vv_wire_number(node, VV_SLOT_VARIABLE, variable);
    vv_wire_bytes(node, VV_SLOT_NAME, name, strlen(name));
    vv_wire_number(node, VV_SLOT_NODE, slot);
    vv_wire_end(node, begin);
}

/* Adds the entry of the graph; it precedes entries with lower-case names. */
static inline void made_put_graph(struct made *m)
{
    made_string(m, VV_BUNDLE_GRAPH_KEY,
        m->graph.size ? (const char *)m->graph.data : "", m->graph.size);
}

#endif
