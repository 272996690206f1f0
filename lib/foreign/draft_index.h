/* draft_index.h - Builds the index of a draft.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DRAFT_INDEX_H
#define VV_DRAFT_INDEX_H

#include "draft.h"

/* Implements vv_draft_end for a draft whose paths have been resolved. */
varve_status vv_draft_make_index(struct vv_draft *draft,
    struct vv_opened *opened, struct vv_place **places, size_t *place_count,
    varve_error *error);

#endif
