/* layer_check.h - the rules of layers and of places in them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_CHECK_H
#define VV_LAYER_CHECK_H

#include "index_check.h"

/* That the places of an index, if it has any, cover the data up to `end`, and
 * lie between header and footer of the layers that it names. */
varve_status vv_check_layers(const struct vv_index_check *check, uint64_t end);

#endif
