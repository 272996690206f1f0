/* zip_out.h - a zip archive of stored entries on its way to disk: the same
 * bytes for the same entries, whatever the day.
 *
 *     init; begin, write, ..., end; begin, write, ..., end; finish
 *
 * What is in an entry begins at a multiple of 64 bytes. zip64 is used where a
 * number needs it, and nowhere else.
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
    const char *path; /* for messages */
    uint64_t offset;  /* where the next byte goes */
    uint64_t count;   /* of entries */
    struct vv_buffer directory;
    struct vv_buffer local; /* what stands before the data of an entry */
    /* to fill in */
    uint16_t padding; /* what the field that aligns data is called */
    /* own */
    /* Of the entry that is begun: */
    uint64_t begin; /* where it begins */
    uint64_t size;  /* of its data */
    uint32_t crc;
    bool is_ascii;
};

/* `offset` is 0, but for tests of large archives. */
void vv_zip_out_init(struct vv_zip_out *zip, const struct vv_context *context,
    int file, const char *path);

/* The name is UTF-8, of at most VV_ZIP_LONGEST_NAME bytes. As many bytes as
 * `size` says are to be written. */
varve_status vv_zip_out_begin(struct vv_zip_out *zip, const char *name,
    size_t name_size, uint64_t size, varve_error *error);
varve_status vv_zip_out_write(
    struct vv_zip_out *zip, const void *bytes, size_t size, varve_error *error);
varve_status vv_zip_out_end(struct vv_zip_out *zip, varve_error *error);

/* Writes the directory. */
varve_status vv_zip_out_finish(struct vv_zip_out *zip, varve_error *error);
void vv_zip_out_clear(struct vv_zip_out *zip);

#endif
