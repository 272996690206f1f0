/* pickle_in.h - Parses a Python pickle (PEP 307, 3154 and 574; CPython's
 * pickletools.py) without executing it.
 *
 * Supports the opcodes of protocols 2 to 5 that carry data. Each opcode creates
 * at most one item and a few links, so memory and time are proportional to the
 * size of the pickle. Nothing is recursive.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PICKLE_IN_H
#define VV_PICKLE_IN_H

#include <varve/error.h>

#include "pickle.h"

/* Parses the pickle at the beginning of `bytes`; bytes after its end are
 * ignored. `where` is the prefix of error messages. `bytes` must outlive the
 * pickle.
 *
 * Returns VARVE_CORRUPT or VARVE_TRUNCATED with the offset of the error,
 * VARVE_TOO_NEW for an unsupported opcode, and VARVE_LIMIT above 1 GiB. Call
 * vv_pickle_clear after success and after failure. */
varve_status vv_pickle_read(struct vv_pickle *pickle,
    const struct vv_buffer *bytes, const char *where, varve_error *error);
void vv_pickle_clear(struct vv_pickle *pickle);

#endif
