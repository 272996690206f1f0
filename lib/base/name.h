/* name.h - names of edges: what is allowed, and how they look in a path.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NAME_H
#define VV_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"
#include "numbered_name.h"

/* 1 to VARVE_MAX_NAME_SIZE bytes of valid UTF-8 without NUL. */
bool vv_name_is_valid(const char *name, size_t size);

/* As vv_name_is_valid, of a name whose parts, joined by '/', are not empty. */
bool vv_name_has_parts(const char *name, size_t size);

/* Valid UTF-8 (RFC 3629: no overlong forms, no surrogates) without NUL. */
bool vv_utf8_is_valid(const char *text, size_t size);

/* Appends a name as it stands in a path: / % * | ( ) and control characters as
 * %XX. */
void vv_path_add_name(struct vv_buffer *path, const char *name, size_t size);

/* Returns true if paths have %XX in place of a byte of a name. */
bool vv_path_escapes(char byte);

/* Takes the first name off a path: its bytes, unescaped, replace the content of
 * `name`, and what is behind the '/' is returned; NULL when the escape is bad
 * or the name empty. Look at name->failed as well. */
const char *vv_path_next_name(const char *path, struct vv_buffer *name);

/* Writes the decimal digits of a position and a NUL into 24 bytes; returns the
 * number of digits. */
size_t vv_decimal(uint64_t value, char text[24]);

/* Appends them. */
void vv_buffer_add_decimal(struct vv_buffer *text, uint64_t value);

/* Of a number that the C library has written: whatever the locale puts before
 * the decimals becomes a point. Returns the text. */
char *vv_set_point(char *text);

/* The value of 16 hexadecimal digits in lower case; false for any other text,
 * which leaves *value as it is. */
bool vv_parse_hexadecimal(const char *text, size_t size, uint64_t *value);

/* Whether a text of `size` bytes ends in another one, or is that. */
bool vv_text_ends_in(const char *text, size_t size, const char *ending);

/* What a hexadecimal digit stands for; -1: it is none. */
int vv_hexadecimal(char c);

/* A path that is shown is no longer than this; of a longer one "..." and so
 * much of its end that both have VV_SHORTENED_PATH bytes. It bounds what a deep
 * graph can ask for, whose paths together grow with the square of its depth. */
enum { VV_LONGEST_PATH = 4095, VV_SHORTENED_PATH = 255 };

/* Patterns look at more of it. */
enum { VV_LONGEST_SEARCHED_PATH = 8191 };

/* Shortens a path that is longer than `longest` to "..." and its end. */
void vv_path_shorten(struct vv_buffer *path, size_t longest);

/* Returns the size of a path that was shortened because it is longer than
 * `longest`. */
size_t vv_path_kept(size_t longest);

/* Shortens a path, of which only an end may be there that is longer than
 * vv_path_kept. */
void vv_path_keep_end(struct vv_buffer *path, size_t longest);

/* Of a path that was shortened and then went on by a name: what the whole of it
 * would be shortened to. */
void vv_path_shorten_on(struct vv_buffer *path);

/* As vv_path_add_name; but of a name that is longer than a path of `longest`
 * bytes has room for, only as much of the end as makes it too long. */
void vv_path_add_end(
    struct vv_buffer *path, const char *name, size_t size, size_t longest);

#endif
