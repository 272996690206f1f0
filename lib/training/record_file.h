/* record_file.h - An open file with records that are accessed by number.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RECORD_FILE_H
#define VV_RECORD_FILE_H

#include <varve/error.h>
#include <varve/variable.h>

#include "checksum.h"
#include "context.h"
#include "inflated.h"

/* Smallest interval between two checks of a file that is read, in nanoseconds.
 * A check costs about as much as reading a few small records. */
enum { VV_CHECK_INTERVAL = 10 * 1000 * 1000 };

struct vv_record_file {
    struct vv_context context;
    char *path;
    int file; /* -1: closed */
    uint64_t size;
    int64_t modified;             /* in nanoseconds since 1970-01-01 UTC */
    int64_t checked;              /* uptime of the last check in nanoseconds */
    enum vv_deflation deflation;  /* VV_DEFLATED: not compressed */
    struct vv_inflated *inflated; /* for a compressed file; otherwise NULL */
    /* start of each record and end of the last, in the decompressed content */
    uint64_t *offsets;
    size_t offset_count;
    size_t offset_capacity;
    /* for a file of fixed-size records, which has no offsets */
    uint64_t header_size;
    uint64_t record_size; /* the same; otherwise 0 */
};

/* Returns NULL on failure. */
struct vv_record_file *vv_record_file_open(
    const struct vv_context *context, const char *path, varve_error *error);

/* Frees the file; accepts NULL. */
void vv_record_file_close(void *file);

/* Closes the descriptor and frees the decompression states; keeps the
 * offsets. */
void vv_record_file_shut(struct vv_record_file *file);

/* Opens the file again. Returns VARVE_MISMATCH if its size or time of
 * modification differs from the first opening. After a failure it is closed. */
varve_status vv_record_file_open_again(
    struct vv_record_file *file, varve_error *error);

/* Implements vv_record_check for an open file, and for the file at its path: a
 * file that was renamed to this path has another size or time of modification.
 * A deleted file can be read on. */
varve_status vv_record_file_check(void *file, bool must, varve_error *error);

/* Returns VARVE_MISMATCH unless a file still has the size and the time of
 * modification with which it was opened. */
varve_status vv_record_file_compare(const struct vv_record_file *file,
    uint64_t size, int64_t modified, varve_error *error);

/* Appends an offset. */
varve_status vv_record_file_add(
    struct vv_record_file *file, uint64_t offset, varve_error *error);

/* Returns the number of records. */
uint64_t vv_record_file_count(const struct vv_record_file *file);

/* Announces that a record will soon be read, if the file is open and not
 * compressed; otherwise has no effect. A vv_record_hint. */
void vv_record_file_hint(void *file, uint64_t index);

/* Sets *digest to a digest of size and time of modification. */
varve_status vv_record_file_stamp(const struct vv_record_file *file,
    struct vv_digest *digest, varve_error *error);

/* Marks the file as compressed. Returns false if there is no memory. */
bool vv_record_file_inflate(
    struct vv_record_file *file, enum vv_deflation deflation);

/* Appends bytes of the file to a sink, and sets *bytes to their address in
 * it. */
varve_status vv_record_file_take(const struct vv_record_file *file,
    uint64_t offset, uint64_t size, varve_sink *sink,
    const unsigned char **bytes, varve_error *error);

#endif
