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

/* Names, nodes, edges, slots, tags, global names. */
varve_status vv_check_graph(const struct vv_index_check *check);

/* VARVE_CORRUPT, "<file>: index at offset <of `at`>: ...". */
varve_status vv_check_fail(const struct vv_index_check *check,
    const uint8_t *at, const char *format, ...) VV_PRINTF(3, 4);

#endif
