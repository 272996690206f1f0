/* pieces.h - Reads selected elements of a value piece by piece, in row-major
 * order:
 *
 *     status = pieces_open(&pieces, reader, &node, &error);
 *     pieces_begin(&pieces, &selection);
 *     while (!(status = pieces_next(&pieces, &piece, &error)) && piece.count)
 *         ...
 *     pieces_close(&pieces);
 *
 * Values of up to 8 MiB, strings, and values that another format stores in
 * several parts are in memory while they are open. Other values are read in
 * blocks of at most 8 MiB, again after each pieces_begin. All bytes are
 * verified.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PIECES_H
#define TOOL_PIECES_H

#include "selection.h"
#include "value.h"

struct piece {
    /* the elements in the form used in files; for strings, varve_string */
    const unsigned char *bytes;
    uint64_t count; /* 0: end */
    uint64_t first; /* number of elements before it */
};

struct pieces {
    varve_reader *reader;
    varve_saved_node node;
    const struct selection *selection; /* borrowed */
    struct value whole;                /* if the value is in memory */
    varve_string *strings;             /* if it consists of strings */
    unsigned char *read;               /* one box of the file */
    unsigned char *packed;             /* its selected elements */
    size_t packed_size;
    size_t unit; /* size of an element in bytes */
    /* the dimension that is divided; later ones are read completely */
    uint32_t split;
    uint64_t limit;                  /* size of a box in bytes */
    uint64_t inner;                  /* size of the later dimensions in bytes */
    uint64_t given;                  /* number of elements returned so far */
    uint64_t count;                  /* number of all elements */
    struct axis cut[VARVE_MAX_RANK]; /* the range to read next */
    /* position in the dimensions up to the split */
    uint64_t next[VARVE_MAX_RANK];
};

/* On failure there is nothing to close. Returns VARVE_NOT_FOUND for a node
 * without a value, or the status of varve_reader_read. */
varve_status pieces_open(struct pieces *pieces, varve_reader *reader,
    const varve_saved_node *node, varve_error *error);

/* Starts at the first element of a selection. */
void pieces_begin(struct pieces *pieces, const struct selection *selection);

varve_status pieces_next(
    struct pieces *pieces, struct piece *piece, varve_error *error);

void pieces_close(struct pieces *pieces);

/* Reads all selected elements as a value in memory, with the type, shape and
 * size of the selection. On failure there is nothing to clear. */
varve_status value_read_selected(struct value *value, varve_reader *reader,
    const varve_saved_node *node, const struct selection *selection,
    varve_error *error);

#endif
