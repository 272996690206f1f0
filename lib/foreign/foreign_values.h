/* foreign_values.h - Makes the values of a foreign checkpoint accessible
 * through a struct vv_opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FOREIGN_VALUES_H
#define VV_FOREIGN_VALUES_H

#include "foreign.h"

/* Its state is a struct vv_foreign, which `close` frees. */
extern const struct vv_backing vv_foreign_backing;

/* Prepares for reading and checking values. `parsed` must outlive `foreign`. */
varve_status vv_foreign_begin(struct vv_foreign *foreign,
    const struct vv_parsed_index *parsed, varve_error *error);

/* Frees `foreign` and everything it owns. Accepts one that is only partly
 * initialized. */
void vv_foreign_free(struct vv_foreign *foreign);

#endif
