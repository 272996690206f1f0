/* compare.h - a checkpoint as the library reads it, against the lines that say
 * what is in it.
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
    size_t values;         /* named so far */
    struct counterpart {
        size_t id;         /* in the reader */
        size_t edges, slots; /* that the lines have */
        size_t extra;      /* edges to attributes that are nodes of ours */
        bool is_known;
    } *nodes;              /* by number in the lines */
    size_t node_count, node_capacity;
};

/* Compares from the present line to the line "end", and counts the differences,
 * each of which is printed. */
size_t compare_checkpoint(
    varve_reader *reader, const char *path, struct lines *lines);

#endif
