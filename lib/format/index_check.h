/* index_check.h - Checks that the columns of an index obey the rules of
 * docs/format.md, in one pass over each column. The lengths of the columns were
 * checked before.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEX_CHECK_H
#define VV_INDEX_CHECK_H

#include <varve/error.h>

#include "context.h"
#include "failure.h"
#include "index.h"

/* --- Nodes and edges ------------------------------------------------------ */

struct vv_index_check {
    const struct vv_context *context;
    const char *path;     /* for messages */
    const uint8_t *bytes; /* the index, which contains the columns */
    uint64_t data_end;    /* offset of the index in the file */
    const struct vv_index *index;
    varve_error *error;
};

/* Checks names, nodes, edges, slots, tags and global names. */
varve_status vv_check_graph(const struct vv_index_check *check);

/* Fails with VARVE_CORRUPT and "<file>: index at offset <of `at`>: ...". */
varve_status vv_check_fail(const struct vv_index_check *check,
    const uint8_t *at, const char *format, ...) VV_PRINTF(3, 4);

/* --- Names ---------------------------------------------------------------- */

/* Checks the rules of names. */

/* Checks that names are valid, sorted and unique. */
varve_status vv_check_names(const struct vv_index_check *check);

/* Checks that edges `begin` to `end` - 1 are named like those of a list. The
 * names must exist. */
varve_status vv_check_positions(
    const struct vv_index_check *check, uint32_t begin, uint32_t end);

/* Checks that each name is used. So the names are a function of the graph. */
varve_status vv_check_use(const struct vv_index_check *check);

#endif
