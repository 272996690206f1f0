/* again.h - values that were delivered, once more; the call is public
 * (varve/restoration.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_AGAIN_H
#define VV_AGAIN_H

#include <varve/restoration.h>

#endif
