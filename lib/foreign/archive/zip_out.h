/* zip_out.h - Writes a zip archive of stored entries. The result depends only
 * on the entries, not on the date.
 *
 *     init; begin, write, ..., end; begin, write, ..., end; finish
 *
 * The data of each entry begins at a multiple of 64 bytes. zip64 is used only
 * for numbers that need it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ZIP_OUT_H
#define VV_ZIP_OUT_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"

enum { VV_ZIP_ALIGNMENT = 64, VV_ZIP_LONGEST_NAME = 65535 };

struct vv_zip_out {
    const struct vv_context *context;
    int file;
    const char *path; /* for error messages */
    uint64_t offset;  /* of the next byte */
    uint64_t count;   /* number of entries */
    struct vv_buffer directory;
    struct vv_buffer local; /* the local header of the current entry */
    /* to fill in */
    uint16_t padding; /* id of the extra field that aligns the data */
    /* own */
    /* state of the current entry: */
    uint64_t begin; /* offset of its local header */
    uint64_t size;  /* size of its data */
    uint32_t crc;
    bool is_ascii;
};

/* Initializes an archive. `offset` is 0 except in tests of large archives. */
void vv_zip_out_init(struct vv_zip_out *zip, const struct vv_context *context,
    int file, const char *path);

/* Begins an entry. The name is UTF-8 and has at most VV_ZIP_LONGEST_NAME bytes.
 * The caller must write exactly `size` bytes. */
varve_status vv_zip_out_begin(struct vv_zip_out *zip, const char *name,
    size_t name_size, uint64_t size, varve_error *error);
varve_status vv_zip_out_write(
    struct vv_zip_out *zip, const void *bytes, size_t size, varve_error *error);
varve_status vv_zip_out_end(struct vv_zip_out *zip, varve_error *error);

/* Writes the directory. */
varve_status vv_zip_out_finish(struct vv_zip_out *zip, varve_error *error);
void vv_zip_out_clear(struct vv_zip_out *zip);

#endif
