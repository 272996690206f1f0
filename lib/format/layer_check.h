/* layer_check.h - Checks the rules of layers and of places in them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_CHECK_H
#define VV_LAYER_CHECK_H

#include "index_check.h"

/* Checks that the places of an index, if any, cover the data up to `end` and
 * are between header and footer of the layers. */
varve_status vv_check_layers(const struct vv_index_check *check, uint64_t end);

#endif
