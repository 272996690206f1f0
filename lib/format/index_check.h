/* index_check.h - whether columns of agreeing lengths obey the rules of
 * docs/format.md. One pass over each column.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_INDEX_CHECK_H
#define VV_INDEX_CHECK_H

#include <varve/error.h>

#include "context.h"
#include "failure.h"
#include "index.h"

struct vv_index_check {
    const struct vv_context *context;
    const char *path;     /* for messages */
    const uint8_t *bytes; /* of the index, in which the columns lie */
    uint64_t data_end;    /* where in the file they begin */
    const struct vv_index *index;
    varve_error *error;
};

/* Names, nodes, edges, slots, tags. */
varve_status vv_check_graph(const struct vv_index_check *check);

/* Its parts that look into names: that they are valid, sorted and unique; that
 * edges `begin` to `end` - 1, whose names are there, are named as a list's are;
 * that each name is used, which makes the pool a function of the graph. */
varve_status vv_check_names(const struct vv_index_check *check);
varve_status vv_check_positions(
    const struct vv_index_check *check, uint32_t begin, uint32_t end);
varve_status vv_check_use(const struct vv_index_check *check);

/* Values. Fills in the table, which has room for all of them. Nodes must have
 * been checked. */
varve_status vv_check_values(
    const struct vv_index_check *check, struct vv_value_table *table);

/* VARVE_CORRUPT, "<file>: index at offset <of `at`>: ...". */
varve_status vv_check_fail(const struct vv_index_check *check,
    const uint8_t *at, const char *format, ...) VV_PRINTF(3, 4);

#endif
