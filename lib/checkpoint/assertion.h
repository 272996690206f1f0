/* assertion.h - questions asked of a report; the calls are public
 * (varve/restoration.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ASSERTION_H
#define VV_ASSERTION_H

#include <varve/restoration.h>

#endif
