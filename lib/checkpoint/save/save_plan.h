/* save_plan.h - Gathers all data of a file from a graph. Writing the file
 * (save_plan_write.h) does not access the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVE_PLAN_H
#define VV_SAVE_PLAN_H

#include <varve/checkpoint.h>
#include <varve/tensor.h>

#include "carried.h"
#include "columns.h"
#include "context.h"
#include "source.h"
#include "unchanged.h"

struct vv_elided;

/* Narrows *begin and *end to the range of a large value that is needed once it
 * is copied. */
typedef void vv_needed(
    const void *user, uint32_t value, uint64_t *begin, uint64_t *end);

/* The format-specific data that a graph has kept of a node of a foreign
 * file. */
struct vv_save_plan_kept {
    const unsigned char *bytes;
    size_t size;
};

/* A value that is a shard (slice) in a save by many processes. */
struct vv_save_plan_slice {
    /* to read */
    uint32_t value;
    uint32_t rank;
    uint64_t whole_size; /* size in bytes of the whole value */
    varve_tensor whole;  /* type and shape of the whole value */
    varve_box box;
};

/* A rank-local node in a save by many processes. The nodes below it are not
 * part of the save plan. */
struct vv_save_plan_private {
    /* to read */
    uint32_t place; /* number of the node in the file */
    varve_node *node;
};

enum vv_save_plan_of {
    VV_OF_ONE,    /* a save by one process. A shard of a larger value, or a
                     rank-local node of several processes, is VARVE_MISUSE */
    VV_OF_PARTS,  /* as VV_OF_ONE; shards are saved as parts, one file per
                     process */
    VV_OF_SEVERAL /* one process of a save by many, without rank-local
                     subtrees */
};

struct vv_save_plan {
    /* to read */
    struct vv_context context;
    /* For each value, the address of its encoded bytes. If `is_encoded` is
     * false and the encoding differs from the memory, the address of its
     * varve_tensor. NULL: not saved, or empty */
    const void **values;
    size_t value_count;
    struct vv_save_plan_kept *kept; /* for each node; NULL: there are none */
    bool is_encoded;                /* all of `values` are encoded bytes */
    struct vv_unchanged unchanged;
    struct vv_buffer slices;   /* vv_save_plan_slice, by value; for such values
                                  the columns have type and shape of the whole
                                  and size of the shard */
    struct vv_buffer privates; /* vv_save_plan_private, by node */
    struct vv_buffer pending;  /* uint32_t: pending values that are carried
                                  over */
    /* own */
    struct vv_buffer accessed;  /* values with access functions, by value */
    struct vv_carried *carried; /* temporary nodes of pending values; NULL:
                                   none, or removed again */
    enum vv_save_plan_of of;
    void **copies; /* if detached: for each value, the address of its copy */
    struct vv_buffer texts;   /* if detached: copies of borrowed strings */
    struct vv_buffer copied;  /* vv_piece; if detached: the ranges of large
                                 values that are copied */
    struct vv_elided *reused; /* data that is not copied, as the base has it;
                                 NULL: all is copied */
    size_t node_count;
    /* to fill in */
    varve_write_options options; /* `metadata` is sorted */
    bool wants_paths;            /* progress callbacks get paths */
    bool is_swept; /* there are no left-over temporary files of the target */
    vv_needed *needed; /* NULL: all is needed; set before the save plan is
                          detached */
    const void *needed_user;
    struct vv_columns columns; /* digests are filled in as values are written */
    uint64_t counter;          /* the save counter; 0: none */
};

/* Gathers a save plan. Performs all checks that can fail without writing, walks
 * the graph, fills in the columns, and stores the address of each value. Most
 * values are later written directly from the program's memory. Calls the save
 * callbacks of states. On failure there is nothing to clear. */
varve_status vv_save_plan_gather(struct vv_save_plan *save_plan,
    varve_node *root, const varve_write_options *options, varve_error *error);
void vv_save_plan_clear(struct vv_save_plan *save_plan);

/* As vv_save_plan_gather, which is for VV_OF_ONE. */
varve_status vv_save_plan_gather_of(struct vv_save_plan *save_plan,
    varve_node *root, enum vv_save_plan_of of,
    const varve_write_options *options, varve_error *error);

static inline const struct vv_save_plan_slice *vv_save_plan_slices(
    const struct vv_save_plan *save_plan, size_t *count)
{
    *count = save_plan->slices.size / sizeof(struct vv_save_plan_slice);
    return (
        const struct vv_save_plan_slice *)(const void *)save_plan->slices.data;
}

static inline const struct vv_save_plan_private *vv_save_plan_privates(
    const struct vv_save_plan *save_plan, size_t *count)
{
    *count = save_plan->privates.size / sizeof(struct vv_save_plan_private);
    return (const struct vv_save_plan_private *)(const void *)
        save_plan->privates.data;
}

/* Sets `source` to the encoded bytes of a value. If the value has to be
 * encoded, the bytes are in `scratch` and valid until it is used again. */
varve_status vv_save_plan_source(const struct vv_save_plan *save_plan,
    uint32_t value, struct vv_buffer *scratch, struct vv_source *source,
    varve_error *error);

/* Returns the encoded bytes of a value that has an address, or NULL if out of
 * memory. */
const void *vv_save_plan_bytes(const struct vv_save_plan *save_plan,
    uint32_t value, struct vv_buffer *scratch);

/* Returns the variable of a value that is read through functions, or NULL for
 * any other value. Large values are read one chunk at a time. Out-of-line (far)
 * values must be read on the thread of the graph. */
const varve_node *vv_save_plan_copies_in(
    const struct vv_save_plan *save_plan, size_t value);

/* Called while a save plan is being detached, once the pending values were
 * copied. Frees their nodes. */
void vv_save_plan_settle_carried(struct vv_save_plan *save_plan);

/* Copies out a range of a value in the encoding of a file. */
varve_status vv_save_plan_copy_out(const varve_node *node, uint64_t at,
    void *to, size_t size, varve_error *error);

/* Returns true if the bytes of a value in memory differ from the encoding of a
 * file. */
bool vv_save_plan_encodes(const struct vv_save_plan *save_plan, size_t value);

/* Returns the bytes of a value that can be used in place, without encoding them
 * and without checking them. Returns NULL for other values, and for an empty
 * value. */
static inline const void *vv_save_plan_in_place(
    const struct vv_save_plan *save_plan, size_t value)
{
    const uint8_t dtype = save_plan->columns.index.value_dtypes.data[value];
    const bool may_differ = VV_BIG_ENDIAN || dtype == VARVE_STRING;
    return save_plan->accessed.size > 0 || dtype == VARVE_BOOL ||
                   (may_differ && vv_save_plan_encodes(save_plan, value))
               ? NULL
               : save_plan->values[value];
}

/* Sets `index` to the index of the save plan, with counter and metadata. It
 * points into the save plan. */
varve_status vv_save_plan_index(const struct vv_save_plan *save_plan,
    struct vv_index *index, varve_error *error);

/* Sets `to` to the elements of a tensor in the byte order of a file, which must
 * differ from that of the host. The tensor must not contain strings. Returns
 * false if out of memory. */
bool vv_encode_swapped(struct vv_buffer *to, const varve_tensor *tensor);

#endif
