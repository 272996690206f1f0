/* table_in.c - Reads the footer, the index block and the data blocks, and
 * checks the CRC of each block before it is parsed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "table_in.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "allocator.h"
#include "buffer.h"
#include "bytes.h"
#include "crc.h"
#include "failure.h"
#include "try.h"
#include "wire.h"

/* --- Snappy --------------------------------------------------------------- */

enum {
    MOST_SIZE_BYTES = 5, /* of the varint; the size has 32 bits */
    MOST_RATIO = 22,     /* a copy of 64 bytes takes at least 3 bytes */
    SHORT_LITERAL = 60,  /* a tag holds the size of shorter literals */
};

/* The two lowest bits of a tag. */
enum { LITERAL = 0, COPY_NEAR = 1, KIND_MASK = 3 };

struct unpacking {
    const unsigned char *at;
    const unsigned char *end;
    unsigned char *plain;
    size_t size;
    size_t done;
};

/* Takes a little-endian number of `count` bytes. */
static bool snappy_take_number(
    struct unpacking *u, size_t count, uint64_t *number)
{
    if (count > (size_t)(u->end - u->at))
        return false;
    *number = 0;
    for (size_t i = 0; i < count; i++)
        *number |= (uint64_t)u->at[i] << 8 * i;
    u->at += count;
    return true;
}

static bool unpack_literal(struct unpacking *u, unsigned tag)
{
    uint64_t size = tag >> 2;
    if (size >= SHORT_LITERAL &&
        !snappy_take_number(u, (size_t)size - SHORT_LITERAL + 1, &size))
        return false;
    size++;
    if (size > (size_t)(u->end - u->at) || size > u->size - u->done)
        return false;
    memcpy(u->plain + u->done, u->at, (size_t)size);
    u->at += size;
    u->done += (size_t)size;
    return true;
}

static bool unpack_copy(struct unpacking *u, unsigned tag)
{
    static const unsigned char offset_sizes[] = { 0, 1, 2, 4 };
    unsigned kind = tag & KIND_MASK;
    uint64_t offset;
    size_t size = (tag >> 2) + 1;
    if (!snappy_take_number(u, offset_sizes[kind], &offset))
        return false;
    if (kind == COPY_NEAR) {
        offset |= (uint64_t)(tag >> 5) << 8;
        size = (tag >> 2 & 7) + 4;
    }
    if (offset == 0 || offset > u->done || size > u->size - u->done)
        return false;
    /* Byte by byte: a copy can contain its own output. */
    unsigned char *to = u->plain + u->done;
    const unsigned char *from = to - offset;
    for (size_t i = 0; i < size; i++)
        to[i] = from[i];
    u->done += size;
    return true;
}

static const unsigned char *snappy_take_size(
    const unsigned char *packed, size_t packed_size, uint64_t *size)
{
    size_t most = packed_size < MOST_SIZE_BYTES ? packed_size : MOST_SIZE_BYTES;
    const unsigned char *at = vv_take_varint(packed, packed + most, size);
    return at && *size <= UINT32_MAX ? at : NULL;
}

bool vv_snappy_size(
    const unsigned char *packed, size_t packed_size, size_t *size)
{
    uint64_t found;
    if (!snappy_take_size(packed, packed_size, &found) ||
        found / MOST_RATIO > packed_size)
        return false;
    *size = (size_t)found;
    return true;
}

bool vv_snappy_unpack(const unsigned char *packed, size_t packed_size,
    unsigned char *plain, size_t size)
{
    uint64_t declared;
    struct unpacking u = {
        .at = snappy_take_size(packed, packed_size, &declared),
        .end = packed + packed_size,
        .plain = plain,
        .size = size,
    };
    if (!u.at || declared != size)
        return false;
    while (u.at < u.end) {
        unsigned tag = *u.at++;
        if ((tag & KIND_MASK) == LITERAL ? !unpack_literal(&u, tag)
                                         : !unpack_copy(&u, tag))
            return false;
    }
    return u.done == size;
}

/* --- Tables --------------------------------------------------------------- */

enum { VV_TABLE_FOOTER_SIZE = 48 };

enum {
    TRAILER_SIZE = 5, /* compression type and CRC */
    MOST_KEYS = 16, /* times the size of the uncompressed blocks: at least every
                       16th key is stored as a whole, and other keys are no
                       longer than what is stored since then */
    KEYS_BESIDES = 64 * 1024,
};

enum compression { STORED = 0, SNAPPY = 1 };

static const uint64_t magic = UINT64_C(0xdb4775248b80fb57);

struct handle {
    uint64_t offset;
    uint64_t size;
};

struct pass {
    const struct vv_table_in *table;
    varve_error *error;
    vv_table_entry *entry;
    void *user;
    struct vv_buffer key;      /* key of the previous entry */
    struct vv_buffer last_key; /* in the index block */
    bool has_key;
    uint64_t key_bytes;   /* total size of all keys so far */
    uint64_t block_bytes; /* total size of all blocks so far, uncompressed */
};

