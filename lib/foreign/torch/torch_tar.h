/* torch_tar.h - Reads the tar archives that torch.save wrote before torch
 * 0.1.10.
 *
 * The members `storages` and `tensors` contain the elements and the shapes. In
 * the member `pickle` a tensor is a persistent id: its key as a decimal.
 *
 *     init; read; add_texts; for each pickle: link (torch_tar_link.h); clear
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_TAR_H
#define VV_TORCH_TAR_H

#include "allocator.h"
#include "hash_table.h"
#include "pickle.h"
#include "zip_in.h"

struct vv_torch_tar {
    /* to read */
    bool is_one; /* false: the file is no tar archive */
    /* own */
    struct vv_arena arena;
    struct vv_map storages; /* struct vv_torch_tar_storage, by key */
    struct vv_map tensors;  /* struct vv_torch_tar_tensor, by key */
    struct vv_torch_tar_storage *first_storage;
    struct vv_torch_tar_tensor *first_tensor;
    uint32_t texts; /* offset of the texts of every tensor in the pickle */
};

struct vv_torch_tar_storage {
    /* to read */
    uint64_t key;
    uint64_t count; /* of its elements */
    varve_dtype dtype;
    uint64_t data; /* offset in the file */
    /* own */
    uint32_t text;      /* offset of the key in the pickle, */
    uint32_t text_size; /* and of the class behind it */
    uint32_t item;      /* 0: the pickle has none */
    struct vv_torch_tar_storage *next;
};

struct vv_torch_tar_tensor {
    /* to read */
    uint64_t key;
    struct vv_torch_tar_storage *storage;
    struct vv_torch_tar_tensor *next;
    uint64_t offset;
    uint64_t rank;
    /* own */
    uint32_t item; /* the arguments of its call; 0: the pickle has none */
    /* to read */
    uint64_t sizes[]; /* `rank` sizes, then as many strides */
};

void vv_torch_tar_init(
    struct vv_torch_tar *tar, const varve_allocator *allocator);
void vv_torch_tar_clear(struct vv_torch_tar *tar);

/* Reads the tables of tensors and storages. Makes the directory that an archive
 * of a later torch would have: "/data.pkl" is the member `pickle`, "/data/KEY"
 * a storage; there are no checksums.
 *
 * Returns VARVE_NOT_A_CHECKPOINT if a member is missing, VARVE_TOO_NEW for a
 * big-endian file or an unknown class, VARVE_CORRUPT and VARVE_TRUNCATED. The
 * caller must call vv_zip_clear, after success or failure. */
varve_status vv_torch_tar_read(struct vv_torch_tar *tar, struct vv_zip *zip,
    const struct vv_foreign *foreign, uint32_t file, varve_error *error);

/* Returns the storage or tensor with a key; NULL if there is none. */
struct vv_torch_tar_storage *vv_torch_tar_storage(
    const struct vv_torch_tar *tar, uint64_t key);
struct vv_torch_tar_tensor *vv_torch_tar_tensor(
    const struct vv_torch_tar *tar, uint64_t key);

#endif
