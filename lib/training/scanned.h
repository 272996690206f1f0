/* scanned.h - sources that are files which are scanned at opening.
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
    uint64_t header_size; /* of files of fixed-size records, else 0 */
    uint64_t record_size;
    /* Looks at how it begins, before all else; NULL: nothing to look at. */
    varve_status (*look)(struct vv_record_file *file, varve_error *error);
    /* Reads the file to its end and finds its records. */
    varve_status (*index)(
        struct vv_record_file *file, struct vv_scan *scan, varve_error *error);
    /* As in varve_source; `self` is the struct vv_record_file. */
    varve_status (*read)(
        void *self, uint64_t index, varve_sink *sink, varve_error *error);
};

/* Opens a file and scans it: it stays open, and `digest` is that of its
 * content, or of its size and time of modification. */
varve_status vv_scanned_open(const struct vv_context *context,
    const struct vv_scanned *kind, const varve_records_options *options,
    struct vv_record_file **file, struct vv_digest *digest, varve_error *error);

/* What tells sources of one kind apart besides their bytes: the size of their
 * records, or the lines that are skipped. */
uint64_t vv_scanned_mark(
    const struct vv_scanned *kind, const varve_records_options *options);

/* The options that have an effect on such files, for vv_record_options_check.
 */
unsigned vv_scanned_uses(const struct vv_scanned *kind);

varve_records *vv_records_open_scanned(const struct vv_context *context,
    const struct vv_scanned *kind, const varve_records_options *options,
    varve_error *error);

#endif
