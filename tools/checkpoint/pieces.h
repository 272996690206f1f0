/* pieces.h - chosen elements of a value, some at a time, in row-major order:
 *
 *     status = pieces_open(&pieces, reader, &node, &error);
 *     pieces_begin(&pieces, &selection);
 *     while (!(status = pieces_next(&pieces, &piece, &error)) && piece.count)
 *         ...
 *     pieces_close(&pieces);
 *
 * Values of up to 8 MiB, strings, and what is not in one piece in a file of
 * another format are in memory as long as they are open. Of others it is what
 * is read at a time, 8 MiB at most; each begin reads anew. All that is read is
 * verified.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PIECES_H
#define TOOL_PIECES_H

#include "selection.h"
#include "value.h"

struct piece {
    const unsigned char *bytes; /* the elements one behind the other, as in a
                                   file; of strings varve_string */
    uint64_t count;             /* 0: that was all */
    uint64_t first;             /* how many came before */
};

struct pieces {
    varve_reader *reader;
    varve_saved_node node;
    const struct selection *selection; /* borrowed */
    struct value whole;                /* where it is in memory */
    varve_string *strings;             /* of strings these */
    unsigned char *read;               /* one box of the file */
    unsigned char *packed;             /* what is chosen of it */
    size_t packed_size;
    size_t unit;    /* bytes of an element */
    uint32_t split; /* the dimension that is cut; those behind it never */
    uint64_t limit; /* bytes of a box */
    uint64_t inner; /* bytes that those behind it span */
    uint64_t given; /* elements up to now */
    uint64_t count; /* in all */
    struct axis cut[VARVE_MAX_RANK]; /* what is read next */
    uint64_t next[VARVE_MAX_RANK];   /* of the dimensions up to the split */
};

/* On failure there is nothing to close: VARVE_NOT_FOUND for a node without a
 * value, and what varve_reader_read gives. */
varve_status pieces_open(struct pieces *pieces, varve_reader *reader,
    const varve_saved_node *node, varve_error *error);

/* From the first element of a selection on. */
void pieces_begin(struct pieces *pieces, const struct selection *selection);

varve_status pieces_next(
    struct pieces *pieces, struct piece *piece, varve_error *error);

void pieces_close(struct pieces *pieces);

/* All that is chosen as a value in memory, whose type, shape and size are those
 * of the selection. On failure there is nothing to clear. */
varve_status value_read_selected(struct value *value, varve_reader *reader,
    const varve_saved_node *node, const struct selection *selection,
    varve_error *error);

#endif
