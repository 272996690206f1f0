/* scan.h - Reads a file of records once from start to end, in large pieces,
 * with a digest and progress, to find its records.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SCAN_H
#define VV_SCAN_H

#include <varve/records.h>

#include "record_file.h"
#include "record_source.h"

/* --- Scanning ------------------------------------------------------------- */

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

/* --- Sources that are scanned --------------------------------------------- */

/* Sources that consist of files which are scanned when they are opened. */

/* A kind of file. */
struct vv_scanned {
    const char *path;
    enum vv_source_kind kind;
    uint64_t header_size; /* for files of fixed-size records, otherwise 0 */
    uint64_t record_size;
    /* Examines the start of the file before all else; or NULL. */
    varve_status (*look)(struct vv_record_file *file, varve_error *error);
    /* Reads the file to its end and finds its records. */
    varve_status (*index)(
        struct vv_record_file *file, struct vv_scan *scan, varve_error *error);
    /* Implements `read` of varve_source; `self` is the struct
     * vv_record_file. */
    varve_status (*read)(
        void *self, uint64_t index, varve_sink *sink, varve_error *error);
};

/* Opens a file and scans it. It remains open, and *digest is set to that of its
 * content, or of its size and time of modification. */
varve_status vv_scanned_open(const struct vv_context *context,
    const struct vv_scanned *kind, const varve_records_options *options,
    struct vv_record_file **file, struct vv_digest *digest, varve_error *error);

/* Returns a number that distinguishes sources of one kind in addition to their
 * bytes: the size of their records, or the number of skipped lines. */
uint64_t vv_scanned_mark(
    const struct vv_scanned *kind, const varve_records_options *options);

/* Returns the options that apply to such files, for vv_record_options_check. */
unsigned vv_scanned_uses(const struct vv_scanned *kind);

varve_records *vv_records_open_scanned(const struct vv_context *context,
    const struct vv_scanned *kind, const varve_records_options *options,
    varve_error *error);

#endif
