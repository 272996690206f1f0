/* file.h - Complete reads and writes: interrupted and short ones are continued,
 * and errors get a message.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FILE_H
#define VV_FILE_H

#include <varve/error.h>

#include "context.h"
#include "system.h"

/* Opens a file for reading and sets *size. Returns VARVE_NOT_FOUND,
 * VARVE_IS_DIRECTORY, VARVE_NOT_A_CHECKPOINT for a FIFO, socket or device, or
 * the status of the system error. */
varve_status vv_file_open(const struct vv_context *context, const char *path,
    int *file, uint64_t *size, varve_error *error);

/* Like vv_file_open, with all information that the system has. */
varve_status vv_file_open_info(const struct vv_context *context,
    const char *path, int *file, struct vv_file_info *info, varve_error *error);

/* Sets *info to the information about an open file; `path` is for messages. */
varve_status vv_file_info(const struct vv_context *context, int file,
    const char *path, struct vv_file_info *info, varve_error *error);

/* Like vv_file_open_info, but closes the file; `info` can be NULL. */
varve_status vv_file_look(const struct vv_context *context, const char *path,
    struct vv_file_info *info, varve_error *error);

/* Closes a file that was only read; accepts -1. */
void vv_file_close(const struct vv_context *context, int file);

/* Reads exactly `size` bytes; returns VARVE_TRUNCATED at the end of the file.
 * EINTR and EAGAIN are retried, at most 10000 times in a row. A system call
 * transfers at most 1 GiB. */
varve_status vv_file_read(const struct vv_context *context, int file,
    const char *path, void *bytes, size_t size, uint64_t offset,
    varve_error *error);

/* Like vv_file_read, with several threads for large reads. */
varve_status vv_file_read_much(const struct vv_context *context, int file,
    const char *path, void *bytes, size_t size, uint64_t offset,
    varve_error *error);

/* Writes exactly `size` bytes, by the same rules. Returns VARVE_IO if a write
 * transfers nothing. */
varve_status vv_file_write(const struct vv_context *context, int file,
    const char *path, const void *bytes, size_t size, uint64_t offset,
    varve_error *error);

/* Starts write-back of all written data, so that a later sync waits less. The
 * sync reports errors. */
void vv_file_start_write_back(const struct vv_context *context, int file);

/* Reads the first bytes of a file, at most *size, and sets *size to their
 * number. */
varve_status vv_file_head(const struct vv_context *context, const char *path,
    void *bytes, size_t *size, varve_error *error);

/* Fills `bytes` with random bits of the system. `path` is for messages. */
varve_status vv_file_random(const struct vv_context *context, void *bytes,
    size_t size, const char *path, varve_error *error);

/* Removes a name in an open directory, or a path with VV_WORKING_DIRECTORY. A
 * missing file counts as removed. `path` is for messages. */
varve_status vv_file_remove(const struct vv_context *context, int directory,
    const char *name, const char *path, varve_error *error);

#endif
