/* json_out.h - JSON printed piece by piece, so that a million items need the
 * memory of one. Jansson makes the pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_JSON_OUT_H
#define TOOL_JSON_OUT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Any bytes as JSON: a string where they are UTF-8, else {"hex":"..."}. A new
 * reference. */
json_t *json_bytes(const void *bytes, size_t size);

/* An integer up to 2^63 - 1, else null. */
json_t *json_count(uint64_t value);

/* Bytes as hexadecimal digits. */
json_t *json_hex(const unsigned char *bytes, size_t size);

/* Prints a string as json_bytes does; NULL as null. */
void json_print_text(FILE *to, const char *text);

/* Prints a value on one line and releases it. NULL, from a failed allocation,
 * ends the program. */
void json_print(FILE *to, json_t *value);

/* The same as text, to be freed; NULL without memory. */
char *json_text(const json_t *value);

/* The same as an element of an array whose '[' was printed: on a line of its
 * own, behind a comma unless it is the first. */
void json_print_element(FILE *to, json_t *value, size_t index);

#endif
