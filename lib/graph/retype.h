/* retype.h - the call is public (varve/variable.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RETYPE_H
#define VV_RETYPE_H

#include <varve/variable.h>

#endif
