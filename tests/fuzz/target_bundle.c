/* target_bundle.c - TensorFlow checkpoints, as they are and put together.
 *
 * An input that begins with 'R' is files: the size of an index in 4 bytes, the
 * index, and the bytes of its only shard. Anything else is read as records from
 * which an index is made whose blocks, sums and order are right, so that what
 * is behind them is reached: a byte of flags, and what enum kind says.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "bundle.h"
#include "bundle_dtype.h"
#include "bytes.h"
#include "crc32c.h"
#include "dtype.h"
#include "fuzz/bounded.h"
#include "fuzz/fuzz.h"
#include "fuzz/many_files.h"
#include "reader.h"
#include "table_out.h"
#include "wire_out.h"

#define INDEX FUZZ_STEM "index"
#define SHARD FUZZ_STEM "data-00000-of-00001"

enum { MOST_RECORDS = 64, MOST_SHARD = 1 << 16 };

enum flag {
    BIG_ENDIAN = 1,
    SMALL_BLOCKS = 2,
    NO_HEADER = 4,
    TWO_SHARDS = 8,
};

/* What the next record is: a byte of kind, a byte of the key's size, the key,
 * and then by kind: */
enum kind {
    RAW,     /* a byte of size, and an entry as it is */
    NUMBERS, /* a byte each of type, rank and extents: a tensor of the bytes in
                the shard from its beginning, with the right sum */
    TEXT,    /* two bytes of size and a string, with the right sums */
    GRAPH,   /* the same, under the key of the object graph */
    KINDS
};

struct record {
    const uint8_t *key;
    size_t key_size;
    size_t entry, entry_size; /* in making.entries */
};

struct input {
    const uint8_t *at;
    size_t left;
};

struct making {
    struct vv_buffer entries;
    struct vv_buffer shard;
    struct record records[MOST_RECORDS];
    size_t count;
    unsigned flags;
};

static void *allocate(void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, new_size);
}

static const varve_allocator plain = { .function = allocate };

/* --- Reading -------------------------------------------------------------- */

