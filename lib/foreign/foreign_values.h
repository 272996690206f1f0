/* foreign_values.h - the values of a foreign checkpoint behind a struct
 * vv_opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FOREIGN_VALUES_H
#define VV_FOREIGN_VALUES_H

#include "foreign.h"

/* Its state is a struct vv_foreign, which ends with it. */
extern const struct vv_backing vv_foreign_backing;

/* Gets ready to read and check values; `parsed` outlives it. */
varve_status vv_foreign_begin(struct vv_foreign *foreign,
    const struct vv_parsed_index *parsed, varve_error *error);

/* Frees all of it, and itself; half-built ones too. */
void vv_foreign_free(struct vv_foreign *foreign);

#endif