static varve_status table_in_fail(
    struct pass *p, uint64_t offset, const char *problem)
{
    return vv_fail(p->error, VARVE_CORRUPT, "%s: offset %" PRIu64 ": %s",
        p->table->path, offset, problem);
}

/* --- Blocks --------------------------------------------------------------- */

/* The entries of a block, without its restart points. */
struct block {
    const unsigned char *at;
    const unsigned char *end;
    uint64_t offset; /* of the block, for messages */
    void *owned;     /* decompressed bytes, or NULL */
    size_t owned_size;
};

static varve_status table_in_unpack(struct pass *p, const struct handle *handle,
    struct block *block, size_t *size)
{
    const unsigned char *packed = p->table->bytes + handle->offset;
    size_t packed_size = (size_t)handle->size;
    bool is_valid = vv_snappy_size(packed, packed_size, size) && *size > 0;
    if (is_valid) {
        block->owned_size = *size;
        block->owned = vv_allocate(&p->table->context->allocator, *size);
        if (!block->owned)
            return vv_fail_memory(p->error, "a block of a table");
        is_valid = vv_snappy_unpack(packed, packed_size, block->owned, *size);
    }
    return is_valid ? VARVE_OK
                    : table_in_fail(p, handle->offset,
                          "the block is not valid Snappy data");
}

static varve_status check_block_sum(struct pass *p, const struct handle *handle)
{
    const unsigned char *bytes = p->table->bytes + handle->offset;
    size_t size = (size_t)handle->size + 1;
    uint32_t expected = vv_crc32c_unmask(vv_load32(bytes + size));
    uint32_t found = vv_crc32c(0, bytes, size);
    if (expected == found)
        return VARVE_OK;
    return vv_fail(p->error, VARVE_CORRUPT,
        "%s: bytes %" PRIu64 " to %" PRIu64 ": expected CRC-32C %08" PRIx32
        ", found %08" PRIx32,
        p->table->path, handle->offset, handle->offset + size, expected, found);
}

/* Opens a block and finds its entries. The caller must call close_block even
 * after failure. */
static varve_status open_block(
    struct pass *p, const struct handle *handle, struct block *block)
{
    *block = (struct block){ .offset = handle->offset };
    uint64_t room = p->table->size - VV_TABLE_FOOTER_SIZE;
    if (handle->size > room || handle->offset > room - handle->size ||
        room - handle->size - handle->offset < TRAILER_SIZE)
        return vv_fail(p->error, VARVE_TRUNCATED,
            "%s: a block of %" PRIu64 " bytes at offset %" PRIu64
            " does not fit into the file of %zu bytes",
            p->table->path, handle->size, handle->offset, p->table->size);
    VV_TRY(check_block_sum(p, handle));
    const unsigned char *bytes = p->table->bytes + handle->offset;
    size_t size = (size_t)handle->size;
    uint8_t kind = bytes[size];
    if (kind == SNAPPY) {
        VV_TRY(table_in_unpack(p, handle, block, &size));
        bytes = block->owned;
    } else if (kind != STORED) {
        return vv_fail(p->error, VARVE_TOO_NEW,
            "%s: offset %" PRIu64 ": compression type %d is not supported",
            p->table->path, handle->offset + size, kind);
    }
    uint64_t restarts = size >= 4 ? vv_load32(bytes + size - 4) : 0;
    if (restarts == 0 || restarts > (size - 4) / 4)
        return table_in_fail(
            p, handle->offset, "the number of restart points is invalid");
    p->block_bytes += size;
    block->at = bytes;
    block->end = bytes + (size - 4 - 4 * (size_t)restarts);
    for (size_t i = 0; i < restarts; i++) {
        if (vv_load32(block->end + 4 * i) > (size_t)(block->end - bytes))
            return table_in_fail(
                p, handle->offset, "a restart point is outside its block");
    }
    return VARVE_OK;
}

static void close_block(struct pass *p, struct block *block)
{
    vv_release(&p->table->context->allocator, block->owned, block->owned_size);
}

/* --- Entries -------------------------------------------------------------- */

struct entry {
    size_t shared;
    const unsigned char *rest; /* the part of the key that is not shared */
    size_t rest_size;
    const unsigned char *value;
    size_t value_size;
};

/* Parses an entry of a block. A key can share at most the whole previous key.
 */
static varve_status table_in_take_entry(struct pass *p, struct block *block,
    const struct vv_buffer *key, struct entry *entry)
{
    uint64_t shared, rest, value;
    const unsigned char *at = block->at;
    at = vv_take_varint(at, block->end, &shared);
    at = at ? vv_take_varint(at, block->end, &rest) : NULL;
    at = at ? vv_take_varint(at, block->end, &value) : NULL;
    if (!at || shared > key->size || rest > (size_t)(block->end - at) ||
        value > (size_t)(block->end - at) - rest)
        return table_in_fail(p, block->offset, "an entry is malformed");
    *entry = (struct entry){
        .shared = (size_t)shared,
        .rest = at,
        .rest_size = (size_t)rest,
        .value = at + rest,
        .value_size = (size_t)value,
    };
    block->at = at + rest + value;
    return VARVE_OK;
}

