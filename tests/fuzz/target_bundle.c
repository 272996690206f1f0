/* target_bundle.c - Fuzzes TensorFlow checkpoints: an index and its data
 * shards.
 *
 * An input for `bundle` is the length of the index (two bytes, little-endian),
 * the index, then the bytes of shard 0.
 *
 * An input for `bundle_entries` is the content of such files. All checksums are
 * made valid, so that the code after the checksum verification is reached:
 *
 *     a byte: 1: big-endian; 2: there is a graph; from 4: shards, less 1
 *     the graph: two bytes of length, then the bytes
 *     entries: length and bytes of the key; a byte for the kind of entry:
 *       0: length and bytes of the entry as it stands in the index
 *       1: type, rank (of 8), extents of a byte each: a value that fits
 *       2: number of strings (of 16), their lengths: a tensor of strings
 *       3: number of elements (of 4), their lengths: variants
 *       4: extent, where the first of two slices ends: a tensor in slices
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "bundle.h"
#include "bytes.h"
#include "crc.h"
#include "typed_memory.h"
#include "fuzz/bounded.h"
#include "fuzz/fuzz.h"
#include "fuzz/many_files.h"
#include "ordered_code.h"
#include "reader.h"
#include "table_out.h"
#include "wire.h"

#define PREFIX FUZZ_STEM
#define INDEX PREFIX "index"

/* An entry of an index takes at least 6 bytes, and keys share prefixes. The
 * memory for an entry is therefore a larger multiple of the file size than in
 * Varve's own format; the memory for its key is added. */
enum { INDEX_FACTOR = 64, VALUE_FACTOR = 24, KEY_FACTOR = 24 };

/* The maximum number of key bytes for each byte of an index: Snappy expands one
 * byte to 22, and 16 keys may share a prefix. */
enum { MOST_KEYS = 22 * 16 };

/* --- Reading -------------------------------------------------------------- */

static void read_files(struct many_files *files, size_t keys_size)
{
    varve_error error = { 0 };
    struct bounded bounded = bounded_by(0);
    bounded.bound += KEY_FACTOR * keys_size;
    for (size_t i = 0; i < files->count; i++)
        bounded.bound += (i ? VALUE_FACTOR : INDEX_FACTOR) *
                         files->files[i].size;
    struct vv_context context = {
        .allocator = bounded_allocator(&bounded),
        .system = &files->one.system,
    };
    varve_reader *reader = vv_reader_open_in(&context, INDEX, &error);
    if (reader)
        fuzz_look_at(reader, &bounded);
    else
        fuzz_check_failure(error.status, &error);
    varve_reader_free(reader);
    FUZZ_CHECK(files->one.opened == 0, "%d descriptors are left",
        files->one.opened);
    bounded_check_empty(&bounded);
}

static void add_file(
    struct many_files *files, const char *name, const void *bytes, size_t size)
{
    many_files_add(files, name, strlen(name), bytes, size);
}

void fuzz_bundle(const uint8_t *bytes, size_t size)
{
    if (size < 2)
        return;
    struct many_files files;
    size_t index = (size_t)(bytes[0] | bytes[1] << 8);
    bytes += 2;
    size -= 2;
    index = index < size ? index : size;
    many_files_init(&files);
    add_file(&files, INDEX, bytes, index);
    add_file(&files, PREFIX "data-00000-of-00001", bytes + index,
        size - index);
    read_files(&files, MOST_KEYS * index);
}

/* --- Making --------------------------------------------------------------- */

enum { MOST_ENTRIES = 256, MOST_SHARDS = 4 };

struct entry {
    struct vv_buffer key, value;
};

struct maker {
    const uint8_t *at, *end;
    varve_allocator allocator;
    bool is_big;
    unsigned shard_count;
    struct vv_buffer shards[MOST_SHARDS];
    struct entry entries[MOST_ENTRIES];
    size_t count;
};

static unsigned take(struct maker *m)
{
    return m->at < m->end ? *m->at++ : 0;
}

static const uint8_t *take_bytes(struct maker *m, size_t *size)
{
    size_t left = (size_t)(m->end - m->at);
    const uint8_t *bytes = m->at;
    *size = *size < left ? *size : left;
    m->at += *size;
    return bytes;
}

static void *allocate(void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(old);
        return NULL;
    }
    void *block = realloc(old, new_size);
    FUZZ_CHECK(block, "the machine is out of memory");
    return block;
}

static struct entry *new_entry(struct maker *m)
{
    struct entry *e = &m->entries[m->count++];
    vv_buffer_init(&e->key, &m->allocator);
    vv_buffer_init(&e->value, &m->allocator);
    return e;
}

static void add_number(struct maker *m, struct vv_buffer *to, uint64_t number,
    size_t width)
{
    uint8_t bytes[8];
    vv_store64(bytes, m->is_big ? __builtin_bswap64(number) : number);
    vv_buffer_add(to, m->is_big ? bytes + 8 - width : bytes, width);
}

