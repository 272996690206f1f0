/* pickle_in.h - a pickle of Python (PEP 307, 3154 and 574; CPython's
 * pickletools.py), read and never run.
 *
 * Taken are the opcodes of protocols 2 to 5 that hold data; every one makes at
 * most one item and a few links, so memory and time grow with the bytes, and
 * nothing recurses.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PICKLE_IN_H
#define VV_PICKLE_IN_H

#include <varve/error.h>

#include "pickle.h"

/* What is behind the end of the pickle is not looked at. `where` begins the
 * messages; `bytes` stay as long as the pickle.
 * VARVE_CORRUPT or VARVE_TRUNCATED with the offset of what is wrong,
 * VARVE_TOO_NEW for an opcode that is not taken, VARVE_LIMIT above 1 GiB. End
 * with vv_pickle_clear, after success or failure. */
varve_status vv_pickle_read(struct vv_pickle *pickle,
    const struct vv_buffer *bytes, const char *where, varve_error *error);
void vv_pickle_clear(struct vv_pickle *pickle);

#endif