/* Returns true if the new key is greater than the previous one. */
static bool table_in_is_behind(
    const struct vv_buffer *key, const struct entry *entry)
{
    size_t left = key->size - entry->shared;
    size_t both = left < entry->rest_size ? left : entry->rest_size;
    int order = both ? memcmp(key->data + entry->shared, entry->rest, both) : 0;
    return order < 0 || (order == 0 && left < entry->rest_size);
}

static varve_status set_key(
    struct pass *p, struct vv_buffer *key, const struct entry *entry)
{
    key->size = entry->shared;
    vv_buffer_add(key, entry->rest, entry->rest_size);
    p->key_bytes += key->size;
    if (key->failed)
        return vv_fail_memory(p->error, "a key");
    uint64_t most = MOST_KEYS * p->block_bytes + KEYS_BESIDES;
    if (p->key_bytes > most)
        return vv_fail(p->error, VARVE_LIMIT,
            "%s: the keys so far exceed the limit of %" PRIu64 " bytes",
            p->table->path, most);
    return VARVE_OK;
}

static varve_status read_entries(struct pass *p, struct block *block)
{
    const unsigned char *begin = block->at;
    while (block->at < block->end) {
        struct entry entry;
        bool is_first = block->at == begin;
        VV_TRY(table_in_take_entry(p, block, &p->key, &entry));
        if (is_first && entry.shared > 0)
            return table_in_fail(
                p, block->offset, "the first key of the block is incomplete");
        if (p->has_key && !table_in_is_behind(&p->key, &entry))
            return table_in_fail(
                p, block->offset, "the keys are not in increasing order");
        p->has_key = true;
        VV_TRY(set_key(p, &p->key, &entry));
        VV_TRY(p->entry(p->user,
            p->key.size ? p->key.data : (const unsigned char *)"", p->key.size,
            entry.value, entry.value_size, p->error));
    }
    return VARVE_OK;
}

static varve_status take_handle(struct pass *p, const unsigned char **at,
    const unsigned char *end, struct handle *handle)
{
    const unsigned char *next = vv_take_varint(*at, end, &handle->offset);
    next = next ? vv_take_varint(next, end, &handle->size) : NULL;
    if (!next)
        return table_in_fail(p, (uint64_t)p->table->size - VV_TABLE_FOOTER_SIZE,
            "the offset or size of a block is malformed");
    *at = next;
    return VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

static varve_status table_in_read_blocks(struct pass *p, struct block *index)
{
    while (index->at < index->end) {
        struct entry entry;
        struct handle handle;
        struct block block;
        VV_TRY(table_in_take_entry(p, index, &p->last_key, &entry));
        VV_TRY(set_key(p, &p->last_key, &entry));
        const unsigned char *at = entry.value;
        VV_TRY(take_handle(p, &at, at + entry.value_size, &handle));
        varve_status status = open_block(p, &handle, &block);
        if (!status)
            status = read_entries(p, &block);
        close_block(p, &block);
        if (status)
            return status;
        /* The key of a block in the index must not be less than any key in the
         * block. */
        if (p->has_key && table_in_is_behind(&p->last_key,
                              &(struct entry){ .rest = p->key.data,
                                  .rest_size = p->key.size }))
            return table_in_fail(p, handle.offset,
                "a key is greater than that of its block in the index");
    }
    return VARVE_OK;
}

static varve_status read_table(struct pass *p)
{
    const struct vv_table_in *table = p->table;
    struct handle metaindex, index;
    struct block block;
    if (table->size < VV_TABLE_FOOTER_SIZE ||
        !vv_table_ends_in(table->bytes + table->size - 8, 8))
        return vv_fail(p->error, VARVE_TRUNCATED,
            "%s: the file of %zu bytes does not end with the footer of a table",
            table->path, table->size);
    const unsigned char *at = table->bytes + table->size - VV_TABLE_FOOTER_SIZE;
    const unsigned char *end = at + VV_TABLE_FOOTER_SIZE - 8;
    VV_TRY(take_handle(p, &at, end, &metaindex));
    VV_TRY(take_handle(p, &at, end, &index));
    varve_status status = open_block(p, &metaindex, &block);
    if (!status && block.at < block.end)
        status = table_in_fail(
            p, metaindex.offset, "the block of metadata is not empty");
    close_block(p, &block);
    if (status)
        return status;
    status = open_block(p, &index, &block);
    if (!status)
        status = table_in_read_blocks(p, &block);
    close_block(p, &block);
    return status;
}

bool vv_table_ends_in(const unsigned char *tail, size_t size)
{
    return size >= 8 && vv_load64(tail + size - 8) == magic;
}

varve_status vv_table_each(const struct vv_table_in *table,
    vv_table_entry *entry, void *user, varve_error *error)
{
    varve_error unwanted;
    struct pass p = {
        .table = table,
        .error = error ? error : &unwanted,
        .entry = entry,
        .user = user,
    };
    vv_buffer_init(&p.key, &table->context->allocator);
    vv_buffer_init(&p.last_key, &table->context->allocator);
    varve_status status = read_table(&p);
    vv_buffer_clear(&p.key);
    vv_buffer_clear(&p.last_key);
    return status;
}
