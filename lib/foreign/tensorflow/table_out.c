/* table_out.c - Writes blocks of entries, the index of the blocks, and the
 * footer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "table_out.h"

#include <string.h>

#include "bytes.h"
#include "crc.h"
#include "wire.h"

#define MAGIC UINT64_C(0xdb4775248b80fb57)

enum {
    INTERVAL = 16,
    INDEX_INTERVAL = 1,
    OVERLY_LARGE = 2, /* times the block size: an entry of this size gets a
                         block of its own */
    UNCOMPRESSED = 0,
    HANDLES_SIZE = 40, /* size of the two handles in the footer */
};

/* --- Blocks -------------------------------------------------------------- */

static void table_out_begin_block(struct vv_table_block *block)
{
    block->entries.size = 0;
    block->restarts.size = 0;
    block->last_key.size = 0;
    block->since_restart = 0;
    vv_buffer_add32(&block->restarts, 0);
}

static void init_block(struct vv_table_block *block,
    const varve_allocator *allocator, unsigned interval)
{
    block->interval = interval;
    vv_buffer_init(&block->entries, allocator);
    vv_buffer_init(&block->restarts, allocator);
    vv_buffer_init(&block->last_key, allocator);
    table_out_begin_block(block);
}

static void clear_block(struct vv_table_block *block)
{
    vv_buffer_clear(&block->entries);
    vv_buffer_clear(&block->restarts);
    vv_buffer_clear(&block->last_key);
}

static bool block_failed(const struct vv_table_block *block)
{
    return block->entries.failed || block->restarts.failed ||
           block->last_key.failed;
}

/* Returns the size of a block, including the number of restarts. */
static size_t table_out_block_size(const struct vv_table_block *block)
{
    return block->entries.size + block->restarts.size + 4;
}

static void set_bytes(struct vv_buffer *b, const void *bytes, size_t size)
{
    b->size = 0;
    vv_buffer_add(b, bytes, size);
}

static size_t shared_size(
    const struct vv_buffer *last, const unsigned char *key, size_t size)
{
    size_t shortest = last->size < size ? last->size : size;
    size_t shared = 0;
    while (shared < shortest && last->data[shared] == key[shared])
        shared++;
    return shared;
}

static void add_to_block(struct vv_table_block *block, const unsigned char *key,
    size_t key_size, const void *value, size_t value_size)
{
    size_t shared = 0;
    if (block_failed(block))
        return;
    if (block->since_restart == block->interval) {
        vv_buffer_add32(&block->restarts, (uint32_t)block->entries.size);
        block->since_restart = 0;
    } else {
        shared = shared_size(&block->last_key, key, key_size);
    }
    vv_wire_varint(&block->entries, shared);
    vv_wire_varint(&block->entries, key_size - shared);
    vv_wire_varint(&block->entries, value_size);
    vv_buffer_add(&block->entries, key + shared, key_size - shared);
    vv_buffer_add(&block->entries, value, value_size);
    set_bytes(&block->last_key, key, key_size);
    block->since_restart++;
}

/* --- The table ----------------------------------------------------------- */

void vv_table_out_begin(
    struct vv_table_out *table, const varve_allocator *allocator)
{
    *table = (struct vv_table_out){ .block_size = VV_TABLE_BLOCK_SIZE };
    vv_buffer_init(&table->bytes, allocator);
    vv_buffer_init(&table->last_key, allocator);
    init_block(&table->block, allocator, INTERVAL);
    init_block(&table->index, allocator, INDEX_INTERVAL);
}

/* Appends a block, its compression type and the CRC of both, and clears the
 * block. */
