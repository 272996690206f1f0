/* file.h - whole reads and writes on top of the system: interrupted and short
 * ones go on, and errors get a text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FILE_H
#define VV_FILE_H

#include <varve/error.h>

#include "context.h"
#include "system.h"

/* Opens a file for reading and says how large it is. VARVE_NOT_FOUND,
 * VARVE_IS_DIRECTORY, VARVE_NOT_A_CHECKPOINT for a FIFO, socket or device, or
 * what the system says. */
varve_status vv_file_open(const struct vv_context *context, const char *path,
    int *file, uint64_t *size, varve_error *error);

/* The same, and all that the system knows of it. */
varve_status vv_file_open_info(const struct vv_context *context,
    const char *path, int *file, struct vv_file_info *info, varve_error *error);

/* What the system knows of an open file; `path` is for messages. */
varve_status vv_file_info(const struct vv_context *context, int file,
    const char *path, struct vv_file_info *info, varve_error *error);

/* Whether vv_file_open would open it, and what the system knows of it; `info`
 * may be NULL. */
varve_status vv_file_look(const struct vv_context *context, const char *path,
    struct vv_file_info *info, varve_error *error);

/* Takes -1. For files that were only read. */
void vv_file_close(const struct vv_context *context, int file);

/* Reads exactly `size` bytes; VARVE_TRUNCATED at the end of the file. EINTR and
 * EAGAIN are tried again, 10000 times in a row at most; a call moves at most
 * 1 GiB. */
varve_status vv_file_read(const struct vv_context *context, int file,
    const char *path, void *bytes, size_t size, uint64_t offset,
    varve_error *error);

/* The same by several threads, where there is much to read. */
varve_status vv_file_read_much(const struct vv_context *context, int file,
    const char *path, void *bytes, size_t size, uint64_t offset,
    varve_error *error);

/* Writes exactly `size` bytes, by the same rules; a write that moves nothing is
 * VARVE_IO. */
varve_status vv_file_write(const struct vv_context *context, int file,
    const char *path, const void *bytes, size_t size, uint64_t offset,
    varve_error *error);

/* What was written goes on its way to the disk: a sync, which tells of what
 * goes wrong, has less to wait for. */
void vv_file_start_write_back(const struct vv_context *context, int file);

/* The first bytes of a file, *size of them at most; sets how many. */
varve_status vv_file_head(const struct vv_context *context, const char *path,
    void *bytes, size_t *size, varve_error *error);

/* Fills `bytes` with random bits of the system for a name beside `path`, which
 * is for messages. */
varve_status vv_file_random(const struct vv_context *context, void *bytes,
    size_t size, const char *path, varve_error *error);

/* Removes a name in an open directory, or a path with VV_WORKING_DIRECTORY; one
 * that is not there is removed already. `path` is for messages. */
varve_status vv_file_remove(const struct vv_context *context, int directory,
    const char *name, const char *path, varve_error *error);

#endif
