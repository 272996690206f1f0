/* json_out.h - Prints JSON piece by piece, so that a million items need the
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

/* Returns bytes as JSON: a string if they are UTF-8, otherwise {"hex":"..."}. A
 * new reference. */
json_t *json_bytes(const void *bytes, size_t size);

/* Returns an integer up to 2^63 - 1, otherwise null. */
json_t *json_count(uint64_t value);

/* Returns bytes as hexadecimal digits. */
json_t *json_hex(const unsigned char *bytes, size_t size);

/* Prints a string in the form of json_bytes; NULL as null. */
void json_print_text(FILE *to, const char *text);

/* Prints a value on one line and releases it. NULL, from a failed allocation,
 * ends the program. */
void json_print(FILE *to, json_t *value);

/* Returns a value as text, to be freed; NULL if there is no memory. */
char *json_text(const json_t *value);

/* Like json_print, for an element of an array whose '[' was printed: on a new
 * line, after a comma unless it is the first. */
void json_print_element(FILE *to, json_t *value, size_t index);

#endif
