/* metadata_in.h - Parses the user's metadata of an index: a map of names to
 * scalars and strings.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_METADATA_IN_H
#define VV_METADATA_IN_H

#include "cbor_in.h"
#include "context.h"
#include "index_in.h"

/* Parses the map that comes next: checks it and computes the necessary memory,
 * then copies it. vv_cbor_skip has checked that its keys are sorted. On failure
 * the result is half-built; free it with vv_metadata_clear. */
varve_status vv_metadata_parse(const struct vv_context *context,
    struct vv_cbor_in *in, struct vv_parsed_index *parsed);

void vv_metadata_clear(
    const struct vv_context *context, struct vv_parsed_index *parsed);

#endif
