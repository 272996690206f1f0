/* table_out.h - a sorted table in the format of LevelDB, as TensorFlow writes
 * the index of a checkpoint: bytes equal to those of its table_builder.cc
 * without compression.
 *
 *     begin; add, add, ...; end; the table is `bytes`; clear
 *
 * A failed allocation sticks in `bytes`; what follows it is a no-op.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TABLE_OUT_H
#define VV_TABLE_OUT_H

#include "buffer.h"

enum { VV_TABLE_BLOCK_SIZE = 262144 };

/* Entries whose keys share their beginnings with the one before, but for one
 * every `interval`. */
struct vv_table_block {
    struct vv_buffer entries;
    struct vv_buffer restarts; /* where entries with whole keys begin */
    struct vv_buffer last_key;
    unsigned interval;
    unsigned since_restart;
};

struct vv_table_out {
    struct vv_buffer bytes;
    struct vv_table_block block;
    struct vv_table_block index; /* of the blocks that are in `bytes` */
    struct vv_buffer last_key;
    size_t block_size; /* a block of as many bytes is full; may be set after
                          begin */
    bool is_pending;   /* the last block has no entry in the index yet, which
                          needs the key that comes next */
    uint64_t pending_offset;
    uint64_t pending_size;
};

void vv_table_out_begin(
    struct vv_table_out *table, const varve_allocator *allocator);

/* Keys must increase, byte by byte. */
void vv_table_out_add(struct vv_table_out *table, const void *key,
    size_t key_size, const void *value, size_t value_size);

/* False without memory, now or before. */
bool vv_table_out_end(struct vv_table_out *table);

void vv_table_out_clear(struct vv_table_out *table);

#endif