static void put_entry(struct maker *m, struct entry *e, unsigned dtype,
    unsigned rank, const uint8_t *shape, const struct vv_buffer *stored,
    uint32_t sum)
{
    unsigned shard = (unsigned)(m->count % m->shard_count);
    vv_wire_number(&e->value, VV_ENTRY_DTYPE, dtype);
    size_t begin = vv_wire_begin(&e->value, VV_ENTRY_SHAPE);
    for (unsigned i = 0; i < rank; i++) {
        size_t dim = vv_wire_begin(&e->value, VV_SHAPE_DIM);
        vv_wire_number(&e->value, VV_DIM_SIZE, shape[i]);
        vv_wire_end(&e->value, dim);
    }
    vv_wire_end(&e->value, begin);
    if (!stored)
        return;
    vv_wire_number(&e->value, VV_ENTRY_SHARD, shard);
    vv_wire_number(&e->value, VV_ENTRY_OFFSET, m->shards[shard].size);
    vv_wire_number(&e->value, VV_ENTRY_SIZE, stored->size);
    vv_wire_fixed32(&e->value, VV_ENTRY_SUM, vv_crc32c_mask(sum));
    vv_buffer_add(&m->shards[shard], stored->data, stored->size);
}

static void add_counting(struct vv_buffer *to, size_t size)
{
    for (size_t i = 0; i < size; i++)
        vv_buffer_add8(to, (uint8_t)i);
}

static void make_numbers(struct maker *m, struct entry *e)
{
    struct vv_buffer stored;
    unsigned dtype = take(m);
    size_t rank = take(m) % 8;
    const uint8_t *shape = take_bytes(m, &rank);
    size_t size = vv_dtype_file_size(vv_bundle_dtype(dtype));
    for (size_t i = 0; i < rank; i++)
        size = size * shape[i] < 4096 ? size * shape[i] : 0;
    vv_buffer_init(&stored, &m->allocator);
    add_counting(&stored, size);
    put_entry(m, e, dtype, (unsigned)rank, shape, &stored,
        vv_crc32c(0, stored.data, stored.size));
    vv_buffer_clear(&stored);
}

static void make_strings(struct maker *m, struct entry *e, const void *text,
    size_t text_size, unsigned rank)
{
    struct vv_buffer stored, fixed;
    uint8_t count = text ? 1 : (uint8_t)(take(m) % 16);
    size_t total = 0;
    vv_buffer_init(&stored, &m->allocator);
    vv_buffer_init(&fixed, &m->allocator);
    for (unsigned i = 0; i < count; i++) {
        size_t length = text ? text_size : take(m);
        vv_wire_varint(&stored, length);
        add_number(m, &fixed, length, 4);
        total += length;
    }
    uint32_t sum = vv_crc32c(0, fixed.data, fixed.size);
    add_number(m, &stored, vv_crc32c_mask(sum), 4);
    sum = vv_crc32c(sum, stored.data + stored.size - 4, 4);
    size_t begin = stored.size;
    if (text)
        vv_buffer_add(&stored, text, text_size);
    else
        add_counting(&stored, total);
    sum = vv_crc32c(sum, stored.data + begin, stored.size - begin);
    put_entry(m, e, 7, rank, &count, &stored, sum);
    vv_buffer_clear(&stored);
    vv_buffer_clear(&fixed);
}

static void make_variants(struct maker *m, struct entry *e)
{
    struct vv_buffer stored, fixed;
    uint8_t count = (uint8_t)(take(m) % 4);
    uint32_t sum = 0;
    vv_buffer_init(&stored, &m->allocator);
    vv_buffer_init(&fixed, &m->allocator);
    for (unsigned i = 0; i < count; i++) {
        unsigned length = take(m);
        fixed.size = 0;
        add_number(m, &fixed, length, 8);
        sum = vv_crc32c(sum, fixed.data, 8);
        vv_wire_varint(&stored, length);
        size_t begin = stored.size;
        add_counting(&stored, length);
        sum = vv_crc32c(sum, stored.data + begin, length);
        add_number(m, &stored, vv_crc32c_mask(sum), 4);
        sum = vv_crc32c(sum, stored.data + stored.size - 4, 4);
    }
    put_entry(m, e, VV_BUNDLE_VARIANT, 1, &count, &stored, sum);
    vv_buffer_clear(&stored);
    vv_buffer_clear(&fixed);
}

static void put_slice(struct maker *m, struct entry *whole, int64_t start,
    int64_t length)
{
    if (m->count == MOST_ENTRIES)
        return;
    struct entry *e = new_entry(m);
    uint8_t extent = (uint8_t)length;
    struct vv_buffer stored;
    vv_buffer_init(&stored, &m->allocator);
    vv_slice_key(&e->key, (const char *)whole->key.data, whole->key.size, 1,
        (int64_t[]){ start, length });
    add_counting(&stored, extent);
    put_entry(m, e, 4, 1, &extent, &stored,
        vv_crc32c(0, stored.data, stored.size));
    vv_buffer_clear(&stored);
    size_t slice = vv_wire_begin(&whole->value, VV_ENTRY_SLICES);
    size_t begin = vv_wire_begin(&whole->value, VV_SLICE_EXTENT);
    vv_wire_number(&whole->value, VV_EXTENT_START, (uint64_t)start);
    vv_buffer_add8(&whole->value, VV_EXTENT_LENGTH << 3);
    vv_wire_varint(&whole->value, (uint64_t)length);
    vv_wire_end(&whole->value, begin);
    vv_wire_end(&whole->value, slice);
}

