/* snapshot.h - the calls are public (varve/snapshot.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SNAPSHOT_H
#define VV_SNAPSHOT_H

#include <varve/snapshot.h>

#endif
