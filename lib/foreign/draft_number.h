/* draft_number.h - which parts of a draft are kept, and in which order
 * an index has it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DRAFT_NUMBER_H
#define VV_DRAFT_NUMBER_H

#include "draft.h"
#include "index_columns.h"

struct vv_draft_numbers {
    struct vv_draft *draft;
    const varve_allocator *allocator;
    uint32_t *numbers;  /* by node of the draft: in the index, or VV_NONE */
    uint32_t *order;    /* the other way round */
    uint32_t reached;   /* nodes numbered so far */
    size_t *first_edge; /* by node of the draft, and one more */
};

/* Numbers the nodes from the root on, breadth first, slot variables last. Sorts
 * the draft's edges (by node of the draft), slots, tags and global names (by
 * nodes of the index, which owners, variables and labels name from now on), and
 * drops those of nodes that cannot be reached. Gives each the number of its
 * name in `columns`, to which the names are added. VARVE_CORRUPT for two edges
 * or slots of one name, and for slots of nodes of other kinds. End with
 * vv_draft_numbers_clear, after a failure too. */
varve_status vv_draft_number(struct vv_draft_numbers *numbers,
    struct vv_draft *draft, struct vv_index_columns *columns,
    varve_error *error);
void vv_draft_numbers_clear(struct vv_draft_numbers *numbers);

#endif
