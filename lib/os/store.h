/* store.h - Selects the system that the library uses: the local one, or one
 * that also accesses remote stores, after varve_remote_enable.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STORE_H
#define VV_STORE_H

#include <stdbool.h>

#include <varve/error.h>

#include "system.h"

/* Returns vv_posix_system, or the system that varve_remote_enable has
 * installed. */
const struct vv_system *vv_default_system(void);

/* Returns true if remote stores are enabled and a path is a URL of a store or a
 * web server. */
bool vv_is_of_store(const char *path);

/* Fails with VARVE_MISUSE if an output path refers to a web server, or to a
 * store without a key. Call it before any work is done. */
varve_status vv_store_refuse(const char *path, varve_error *error);

/* Fails with VARVE_MISUSE if a path refers to any store, with a `reason` such
 * as "has no locks". For operations that stores do not support. */
varve_status vv_store_refuse_any(
    const char *path, const char *reason, varve_error *error);

/* Reason for formats whose writer changes bytes that it has written before. */
#define VV_STORE_IN_ORDER                                                      \
    "takes the bytes of a file in their order, and this format goes back"

/* Reason for files that several processes write. */
#define VV_STORE_ALONE "takes a file from one process"

/* Fails with VARVE_CORRUPT if a local file, `from`, refers to a file of a
 * store, so that a hostile file cannot cause requests to servers. */
varve_status vv_store_refuse_named(
    const char *from, const char *path, varve_error *error);

#endif
