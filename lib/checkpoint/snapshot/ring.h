/* ring.h - the calls are public (varve/snapshot.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RING_H
#define VV_RING_H

#include <varve/snapshot.h>

#endif
