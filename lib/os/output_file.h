/* output_file.h - Handles the descriptors and streams to which the program
 * writes its output. They belong to the local system, whatever struct vv_system
 * the library uses.
 *
 * Functions return 0 or more on success and a negative errno on failure.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OUTPUT_FILE_H
#define VV_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Opens an existing file for appending. The descriptor is not one of the three
 * standard streams and is closed by exec. */
int vv_output_open(const char *path);
void vv_output_close(int descriptor);

/* Returns 1 if a descriptor is open for writing, otherwise 0. */
int vv_output_is_writable(int descriptor);

/* Returns 1 if the next write leaves the first `size` bytes unchanged: in
 * append mode, or at a position at or after `size`. Otherwise returns 0. */
int vv_output_is_at_end(int descriptor, uint64_t size);

/* Sets the size of a file and the position of the descriptor to `size`. */
int vv_output_cut(int descriptor, uint64_t size);

/* Reads bytes of the file of a descriptor. If that is open only for writing,
 * opens the file again. Returns 1, or 0 if it cannot be opened for reading or
 * is too short. */
int vv_output_read(int descriptor, uint64_t offset, void *bytes, size_t size);

/* Returns the descriptor of a stream. */
int vv_output_stream_descriptor(FILE *stream);

/* Flushes a stream. */
int vv_output_stream_flush(FILE *stream);

/* Returns true if an earlier write failed, so that output may be lost. */
bool vv_output_stream_has_failed(FILE *stream);

/* Sets the position of a stream, which must be flushed. */
int vv_output_stream_seek(FILE *stream, uint64_t position);

#endif
