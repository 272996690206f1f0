/* graft.h - the call is public (varve/structure.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GRAFT_H
#define VV_GRAFT_H

#include <varve/structure.h>

#endif
