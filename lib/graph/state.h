/* state.h - saving and loading what is not a tensor; children on demand.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STATE_H
#define VV_STATE_H

#include <varve/variable.h>

#include "buffer.h"
#include "node.h"

struct varve_sink {
    /* to fill in */
    struct vv_buffer bytes;
};

/* Appends the bytes of a state to `bytes`. VARVE_CALLBACK or VARVE_NO_MEMORY on
 * failure. `where` names it. */
varve_status vv_state_save(varve_node *node, const char *where,
    struct vv_buffer *bytes, varve_error *error);

varve_status vv_state_load(varve_node *node, const char *where,
    const void *bytes, size_t size, varve_error *error);

#endif
