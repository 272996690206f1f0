/* compare.h - Declares the comparison of a checkpoint with the lines that
 * describe its content.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPARE_H
#define COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include <varve/varve.h>

#include "lines.h"

struct comparison {
    varve_reader *reader;
    const char *path;
    size_t differences;
    size_t values;         /* compared so far */
    struct counterpart {
        size_t id;         /* id in the reader */
        size_t edges, slots; /* found in the lines */
        size_t extra;      /* edges to attributes for which Varve adds nodes */
        bool is_known;
    } *nodes;              /* by node number in the lines */
    size_t node_count, node_capacity;
};

/* Compares up to the line "end". Prints each difference and returns their
 * number. */
size_t compare_checkpoint(
    varve_reader *reader, const char *path, struct lines *lines);

#endif
