/* torch_file.h - a file of torch.save while it is open: the archive, the
 * pickle's bytes, and what the values that are made are made of. Several of
 * them may have become one (torch_merge.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_FILE_H
#define VV_TORCH_FILE_H

#include "arena.h"
#include "buffer.h"
#include "foreign.h"
#include "map.h"
#include "torch_tar.h"
#include "torch_tensor.h"
#include "zip_in.h"

enum { VV_TORCH_BUFFERS = 6 };

struct vv_torch_file {
    /* to read */
    struct vv_zip zip;
    struct vv_map entries;             /* of the archive, by name */
    const struct vv_zip_entry *object; /* TOP/data.pkl */
    bool is_big_endian;
    struct vv_torch_tar tar; /* of files before torch 0.1.10 */
    /* to fill in */
    bool is_merged;        /* entries are PART/data/KEY */
    struct vv_arena names; /* of edges that are not in the pickle's bytes */
    union {
        struct {
            struct vv_buffer pickle;  /* its bytes */
            struct vv_buffer made;    /* struct vv_torch_made
                                         (torch_decode.h) */
            struct vv_buffer tensors; /* struct vv_torch_gathered */
            struct vv_buffer bytes;   /* of texts that were encoded */
            struct vv_buffer numbers; /* of vectors: 8 bytes each */
            struct vv_buffer pieced;  /* struct vv_torch_pieced
                                         (torch_pieces.h) */
        };
        struct vv_buffer buffers[VV_TORCH_BUFFERS]; /* the same, as one */
    };
};

/* How messages name a value: only once something is wrong with it. */
struct vv_torch_where {
    /* to fill in */
    void (*name)(void *user, struct vv_buffer *text); /* adds to it */
    void *user;
    varve_error *error;
};

void vv_torch_file_init(
    struct vv_torch_file *file, const varve_allocator *allocator);
void vv_torch_file_clear(struct vv_torch_file *file);

/* Opens the archive, or the older file, that a span is and reads the pickle's
 * bytes. The file has begun, and is cleared whatever comes of it. */
varve_status vv_torch_file_read(struct vv_torch_file *file,
    const struct vv_foreign *foreign, struct vv_zip_span span,
    varve_error *error);

/* Takes in the entries that its archive has. */
varve_status vv_torch_file_list(struct vv_torch_file *file, varve_error *error);

/* Reads its pickle. End with vv_pickle_clear, after success or failure. */
varve_status vv_torch_file_pickle(
    struct vv_torch_file *file, struct vv_pickle *pickle, varve_error *error);

/* A file that has begun and becomes the state of `foreign`. NULL without
 * memory. */
struct vv_torch_file *vv_torch_file_new(struct vv_foreign *foreign);

/* The storage of a tensor, checked: it is there, not packed, and has as many
 * bytes as the tensor says, which in turn leads nowhere else. */
varve_status vv_torch_storage(const struct vv_torch_file *file,
    const struct vv_pickle *pickle, const struct vv_torch_tensor *tensor,
    const struct vv_torch_where *where, const struct vv_zip_entry **entry);

/* Verifies the bytes of a whole entry; a sum of 0 is none, as torch leaves it
 * after set_crc32_options(False). */
varve_status vv_torch_check_sum(const struct vv_torch_file *file,
    const struct vv_zip_entry *entry, const void *bytes, varve_error *error);

#endif
