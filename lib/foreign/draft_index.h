/* draft_index.h - Builds the index of a draft.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DRAFT_INDEX_H
#define VV_DRAFT_INDEX_H

#include "draft.h"
#include "index_out.h"

/* --- Numbering ------------------------------------------------------------ */

/* Selects the reachable parts of a draft and orders them as in an index. */

struct vv_draft_numbers {
    struct vv_draft *draft;
    const varve_allocator *allocator;
    uint32_t *numbers;  /* number in the index of each node of the draft, or
                           VV_NONE */
    uint32_t *order;    /* node of the draft for each number of the index */
    uint32_t reached;   /* nodes numbered so far */
    size_t *first_edge; /* for each node of the draft, plus one at the end */
};

/* Numbers the nodes breadth first from the root; slot variables come last.
 * Sorts the draft's edges (by node of the draft) and its slots, tags and global
 * names (by node of the index; their owners, variables and nodes become numbers
 * of the index). Drops those of unreachable nodes. Adds the names to `columns`
 * and sets the number of each name. Returns VARVE_CORRUPT if two edges or slots
 * have the same name, or if the nodes of a slot have the wrong kind. Call
 * vv_draft_numbers_clear afterwards, also after a failure. */
varve_status vv_draft_number(struct vv_draft_numbers *numbers,
    struct vv_draft *draft, struct vv_index_columns *columns,
    varve_error *error);
void vv_draft_numbers_clear(struct vv_draft_numbers *numbers);

/* --- Columns -------------------------------------------------------------- */

/* Implements vv_draft_end for a draft whose paths have been resolved. */
varve_status vv_draft_make_index(struct vv_draft *draft,
    struct vv_opened *opened, struct vv_place **places, size_t *place_count,
    varve_error *error);

#endif
