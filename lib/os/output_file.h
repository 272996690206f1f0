/* output_file.h - descriptors and streams of the program that it writes its
 * output to. They are of the machine, whatever system the library stands on.
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

/* Opens a file that is there for appending, as a descriptor that is none of the
 * three standard streams and is closed by an exec. */
int vv_output_open(const char *path);
void vv_output_close(int descriptor);

/* 1 if a descriptor can be written to, else 0. */
int vv_output_is_writable(int descriptor);

/* 1 if the next write goes to the end of a file of so many bytes, else 0. A
 * file that has grown since is at its end, too. */
int vv_output_is_at_end(int descriptor, uint64_t size);

/* Sets the size of a file and the position of the descriptor to `size`. */
int vv_output_cut(int descriptor, uint64_t size);

/* Reads bytes of the file of a descriptor, which may be open for writing alone:
 * it is opened once more then. 1; 0 where it cannot be opened for reading, or
 * ends before. */
int vv_output_read(int descriptor, uint64_t offset, void *bytes, size_t size);

/* The descriptor of a stream. */
int vv_output_stream_descriptor(FILE *stream);

/* Writes what is buffered. */
int vv_output_stream_flush(FILE *stream);

/* Whether an earlier write failed, so that text may be lost. */
bool vv_output_stream_has_failed(FILE *stream);

/* Sets the position of a stream, of which nothing is buffered. */
int vv_output_stream_seek(FILE *stream, uint64_t position);

#endif
