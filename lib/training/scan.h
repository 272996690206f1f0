/* scan.h - a file of records read once from its beginning to its end, to find
 * its records: in large pieces, with a digest and progress.
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
    unsigned char *window;        /* a piece of the file */
    uint64_t window_at;           /* where it begins, */
    size_t window_size;           /* and its bytes */
    uint64_t at;                  /* the byte that comes next */
    uint64_t end;                 /* of all; UINT64_MAX: not known yet */
};

/* All begin with a scan that is all zero, and vv_scan_end takes it after any
 * failure. VARVE_CANCELLED where the progress callback asks for it. */
varve_status vv_scan_begin(struct vv_scan *scan,
    const struct vv_record_file *file, const varve_records_options *options,
    varve_error *error);

/* How many bytes of the file are to come; of one that is compressed perhaps
 * fewer, of which none can be skipped. */
static inline uint64_t vv_scan_left(const struct vv_scan *scan)
{
    return scan->end - scan->at;
}

/* Whether any are. */
varve_status vv_scan_has_more(
    struct vv_scan *scan, bool *has_more, varve_error *error);

/* The next bytes, at least one, at most `most`, which is neither 0 nor more
 * than are left; valid until the next call. VARVE_TRUNCATED where what is
 * compressed ends. */
varve_status vv_scan_some(struct vv_scan *scan, uint64_t most,
    const unsigned char **bytes, size_t *size, varve_error *error);

/* Exactly so many, of those that are left. */
varve_status vv_scan_exact(
    struct vv_scan *scan, void *bytes, size_t size, varve_error *error);

/* Leaves bytes out, of those that are left; only with no_content. */
void vv_scan_skip(struct vv_scan *scan, uint64_t size);

/* At the end of the file: a digest of all that was read, or of size and time of
 * modification with no_content. */
varve_status vv_scan_digest(
    struct vv_scan *scan, struct vv_digest *digest, varve_error *error);

void vv_scan_end(struct vv_scan *scan);

#endif
