/* value.h - A value in memory, in the form used in files, with access element
 * by element.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_VALUE_H
#define TOOL_VALUE_H

#include <stdio.h>

#include <varve/reader.h>

struct value {
    varve_saved_node node;
    uint64_t count;       /* number of elements */
    unsigned char *bytes; /* node.size of them */
    uint64_t next;        /* the next element */
    uint64_t offset; /* offset of that element; for a string, of its bytes */
};

/* Reads and verifies a value. On failure there is nothing to clear. */
varve_status value_read(struct value *value, varve_reader *reader,
    const varve_saved_node *node, varve_error *error);

/* Like value_read, for the first bytes of a state. */
varve_status value_read_beginning(struct value *value, varve_reader *reader,
    const varve_saved_node *node, varve_error *error);

void value_clear(struct value *value);

/* Returns the bytes of the next element; NULL at the end. */
const unsigned char *value_next(struct value *value, uint64_t *size);

/* Prints a value of one element as text; of a long string only its start. */
void value_print_scalar(FILE *to, struct value *value);

/* Returns true if the bytes of value_read_beginning are text: UTF-8 without
 * control characters other than tabs and newlines. value_print_text prints it
 * like a string. */
bool value_is_text(const struct value *value);
void value_print_text(FILE *to, const struct value *value);

#endif
