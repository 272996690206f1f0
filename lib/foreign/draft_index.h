/* draft_index.h - a draft as an index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DRAFT_INDEX_H
#define VV_DRAFT_INDEX_H

#include "draft.h"

/* What vv_draft_end promises, of a draft without paths. */
varve_status vv_draft_make_index(struct vv_draft *draft,
    struct vv_opened *opened, struct vv_place **places, size_t *place_count,
    varve_error *error);

#endif
