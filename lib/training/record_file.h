/* record_file.h - an open file whose records are found by their number.
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

/* A file that is read is looked at once in so many nanoseconds. A look costs
 * about as much as reading a few small records. */
enum { VV_CHECK_INTERVAL = 10 * 1000 * 1000 };

struct vv_record_file {
    struct vv_context context;
    char *path;
    int file; /* -1: shut */
    uint64_t size;
    int64_t modified;             /* nanoseconds since 1970-01-01 UTC */
    int64_t checked;              /* nanoseconds of uptime */
    enum vv_deflation deflation;  /* VV_DEFLATED: it is not compressed */
    struct vv_inflated *inflated; /* where it is compressed; else NULL */
    uint64_t *offsets; /* where each record begins; then where the last ends: in
                          what was compressed, if it is */
    size_t offset_count;
    size_t offset_capacity;
    uint64_t header_size; /* of a file of fixed-size records, which needs no */
    uint64_t record_size; /* offsets; else 0 */
};

/* NULL on failure. */
struct vv_record_file *vv_record_file_open(
    const struct vv_context *context, const char *path, varve_error *error);

/* Takes NULL. */
void vv_record_file_close(void *file);

/* Closes the descriptor and frees the states of inflating; the offsets stay. */
void vv_record_file_shut(struct vv_record_file *file);

/* Opens one that is shut. VARVE_MISMATCH where size or time of modification are
 * not those of the first opening; it is shut after any failure. */
varve_status vv_record_file_open_again(
    struct vv_record_file *file, varve_error *error);

/* As vv_record_check of an open file, and of the file that its path leads to:
 * one that was put in its place by a rename has another size or time of
 * modification. One that was deleted can be read on. */
varve_status vv_record_file_check(void *file, bool must, varve_error *error);

/* VARVE_MISMATCH unless a file still has the size and the time of modification
 * that it was opened with. */
varve_status vv_record_file_compare(const struct vv_record_file *file,
    uint64_t size, int64_t modified, varve_error *error);

/* Appends to the offsets. */
varve_status vv_record_file_add(
    struct vv_record_file *file, uint64_t offset, varve_error *error);

/* How many records there are. */
uint64_t vv_record_file_count(const struct vv_record_file *file);

/* Tells the system that a record will soon be read, of a `file` that is open
 * and not compressed; no effect on others. A vv_record_hint. */
void vv_record_file_hint(void *file, uint64_t index);

/* A digest of size and time of modification. */
varve_status vv_record_file_stamp(const struct vv_record_file *file,
    struct vv_digest *digest, varve_error *error);

/* The file is compressed; false without memory. */
bool vv_record_file_inflate(
    struct vv_record_file *file, enum vv_deflation deflation);

/* Appends bytes of the file to a sink; *bytes is where they stand in it. */
varve_status vv_record_file_take(const struct vv_record_file *file,
    uint64_t offset, uint64_t size, varve_sink *sink,
    const unsigned char **bytes, varve_error *error);

#endif
