/* dcp_metadata.h - the `.metadata` of a checkpoint of torch.distributed: what
 * there is, and in which file each object and each piece of a tensor is
 * (torch/distributed/checkpoint/metadata.py).
 *
 * It is a pickle, whose items are looked at where they are asked for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DCP_METADATA_H
#define VV_DCP_METADATA_H

#include <varve/error.h>

#include "arena.h"
#include "map.h"
#include "pickle.h"

/* The rank of what has none: an object. */
#define VV_DCP_OBJECT UINT32_MAX

/* Bytes of a file that are a whole file of torch.save. */
struct vv_dcp_part {
    /* to read */
    uint32_t name; /* items: of the value, */
    uint32_t path; /* and of the file */
    uint32_t rank; /* of a piece of a tensor */
    uint64_t begin;
    uint64_t size;
    /* to fill in */
    uint32_t file;
    /* to read */
    uint64_t starts[]; /* of the piece in the tensor */
};

struct vv_dcp_metadata {
    /* to read */
    const struct vv_pickle *p;
    uint32_t values;        /* item: what each name is */
    struct vv_buffer parts; /* struct vv_dcp_part *, by files and offsets */
    /* own */
    const char *where;
    varve_error *error;
    struct vv_arena arena;
    struct vv_map by_name; /* struct vv_dcp_part */
    struct vv_map paths;   /* of values in the dicts that they were in */
};

/* Reads what a pickle, which is borrowed, says. `where` begins the messages.
 * VARVE_NOT_A_CHECKPOINT for another pickle, VARVE_CORRUPT where something is
 * missing or two parts overlap, VARVE_TOO_NEW for packed parts. End with
 * vv_dcp_metadata_clear, after success or failure. */
varve_status vv_dcp_metadata_read(struct vv_dcp_metadata *metadata,
    const struct vv_pickle *pickle, const varve_allocator *allocator,
    const char *where, varve_error *error);
void vv_dcp_metadata_clear(struct vv_dcp_metadata *metadata);

/* What an object of a class of torch.distributed.checkpoint.metadata has under
 * a name; None where it has nothing. */
uint32_t vv_dcp_field(
    const struct vv_pickle *pickle, uint32_t object, const char *name);
bool vv_dcp_is_a(
    const struct vv_pickle *pickle, uint32_t object, const char *class);

/* Where a value, or a piece of one, is; NULL: nowhere. */
struct vv_dcp_part *vv_dcp_part_of(const struct vv_dcp_metadata *metadata,
    uint32_t name, uint32_t rank, const uint64_t *starts);

/* The tuple of keys under which a value was; None: its name is its only one. */
uint32_t vv_dcp_path_of(const struct vv_dcp_metadata *metadata, uint32_t name);

/* How many bytes of a text a message shows: the precision of "%.*s". */
static inline int vv_dcp_shown(uint32_t size)
{
    return size < 200 ? (int)size : 200;
}

/* Returns `status` with the message "where: \"name\": <problem>". */
varve_status vv_dcp_fail(const struct vv_dcp_metadata *metadata,
    varve_status status, uint32_t name, const char *problem);

#endif
