/* record_source.h - Functions for the implementations of sources.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RECORD_SOURCE_H
#define VV_RECORD_SOURCE_H

#include <varve/records.h>

#include "checksum.h"
#include "context.h"

/* Opens records over a source and takes ownership of it: closes it on failure.
 * Ignores the allocator of the options. */
varve_records *vv_records_open_in(const struct vv_context *context,
    const varve_source *source, const varve_records_options *options,
    varve_error *error);

/* Announces that a record will soon be read. Has no effect on the result. */
typedef void vv_record_hint(void *self, uint64_t index);

/* Returns VARVE_MISMATCH if a file that was read since the last check has
 * changed since it was opened. Each file is checked at most once in
 * VV_CHECK_INTERVAL, unless `must` is true. */
typedef varve_status vv_record_check(void *self, bool must, varve_error *error);

/* A source whose records are in files. */
struct vv_record_list;
struct vv_file_source {
    /* to fill in */
    varve_source source;
    /* NULL: not a list; owned by the source */
    const struct vv_record_list *list;
    vv_record_hint *hint;   /* called with `self` of the source; or NULL */
    vv_record_check *check; /* called with `self` of the source; or NULL */
};

/* Like vv_records_open_in, for such a source. */
varve_records *vv_records_open_file_source(const struct vv_context *context,
    const struct vv_file_source *from, const varve_records_options *options,
    varve_error *error);

/* Options that apply only to some sources. */
enum { VV_USES_SKIP_LINES = 1, VV_USES_APPENDED = 2 };

/* Returns VARVE_MISUSE if an option is set that is not in `uses`. `name` is the
 * name of the source, or NULL. */
varve_status vv_record_options_check(const char *name,
    const varve_records_options *options, unsigned uses, varve_error *error);

/* The options, or all zero, and a context with their allocator and the default
 * system. */
struct vv_record_opening {
    struct vv_context context;
    varve_records_options options;
};
struct vv_record_opening vv_record_opening_of(
    const varve_records_options *options);

/* These numbers are a part of fingerprints, and therefore of files. */
enum vv_source_kind {
    VV_LINES = 1,
    VV_FIXED = 2,
    VV_TFRECORDS = 3,
    VV_ARRAY = 4,
    VV_FILES = 5
};

/* Sets the fingerprint of a source from its kind, the size of its records if it
 * is fixed, and a digest of its content. */
void vv_set_fingerprint(varve_source *source, enum vv_source_kind kind,
    uint64_t record_size, const struct vv_digest *digest);

#endif
