/* json_out.h - Writes strings and numbers as JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_JSON_OUT_H
#define VV_JSON_OUT_H

#include "buffer.h"

/* Appends valid UTF-8 in quotes, with the shortest and fewest possible
 * escapes. */
void vv_json_add_string(struct vv_buffer *to, const char *text, size_t size);

/* Like vv_json_add_string, in ASCII: \uXXXX for other characters, like Python's
 * json by default. */
void vv_json_add_ascii(struct vv_buffer *to, const char *text, size_t size);

/* Appends a number in decimal. */
void vv_json_add_number(struct vv_buffer *to, uint64_t number);

#endif
