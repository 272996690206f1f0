/* wrong.h - Tests whether a mutation is active. Each copy of a file of lib
 * includes this header first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef WRONG_H
#define WRONG_H

/* The file may define it later, which has no effect after an include. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdbool.h>
#include <string.h>

#define VV_WRONG(name) vv_is_wrong(#name)

bool vv_is_wrong(const char *name);

#endif
