/* wrong.h - what chooses a mistake in the copies of lib; each of them begins
 * with this, whatever it includes itself.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef WRONG_H
#define WRONG_H

/* The file that follows may define it, which has no effect after an include. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdbool.h>
#include <string.h>

#define VV_WRONG(name) vv_is_wrong(#name)

bool vv_is_wrong(const char *name);

#endif
