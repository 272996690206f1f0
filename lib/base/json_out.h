/* json_out.h - strings and numbers as JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_JSON_OUT_H
#define VV_JSON_OUT_H

#include "buffer.h"

/* Appends valid UTF-8 in quotes, with the shortest escapes and no more of them
 * than there have to be. */
void vv_json_add_string(struct vv_buffer *to, const char *text, size_t size);

/* The same in ASCII alone: \uXXXX for other characters, as Python's json does
 * without being told otherwise. */
void vv_json_add_ascii(struct vv_buffer *to, const char *text, size_t size);

/* Appends the decimal digits of a number. */
void vv_json_add_number(struct vv_buffer *to, uint64_t number);

#endif
