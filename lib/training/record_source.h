/* record_source.h - from a source to its records, for those that open one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RECORD_SOURCE_H
#define VV_RECORD_SOURCE_H

#include <varve/records.h>

#include "checksum.h"
#include "context.h"

/* Takes a source over: it is closed here where this fails. The allocator of the
 * options is not looked at. */
varve_records *vv_records_open_in(const struct vv_context *context,
    const varve_source *source, const varve_records_options *options,
    varve_error *error);

/* Tells the system that a record will soon be read. A hint: it has no effect on
 * what is read. */
typedef void vv_record_hint(void *self, uint64_t index);

/* Whether the files that were read since the last check are as they were when
 * they were opened: VARVE_MISMATCH. A file is looked at once in
 * VV_CHECK_INTERVAL, or now where it must be. */
typedef varve_status vv_record_check(void *self, bool must, varve_error *error);

/* A source whose records are in files. */
struct vv_record_list;
struct vv_file_source {
    /* to fill in */
    varve_source source;
    const struct vv_record_list *list; /* NULL: it is none; the source has it */
    vv_record_hint *hint;              /* NULL: none; `self` of the source */
    vv_record_check *check;            /* likewise */
};

/* The same for such a source. */
varve_records *vv_records_open_file_source(const struct vv_context *context,
    const struct vv_file_source *from, const varve_records_options *options,
    varve_error *error);

/* Options that have an effect on some sources only. */
enum { VV_USES_SKIP_LINES = 1, VV_USES_APPENDED = 2 };

/* VARVE_MISUSE where an option is set that is not among the `uses`; `name`,
 * which may be NULL, is that of the source. */
varve_status vv_record_options_check(const char *name,
    const varve_records_options *options, unsigned uses, varve_error *error);

/* The options, or all zero, and the real machine with their allocator. */
struct vv_record_opening {
    struct vv_context context;
    varve_records_options options;
};
struct vv_record_opening vv_record_opening_of(
    const varve_records_options *options);

/* The numbers are part of fingerprints, and so of files. */
enum vv_source_kind {
    VV_LINES = 1,
    VV_FIXED = 2,
    VV_TFRECORDS = 3,
    VV_ARRAY = 4,
    VV_FILES = 5
};

/* Sets the fingerprint of a source: of its kind, the size of its records where
 * they all have one, and a digest of what it holds. */
void vv_set_fingerprint(varve_source *source, enum vv_source_kind kind,
    uint64_t record_size, const struct vv_digest *digest);

#endif
