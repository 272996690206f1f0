/* metadata_in.h - the user's map of names to scalars and strings, from an
 * index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_METADATA_IN_H
#define VV_METADATA_IN_H

#include "cbor_in.h"
#include "context.h"
#include "index_in.h"

/* Parses the map that comes next: first checks it and finds how much memory it
 * takes, then copies. That its keys are sorted was seen as it was passed over
 * (vv_cbor_skip). Half-built on failure. */
varve_status vv_metadata_parse(const struct vv_context *context,
    struct vv_cbor_in *in, struct vv_parsed_index *parsed);

void vv_metadata_clear(
    const struct vv_context *context, struct vv_parsed_index *parsed);

#endif
