/* scanned.h - Sources that consist of files which are scanned when they are
 * opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SCANNED_H
#define VV_SCANNED_H

#include "record_source.h"
#include "scan.h"

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
