/* wrong.h - Provides VV_WRONG, which tests if a mutation is active. Each copy
 * of a file of lib includes this header first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef WRONG_H
#define WRONG_H

/* Defined first, because a definition after an include has no effect. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdbool.h>
#include <string.h>

#define VV_WRONG(name) vv_is_wrong(#name)

bool vv_is_wrong(const char *name);

#endif
