/* table_out.h - Writes sorted tables in the format of LevelDB, as TensorFlow
 * writes the index of a checkpoint. The bytes equal those of its
 * table_builder.cc without compression.
 *
 *     begin; add, add, ...; end; the table is `bytes`; clear
 *
 * A failed allocation is recorded in `bytes`; later calls do nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TABLE_OUT_H
#define VV_TABLE_OUT_H

#include "buffer.h"

enum { VV_TABLE_BLOCK_SIZE = 262144 };

/* A block. Entries share the prefix of their key with the previous entry,
 * except one in every `interval`, which has its whole key. */
struct vv_table_block {
    struct vv_buffer entries;
    struct vv_buffer restarts; /* offsets of the entries with whole keys */
    struct vv_buffer last_key;
    unsigned interval;
    unsigned since_restart;
};

struct vv_table_out {
    struct vv_buffer bytes;
    struct vv_table_block block;
    struct vv_table_block index; /* of the blocks in `bytes` */
    struct vv_buffer last_key;
    size_t block_size; /* a block of this size is full; can be changed after
                          begin */
    bool is_pending;   /* the last block has no entry in the index yet, because
                          that depends on the next key */
    uint64_t pending_offset;
    uint64_t pending_size;
};

void vv_table_out_begin(
    struct vv_table_out *table, const varve_allocator *allocator);

/* Adds an entry. Keys must be in increasing order of their bytes. */
void vv_table_out_add(struct vv_table_out *table, const void *key,
    size_t key_size, const void *value, size_t value_size);

/* Ends the table. Returns false if memory was insufficient in any call. */
bool vv_table_out_end(struct vv_table_out *table);

void vv_table_out_clear(struct vv_table_out *table);

#endif
