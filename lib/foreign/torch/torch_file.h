/* torch_file.h - Represents an open torch.save file: the archive, the bytes of
 * the pickle, and the data of decoded values. Several files can be merged into
 * one (torch_merge.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_FILE_H
#define VV_TORCH_FILE_H

#include "allocator.h"
#include "buffer.h"
#include "foreign.h"
#include "hash_table.h"
#include "torch_tar.h"
#include "torch_tensor.h"
#include "zip_in.h"

enum { VV_TORCH_BUFFERS = 6 };

struct vv_torch_file {
    /* to read */
    struct vv_zip zip;
    struct vv_map entries;             /* entries of the archive, by name */
    const struct vv_zip_entry *object; /* TOP/data.pkl */
    bool is_big_endian;
    struct vv_torch_tar tar; /* of files before torch 0.1.10 */
    /* to fill in */
    bool is_merged;        /* names of entries have the form PART/data/KEY */
    struct vv_arena names; /* names of edges that are not in the pickle */
    union {
        struct {
            struct vv_buffer pickle;  /* the bytes of the pickle */
            struct vv_buffer made;    /* struct vv_torch_made
                                         (torch_decode.h) */
            struct vv_buffer tensors; /* struct vv_torch_gathered */
            struct vv_buffer bytes;   /* of decoded texts and arrays */
            struct vv_buffer numbers; /* 8 bytes for each element of a vector */
            struct vv_buffer pieced;  /* struct vv_torch_pieced
                                         (torch_pieces.h) */
        };
        struct vv_buffer buffers[VV_TORCH_BUFFERS]; /* the same, as an array */
    };
};

/* Adds the name of a value to a message. It is called only if the value has an
 * error. */
struct vv_torch_where {
    /* to fill in */
    void (*name)(void *user, struct vv_buffer *text); /* appends the name */
    void *user;
    varve_error *error;
};

void vv_torch_file_init(
    struct vv_torch_file *file, const varve_allocator *allocator);
void vv_torch_file_clear(struct vv_torch_file *file);

/* Opens the archive or the legacy file in a span and reads the bytes of its
 * pickle. The file must be initialized, and must be cleared even after failure.
 */
varve_status vv_torch_file_read(struct vv_torch_file *file,
    const struct vv_foreign *foreign, struct vv_zip_span span,
    varve_error *error);

/* Adds the entries of the archive to the map. */
varve_status vv_torch_file_list(struct vv_torch_file *file, varve_error *error);

/* Parses the pickle. Call vv_pickle_clear after success and after failure. */
varve_status vv_torch_file_pickle(
    struct vv_torch_file *file, struct vv_pickle *pickle, varve_error *error);

/* Returns an initialized file that is set as the state of `foreign`, or NULL
 * without memory. */
struct vv_torch_file *vv_torch_file_new(struct vv_foreign *foreign);

/* Finds and checks the storage of a tensor: it exists, is not compressed, has
 * the size that the tensor gives, and contains all elements of the tensor. */
varve_status vv_torch_storage(const struct vv_torch_file *file,
    const struct vv_pickle *pickle, const struct vv_torch_tensor *tensor,
    const struct vv_torch_where *where, const struct vv_zip_entry **entry);

/* Verifies the bytes of a whole entry. A CRC of 0 is not checked: torch writes
 * it after set_crc32_options(False). */
varve_status vv_torch_check_sum(const struct vv_torch_file *file,
    const struct vv_zip_entry *entry, const void *bytes, varve_error *error);

#endif