static void read_files(const uint8_t *index, size_t index_size,
    const uint8_t *shard, size_t shard_size)
{
    varve_error error = { 0 };
    struct many_files *files = calloc(1, sizeof *files);
    many_files_init(files);
    many_files_add(files, INDEX, sizeof INDEX - 1, index, index_size);
    many_files_add(files, SHARD, sizeof SHARD - 1, shard, shard_size);
    many_files_add(files, FUZZ_STEM "data-00000-of-00002",
        sizeof SHARD - 1, shard, shard_size);
    many_files_add(files, FUZZ_STEM "data-00001-of-00002",
        sizeof SHARD - 1, shard, shard_size);
    struct bounded bounded = bounded_by(4 * (index_size + shard_size));
    struct vv_context context = {
        bounded_allocator(&bounded), &files->one.system
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
    free(files);
}

/* --- Records -------------------------------------------------------------- */

static uint8_t take(struct input *in)
{
    if (in->left == 0)
        return 0;
    in->left--;
    return *in->at++;
}

static const uint8_t *take_bytes(struct input *in, size_t *size)
{
    const uint8_t *bytes = in->at;
    *size = *size < in->left ? *size : in->left;
    in->at += *size;
    in->left -= *size;
    return bytes;
}

static void add_numbers(struct making *m, struct input *in)
{
    struct vv_buffer *b = &m->entries;
    uint64_t number = take(in), size = 1;
    vv_wire_number(b, VV_ENTRY_DTYPE, number);
    unsigned rank = take(in) % 4;
    size_t shape = vv_wire_begin(b, VV_ENTRY_SHAPE);
    for (unsigned i = 0; i < rank; i++) {
        uint64_t extent = take(in) % 32;
        size_t dim = vv_wire_begin(b, VV_SHAPE_DIM);
        vv_wire_number(b, VV_DIM_SIZE, extent);
        vv_wire_end(b, dim);
        size *= extent;
    }
    vv_wire_end(b, shape);
    size *= vv_dtype_file_size(vv_bundle_dtype(number));
    if (size > m->shard.size)
        size = m->shard.size;
    vv_wire_number(b, VV_ENTRY_SIZE, size);
    vv_wire_fixed32(b, VV_ENTRY_SUM,
        vv_crc32c_mask(vv_crc32c(0, m->shard.data, (size_t)size)));
}

static void add_text(struct making *m, struct input *in)
{
    struct vv_buffer *b = &m->entries;
    size_t size = take(in);
    size |= (size_t)take(in) << 8;
    const uint8_t *text = take_bytes(in, &size);
    size_t begin = m->shard.size;
    uint8_t length[4];
    if (size > MOST_SHARD - begin)
        size = 0;
    vv_store32(length, (uint32_t)size);
    if (m->flags & BIG_ENDIAN)
        vv_store32(length, __builtin_bswap32((uint32_t)size));
    uint32_t sum = vv_crc32c(0, length, 4);
    uint32_t masked = vv_crc32c_mask(sum);
    vv_wire_varint(&m->shard, size);
    vv_buffer_add32(&m->shard,
        m->flags & BIG_ENDIAN ? __builtin_bswap32(masked) : masked);
    sum = vv_crc32c(sum, m->shard.data + m->shard.size - 4, 4);
    vv_buffer_add(&m->shard, text, size);
    sum = vv_crc32c(sum, text, size);
    vv_wire_number(b, VV_ENTRY_DTYPE, 7);
    vv_wire_end(b, vv_wire_begin(b, VV_ENTRY_SHAPE));
    vv_wire_number(b, VV_ENTRY_OFFSET, begin);
    vv_wire_number(b, VV_ENTRY_SIZE, m->shard.size - begin);
    vv_wire_fixed32(b, VV_ENTRY_SUM, vv_crc32c_mask(sum));
}

static void add_record(struct making *m, struct input *in)
{
    enum kind kind = take(in) % KINDS;
    struct record *r = &m->records[m->count++];
    *r = (struct record){ .key_size = take(in) % 64,
        .entry = m->entries.size };
    r->key = take_bytes(in, &r->key_size);
    if (kind == RAW) {
        size_t size = take(in);
        const uint8_t *bytes = take_bytes(in, &size);
        vv_buffer_add(&m->entries, bytes, size);
    } else if (kind == NUMBERS) {
        add_numbers(m, in);
    } else {
        add_text(m, in);
    }
    if (kind == GRAPH) {
        r->key = (const uint8_t *)VV_BUNDLE_GRAPH_KEY;
        r->key_size = sizeof VV_BUNDLE_GRAPH_KEY - 1;
    }
    r->entry_size = m->entries.size - r->entry;
}

/* --- The index ------------------------------------------------------------ */

static int compare(const void *left, const void *right)
{
    const struct record *a = left;
    const struct record *b = right;
    size_t both = a->key_size < b->key_size ? a->key_size : b->key_size;
    int order = both ? memcmp(a->key, b->key, both) : 0;
    return order ? order : (a->key_size > b->key_size) -
                               (a->key_size < b->key_size);
}

static void add_header(const struct making *m, struct vv_table_out *table)
{
    uint8_t header[] = { 8, m->flags & TWO_SHARDS ? 2 : 1, 16,
        m->flags & BIG_ENDIAN };
    if (!(m->flags & NO_HEADER))
        vv_table_out_add(table, "", 0, header, sizeof header);
}

static void read_made(struct making *m)
{
    struct vv_table_out table;
    vv_table_out_begin(&table, &plain);
    if (m->flags & SMALL_BLOCKS)
        table.block_size = 64;
    add_header(m, &table);
    qsort(m->records, m->count, sizeof *m->records, compare);
    for (size_t i = 0; i < m->count; i++) {
        const struct record *r = &m->records[i];
        bool is_first = i == 0 || compare(&m->records[i - 1], r) != 0;
        if (is_first && (r->key_size > 0 || m->flags & NO_HEADER))
            vv_table_out_add(&table, r->key, r->key_size,
                m->entries.data + r->entry, r->entry_size);
    }
    FUZZ_CHECK(vv_table_out_end(&table), "no memory");
    uint8_t *index = malloc(table.bytes.size); /* no room to read past */
    uint8_t *shard = malloc(m->shard.size + !m->shard.size);
    memcpy(index, table.bytes.data, table.bytes.size);
    memcpy(shard, m->shard.data, m->shard.size);
    read_files(index, table.bytes.size, shard, m->shard.size);
    free(index);
    free(shard);
    vv_table_out_clear(&table);
}

void fuzz_bundle(const uint8_t *bytes, size_t size)
{
    static const uint8_t first[] = "0123456789abcdef0123456789abcdef";
    if (size >= 5 && bytes[0] == 'R') {
        size_t index = vv_load32(bytes + 1) % (size - 4);
        read_files(bytes + 5, index, bytes + 5 + index, size - 5 - index);
        return;
    }
    struct making *m = calloc(1, sizeof *m);
    struct input in = { bytes, size };
    m->flags = take(&in);
    vv_buffer_init(&m->entries, &plain);
    vv_buffer_init(&m->shard, &plain);
    vv_buffer_add(&m->shard, first, sizeof first);
    while (in.left > 0 && m->count < MOST_RECORDS)
        add_record(m, &in);
    vv_buffer_add8(&m->entries, 0); /* so that there are some */
    read_made(m);
    vv_buffer_clear(&m->entries);
    vv_buffer_clear(&m->shard);
    free(m);
}
