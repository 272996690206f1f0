/* name.h - Checks names of edges, and escapes them for paths.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NAME_H
#define VV_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"
#include "path_text.h"

/* Returns true for 1 to VARVE_MAX_NAME_SIZE bytes of valid UTF-8 without
 * NUL. */
bool vv_name_is_valid(const char *name, size_t size);

/* Returns the reason why vv_name_is_valid is false, as the rest of a sentence
 * that begins with "the name". */
const char *vv_name_fault(const char *name, size_t size);

/* Like vv_name_is_valid; also requires that no part between '/' is empty. */
bool vv_name_has_parts(const char *name, size_t size);

/* Returns true for valid UTF-8 (RFC 3629: no overlong forms, no surrogates)
 * without NUL. */
bool vv_utf8_is_valid(const char *text, size_t size);

/* Appends a name in the form used in paths: / % * | ( ) and control characters
 * become %XX. */
void vv_path_add_name(struct vv_buffer *path, const char *name, size_t size);

/* Returns true if paths have %XX in place of a byte of a name. */
bool vv_path_escapes(char byte);

/* Reads the first name of a path. Sets `name` to its unescaped bytes and
 * returns the rest after the '/'. Returns NULL if an escape is invalid or the
 * name is empty. Callers must check name->failed too. */
const char *vv_path_next_name(const char *path, struct vv_buffer *name);

/* Writes a position in decimal and a NUL into `text`; returns the number of
 * digits. */
size_t vv_decimal(uint64_t value, char text[24]);

/* Appends a number in decimal. */
void vv_buffer_add_decimal(struct vv_buffer *text, uint64_t value);

/* Replaces the decimal separator of the locale by a point in a number that the
 * C library has written. Returns the text. */
char *vv_set_point(char *text);

/* Parses 16 lower-case hexadecimal digits. Returns false for any other text,
 * without changing *value. */
bool vv_parse_hexadecimal(const char *text, size_t size, uint64_t *value);

/* Returns true if a text of `size` bytes ends in another one, or is equal to
 * it. */
bool vv_text_ends_in(const char *text, size_t size, const char *ending);

/* Returns the value of a hexadecimal digit, or -1. */
int vv_hexadecimal(char c);

/* Longest path that is shown. A longer one is replaced by "..." and as much of
 * its end as fits in VV_SHORTENED_PATH bytes. This limits the work for deep
 * graphs, whose total path length grows with the square of the depth. */
enum { VV_LONGEST_PATH = 4095, VV_SHORTENED_PATH = 255 };

/* Longest path that patterns are compared with. */
enum { VV_LONGEST_SEARCHED_PATH = 8191 };

/* Shortens a path that is longer than `longest` to "..." and its end. */
void vv_path_shorten(struct vv_buffer *path, size_t longest);

/* Returns the size of a path that was shortened because it is longer than
 * `longest`. */
size_t vv_path_kept(size_t longest);

/* Shortens a path. The buffer can contain only the end of the path, if that is
 * longer than vv_path_kept. */
void vv_path_keep_end(struct vv_buffer *path, size_t longest);

/* Shortens a path that was shortened and then extended by a name, with the same
 * result as shortening the full path. */
void vv_path_shorten_on(struct vv_buffer *path);

/* Like vv_path_add_name, but of a name that exceeds a path of `longest` bytes
 * adds only enough of its end to exceed it. */
void vv_path_add_end(
    struct vv_buffer *path, const char *name, size_t size, size_t longest);

#endif
