/* snapshot_diff.h - the call is public (varve/snapshot.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SNAPSHOT_DIFF_H
#define VV_SNAPSHOT_DIFF_H

#include <varve/snapshot.h>

#endif
