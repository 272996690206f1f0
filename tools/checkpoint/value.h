/* value.h - one value in memory, as it lies in the file, element by element.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_VALUE_H
#define TOOL_VALUE_H

#include <stdio.h>

#include <varve/reader.h>

struct value {
    varve_saved_node node;
    uint64_t count;       /* of elements */
    unsigned char *bytes; /* node.size of them */
    uint64_t next;        /* the element that comes next */
    uint64_t offset;      /* of that element; of its bytes if a string */
};

/* Reads and verifies. On failure there is nothing to clear. */
varve_status value_read(struct value *value, varve_reader *reader,
    const varve_saved_node *node, varve_error *error);

/* The same of the first bytes of a state. */
varve_status value_read_beginning(struct value *value, varve_reader *reader,
    const varve_saved_node *node, varve_error *error);

void value_clear(struct value *value);

/* The bytes of the next element; NULL past the end. */
const unsigned char *value_next(struct value *value, uint64_t *size);

/* Prints a value of one element for people; of a long string the beginning. */
void value_print_scalar(FILE *to, struct value *value);

/* Whether what value_read_beginning has is text: UTF-8 without controls but
 * tabs and ends of lines. Then it is printed as strings are. */
bool value_is_text(const struct value *value);
void value_print_text(FILE *to, const struct value *value);

#endif
