/* save_plan.h - all that a file will hold, gathered from a graph. Its writing
 * (save_plan_write.h) looks at the graph no more.
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

/* What of a large value is looked at once it is copied. */
typedef void vv_needed(
    const void *user, uint32_t value, uint64_t *begin, uint64_t *end);

/* What a graph has kept of a node of a foreign file. */
struct vv_save_plan_kept {
    const unsigned char *bytes;
    size_t size;
};

/* A value that is a slice, of a save of several processes. */
struct vv_save_plan_slice {
    /* to read */
    uint32_t value;
    uint32_t rank;
    uint64_t whole_size; /* bytes of the value that it is a part of */
    varve_tensor whole;  /* type and shape of that */
    varve_box box;
};

/* A private node, of a save of several processes: what is below it is no part
 * of the save plan. */
struct vv_save_plan_private {
    /* to read */
    uint32_t place; /* its number in the file */
    varve_node *node;
};

enum vv_save_plan_of {
    VV_OF_ONE,    /* vv_save_plan_gather */
    VV_OF_PARTS,  /* the same with slices, as parts: each process has a file */
    VV_OF_SEVERAL /* vv_save_plan_gather_slices */
};

struct vv_save_plan {
    /* to read */
    struct vv_context context;
    const void **values; /* by value: its bytes as they lie in a file;
                            where `is_encoded` is not set, of one
                            that lies otherwise in memory, its
                            varve_tensor. NULL: not saved, or empty */
    size_t value_count;
    struct vv_save_plan_kept *kept; /* by node; NULL where there is nothing */
    bool is_encoded;                /* all values are as they lie in a file */
    struct vv_unchanged unchanged;
    struct vv_buffer slices;   /* vv_save_plan_slice, in order of values: one of
                                  several processes has them, and the columns
                                  have their types and shapes as wholes, their
                                  sizes as they are here */
    struct vv_buffer privates; /* vv_save_plan_private, in order of nodes */
    struct vv_buffer waiting;  /* uint32_t: values that are carried over */
    /* own */
    struct vv_buffer elsewhere; /* values that are copied out, in order */
    struct vv_carried *carried; /* nodes that are not the program's; NULL: none,
                                   or they are taken away again */
    enum vv_save_plan_of of;
    void **copies; /* by value, of a detached save plan: where its copy is */
    struct vv_buffer texts;  /* of a detached save plan: what was borrowed */
    struct vv_buffer copied; /* vv_piece, of a detached save plan: what of large
                                values is copied, in order */
    struct vv_elided *spared; /* what of them is not; NULL: all is */
    size_t node_count;
    /* to fill in */
    varve_write_options options; /* its metadata is sorted */
    bool wants_paths;            /* progress is told of paths */
    vv_needed *needed;           /* NULL: all; before it is detached */
    const void *needed_user;
    struct vv_columns columns; /* digests come as values are written */
    uint64_t counter;          /* of saves; 0: none */
};

/* Checks everything that can fail without the disk, walks the graph, fills in
 * the columns, and notes where the bytes of each value are: most are in the
 * program's memory, from which they are written without a copy. Calls the save
 * callbacks of states. On failure there is nothing to clear. */
varve_status vv_save_plan_gather(struct vv_save_plan *save_plan,
    varve_node *root, const varve_write_options *options, varve_error *error);
void vv_save_plan_clear(struct vv_save_plan *save_plan);

/* The same for one process of several, without what is private. Else a slice
 * that is not all of its value is VARVE_MISUSE, and so is a private node of
 * several processes. */
varve_status vv_save_plan_gather_slices(struct vv_save_plan *save_plan,
    varve_node *root, const varve_write_options *options, varve_error *error);

/* The same as `of` says. */
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

/* The bytes of a value as they lie in a file; those that have to be encoded are
 * in `scratch` until it is used again. */
varve_status vv_save_plan_source(const struct vv_save_plan *save_plan,
    uint32_t value, struct vv_buffer *scratch, struct vv_source *source,
    varve_error *error);

/* The same of a value that does not lie elsewhere; NULL without memory. */
const void *vv_save_plan_bytes(const struct vv_save_plan *save_plan,
    uint32_t value, struct vv_buffer *scratch);

/* The variable of a value that has to be copied out, by pieces of a chunk if
 * there is much of it; NULL for any other. What is far is copied out by the
 * thread of the graph. */
const varve_node *vv_save_plan_copies_in(
    const struct vv_save_plan *save_plan, size_t value);

/* Of a save plan that is being detached: values that are carried over are read
 * from their copies from now on, and their nodes go. */
void vv_save_plan_settle_carried(struct vv_save_plan *save_plan);

/* Copies out some of it, as it lies in a file. */
varve_status vv_save_plan_copy_out(const varve_node *node, uint64_t at,
    void *to, size_t size, varve_error *error);

/* Whether a value is not yet in memory as it lies in a file. */
bool vv_save_plan_encodes(const struct vv_save_plan *save_plan, size_t value);

/* The index of the save plan, with counter and metadata; points into it. */
varve_status vv_save_plan_index(const struct vv_save_plan *save_plan,
    struct vv_index *index, varve_error *error);

/* Sets `to` to the elements of a tensor in the byte order of a file; not of
 * strings. False without memory. Where the host has the other order. */
bool vv_encode_swapped(struct vv_buffer *to, const varve_tensor *tensor);

#endif
