/* dcp_metadata.h - Parses the `.metadata` of a torch.distributed checkpoint:
 * the values, and the file and position of each object and each piece of a
 * tensor (torch/distributed/checkpoint/metadata.py).
 *
 * Only the items that are needed are parsed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DCP_METADATA_H
#define VV_DCP_METADATA_H

#include <varve/error.h>

#include "allocator.h"
#include "hash_table.h"
#include "pickle.h"

/* Used as the rank of objects, which have none. */
#define VV_DCP_OBJECT UINT32_MAX

/* A range of bytes of a file that is a whole torch.save file. */
struct vv_dcp_part {
    /* to read */
    uint32_t name; /* item: the name of the value */
    uint32_t path; /* item: the name of the file */
    uint32_t rank; /* of a piece of a tensor */
    uint64_t begin;
    uint64_t size;
    /* to fill in */
    uint32_t file;
    /* to read */
    uint64_t starts[]; /* the start of the piece in the tensor */
};

struct vv_dcp_metadata {
    /* to read */
    const struct vv_pickle *p;
    uint32_t values; /* item: a dict of the metadata of each value */
    struct vv_buffer
        parts; /* struct vv_dcp_part *, sorted by file and offset */
    /* own */
    const char *where;
    varve_error *error;
    struct vv_arena arena;
    struct vv_map by_name; /* struct vv_dcp_part */
    struct vv_map paths;   /* struct path: the keys of values in nested dicts */
};

/* Parses the metadata. `pickle` is borrowed; `where` is the prefix of error
 * messages. Returns VARVE_NOT_A_CHECKPOINT for another pickle, VARVE_CORRUPT if
 * something is missing or two parts overlap, and VARVE_TOO_NEW for encoded
 * parts. Call vv_dcp_metadata_clear after success and after failure. */
varve_status vv_dcp_metadata_read(struct vv_dcp_metadata *metadata,
    const struct vv_pickle *pickle, const varve_allocator *allocator,
    const char *where, varve_error *error);
void vv_dcp_metadata_clear(struct vv_dcp_metadata *metadata);

/* Returns the field of an object of a class in
 * torch.distributed.checkpoint.metadata, or None. */
uint32_t vv_dcp_field(
    const struct vv_pickle *pickle, uint32_t object, const char *name);
bool vv_dcp_is_a(
    const struct vv_pickle *pickle, uint32_t object, const char *class);

/* Returns the part of an object, or of a piece of a tensor, or NULL. */
struct vv_dcp_part *vv_dcp_part_of(const struct vv_dcp_metadata *metadata,
    uint32_t name, uint32_t rank, const uint64_t *starts);

/* Returns the tuple of keys of a value, or None if its only key is its name. */
uint32_t vv_dcp_path_of(const struct vv_dcp_metadata *metadata, uint32_t name);

/* Returns the number of bytes of a text to show in a message, as the precision
 * of "%.*s". */
static inline int vv_dcp_shown(uint32_t size)
{
    return size < 200 ? (int)size : 200;
}

/* Returns `status` with the message "where: \"name\": <problem>". */
varve_status vv_dcp_fail(const struct vv_dcp_metadata *metadata,
    varve_status status, uint32_t name, const char *problem);

#endif
