/* saver_add.h - the calls that add to a map are public (varve/saver.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVER_ADD_H
#define VV_SAVER_ADD_H

#include <varve/saver.h>

#endif
