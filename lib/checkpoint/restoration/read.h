/* read.h - the verbs that open a restoration are public
 * (varve/checkpoint.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_READ_H
#define VV_READ_H

#include <varve/checkpoint.h>

#endif
