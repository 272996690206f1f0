/* scan.h - Reads a file of records once from start to end, in large pieces,
 * with a digest and progress, to find its records.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SCAN_H
#define VV_SCAN_H

#include <varve/records.h>

#include "record_file.h"

struct vv_scan {
    const struct vv_record_file *file;
    const varve_records_options *options;
    struct vv_digester *digester; /* NULL with no_content */
    unsigned char *window;        /* buffer for a piece of the file */
    uint64_t window_at;           /* offset of the piece */
    size_t window_size;           /* and its size */
    uint64_t at;                  /* offset of the next byte */
    uint64_t end; /* end of the content; UINT64_MAX: not known yet */
};

/* A scan must be zeroed before vv_scan_begin, and vv_scan_end must be called
 * after any failure. Returns VARVE_CANCELLED if the progress callback requests
 * it. */
varve_status vv_scan_begin(struct vv_scan *scan,
    const struct vv_record_file *file, const varve_records_options *options,
    varve_error *error);

/* Returns the number of bytes left. For a compressed file this is an upper
 * limit, and bytes cannot be skipped. */
static inline uint64_t vv_scan_left(const struct vv_scan *scan)
{
    return scan->end - scan->at;
}

/* Sets *has_more to true if there are further bytes. */
varve_status vv_scan_has_more(
    struct vv_scan *scan, bool *has_more, varve_error *error);

/* Sets *bytes to the next bytes, at least one and at most `most`, which must be
 * above 0 and not exceed the bytes left. They are valid until the next call.
 * Returns VARVE_TRUNCATED at the end of a compressed file. */
varve_status vv_scan_some(struct vv_scan *scan, uint64_t most,
    const unsigned char **bytes, size_t *size, varve_error *error);

/* Copies exactly `size` of the bytes left. */
varve_status vv_scan_exact(
    struct vv_scan *scan, void *bytes, size_t size, varve_error *error);

/* Skips some of the bytes left. Only with no_content. */
void vv_scan_skip(struct vv_scan *scan, uint64_t size);

/* At the end of the file, sets *digest to a digest of all bytes, or, with
 * no_content, of size and time of modification. */
varve_status vv_scan_digest(
    struct vv_scan *scan, struct vv_digest *digest, varve_error *error);

void vv_scan_end(struct vv_scan *scan);

#endif
