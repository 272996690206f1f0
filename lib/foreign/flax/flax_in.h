/* flax_in.h - files of Flax (JAX), as flax.serialization.to_bytes and
 * msgpack_serialize write them: one item of msgpack, a map of maps, whose
 * leaves are arrays.
 *
 * A map or list is an object, its keys or positions are the edges. An array is
 * a variable, mapped in the file; a number or text that is none is a scalar.
 * What optax keeps of the parameters becomes slots of them too (flax_slots.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FLAX_IN_H
#define VV_FLAX_IN_H

#include "foreign_format.h"

extern const struct vv_foreign_format vv_flax_format;

#endif