static void make_slices(struct maker *m, struct entry *e)
{
    uint8_t extent = (uint8_t)take(m);
    uint8_t end = (uint8_t)take(m);
    put_entry(m, e, 4, 1, &extent, NULL, 0);
    put_slice(m, e, 0, end);
    put_slice(m, e, end, end < extent ? extent - end : 1);
}

static void make_entry(struct maker *m)
{
    struct entry *e = new_entry(m);
    size_t size = take(m);
    const uint8_t *bytes = take_bytes(m, &size);
    vv_buffer_add(&e->key, bytes, size);
    switch (take(m) % 5) {
    case 1: make_numbers(m, e); return;
    case 2: make_strings(m, e, NULL, 0, 1); return;
    case 3: make_variants(m, e); return;
    case 4: make_slices(m, e); return;
    default: break;
    }
    size = take(m);
    bytes = take_bytes(m, &size);
    vv_buffer_add(&e->value, bytes, size);
}

/* --- Targets -------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
    const struct vv_buffer *x = &((const struct entry *)a)->key;
    const struct vv_buffer *y = &((const struct entry *)b)->key;
    size_t both = x->size < y->size ? x->size : y->size;
    int order = both ? memcmp(x->data, y->data, both) : 0;
    return order ? order : (x->size > y->size) - (x->size < y->size);
}

static void make_header(struct maker *m, struct vv_table_out *table)
{
    struct vv_buffer header;
    vv_buffer_init(&header, &m->allocator);
    vv_wire_number(&header, VV_HEADER_SHARD_COUNT, m->shard_count);
    vv_wire_number(&header, VV_HEADER_ENDIANNESS, m->is_big);
    vv_table_out_add(table, "", 0, header.data, header.size);
    vv_buffer_clear(&header);
}

static void make_graph(struct maker *m)
{
    static const uint8_t nothing[1];
    size_t size = take(m);
    size |= (size_t)take(m) << 8;
    const uint8_t *bytes = take_bytes(m, &size);
    struct entry *e = new_entry(m);
    vv_buffer_add_string(&e->key, VV_BUNDLE_GRAPH_KEY);
    make_strings(m, e, size ? bytes : nothing, size, 0);
}

static void read_made(struct maker *m, const struct vv_table_out *table)
{
    struct many_files files;
    size_t keys_size = 0;
    for (size_t i = 0; i < m->count; i++)
        keys_size += m->entries[i].key.size;
    many_files_init(&files);
    add_file(&files, INDEX, table->bytes.data, table->bytes.size);
    for (unsigned i = 0; i < m->shard_count; i++) {
        char name[64];
        snprintf(name, sizeof name, PREFIX "data-%05u-of-%05u", i,
            m->shard_count);
        add_file(&files, name,
            m->shards[i].data ? m->shards[i].data : (const uint8_t *)"",
            m->shards[i].size);
    }
    read_files(&files, keys_size);
}

static void make_table(struct maker *m)
{
    struct vv_table_out table;
    vv_table_out_begin(&table, &m->allocator);
    table.block_size = 512; /* several blocks */
    make_header(m, &table);
    qsort(m->entries, m->count, sizeof *m->entries, compare_entries);
    for (size_t i = 0; i < m->count; i++) {
        const struct entry *e = &m->entries[i];
        if (e->key.size > 0 &&
            (i == 0 || compare_entries(e - 1, e) != 0))
            vv_table_out_add(&table, e->key.data, e->key.size,
                e->value.size ? e->value.data : (const uint8_t *)"",
                e->value.size);
    }
    FUZZ_CHECK(vv_table_out_end(&table), "a table");
    read_made(m, &table);
    vv_table_out_clear(&table);
}

void fuzz_bundle_entries(const uint8_t *bytes, size_t size)
{
    struct maker *m = calloc(1, sizeof *m);
    FUZZ_CHECK(m, "the machine is out of memory");
    m->at = bytes;
    m->end = bytes + size;
    m->allocator = (varve_allocator){ .function = allocate };
    unsigned flags = take(m);
    m->is_big = flags & 1;
    m->shard_count = 1 + flags / 4 % MOST_SHARDS;
    for (unsigned i = 0; i < m->shard_count; i++)
        vv_buffer_init(&m->shards[i], &m->allocator);
    if (flags & 2)
        make_graph(m);
    while (m->at < m->end && m->count < MOST_ENTRIES)
        make_entry(m);
    make_table(m);
    for (unsigned i = 0; i < m->shard_count; i++)
        vv_buffer_clear(&m->shards[i]);
    for (size_t i = 0; i < m->count; i++) {
        vv_buffer_clear(&m->entries[i].key);
        vv_buffer_clear(&m->entries[i].value);
    }
    free(m);
}