static void write_block(struct vv_table_out *table,
    struct vv_table_block *block, uint64_t *offset, uint64_t *size)
{
    struct vv_buffer *to = &table->bytes;
    to->failed |= block_failed(block);
    *offset = to->size;
    *size = table_out_block_size(block);
    vv_buffer_add(to, block->entries.data, block->entries.size);
    vv_buffer_add(to, block->restarts.data, block->restarts.size);
    vv_buffer_add32(to, (uint32_t)(block->restarts.size / 4));
    vv_buffer_add8(to, UNCOMPRESSED);
    if (!to->failed)
        vv_buffer_add32(to, vv_crc32c_mask(vv_crc32c(
                                0, to->data + *offset, (size_t)*size + 1)));
    table_out_begin_block(block);
}

static void table_out_flush(struct vv_table_out *table)
{
    if (table->block.entries.size == 0)
        return;
    write_block(
        table, &table->block, &table->pending_offset, &table->pending_size);
    table->is_pending = true;
}

/* Adds the last block to the index, under a key that is not less than any key
 * in the block and less than all later keys. */
static void add_pending(
    struct vv_table_out *table, const unsigned char *key, size_t size)
{
    unsigned char handle[2 * VV_VARINT_SIZE];
    size_t handle_size = vv_wire_put_varint(handle, table->pending_offset);
    handle_size +=
        vv_wire_put_varint(handle + handle_size, table->pending_size);
    add_to_block(&table->index, key, size, handle, handle_size);
    table->is_pending = false;
}

/* Shortens `last`, the last key of a block, if possible: cuts it after the
 * first byte that differs from `next` and increments that byte. The result is
 * less than `next`. */
static void separate(
    struct vv_buffer *last, const unsigned char *next, size_t size)
{
    size_t shared = shared_size(last, next, size);
    if (shared == last->size || shared == size)
        return;
    if (last->data[shared] + 1 < next[shared]) {
        last->data[shared]++;
        last->size = shared + 1;
    }
}

/* Replaces `last` by the shortest key that is greater than all keys with this
 * prefix. */
static void succeed(struct vv_buffer *last)
{
    for (size_t i = 0; i < last->size; i++) {
        if (last->data[i] != 0xff) {
            last->data[i]++;
            last->size = i + 1;
            return;
        }
    }
}

void vv_table_out_add(struct vv_table_out *table, const void *key,
    size_t key_size, const void *value, size_t value_size)
{
    if (table->bytes.failed)
        return;
    if (key_size + value_size >= OVERLY_LARGE * table->block_size)
        table_out_flush(table);
    if (table->is_pending) {
        separate(&table->last_key, key, key_size);
        add_pending(table, table->last_key.data, table->last_key.size);
    }
    set_bytes(&table->last_key, key, key_size);
    add_to_block(&table->block, key, key_size, value, value_size);
    table->bytes.failed |= block_failed(&table->block) ||
                           block_failed(&table->index) ||
                           table->last_key.failed;
    if (table_out_block_size(&table->block) >= table->block_size)
        table_out_flush(table);
}

static void add_footer(struct vv_table_out *table, const uint64_t handles[4])
{
    unsigned char footer[HANDLES_SIZE] = { 0 };
    size_t size = 0;
    for (size_t i = 0; i < 4; i++)
        size += vv_wire_put_varint(footer + size, handles[i]);
    vv_buffer_add(&table->bytes, footer, sizeof footer);
    vv_buffer_add64(&table->bytes, MAGIC);
}

bool vv_table_out_end(struct vv_table_out *table)
{
    uint64_t handles[4]; /* of the empty metaindex block and of the index */
    table_out_flush(table);
    if (table->is_pending && !table->bytes.failed) {
        succeed(&table->last_key);
        add_pending(table, table->last_key.data, table->last_key.size);
    }
    write_block(table, &table->block, &handles[0], &handles[1]);
    write_block(table, &table->index, &handles[2], &handles[3]);
    add_footer(table, handles);
    return !table->bytes.failed;
}

void vv_table_out_clear(struct vv_table_out *table)
{
    vv_buffer_clear(&table->bytes);
    vv_buffer_clear(&table->last_key);
    clear_block(&table->block);
    clear_block(&table->index);
}
