/* flax_in.h - Reads files of Flax (JAX), as written by
 * flax.serialization.to_bytes and msgpack_serialize: one msgpack item, a map of
 * maps whose leaves are arrays.
 *
 * A map or list is an object; its keys or positions are the edges. An array is
 * a variable, mapped in the file; any other number or text is a scalar. The
 * optax state of the parameters also becomes slots of them (flax_in.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FLAX_IN_H
#define VV_FLAX_IN_H

#include "draft.h"
#include "foreign_format.h"

/* --- Reading -------------------------------------------------------------- */

extern const struct vv_foreign_format vv_flax_format;

#endif
