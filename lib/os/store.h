/* store.h - which system the library stands on: the machine's, or one that
 * knows stores besides, once the program has asked for it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STORE_H
#define VV_STORE_H

#include <varve/error.h>

#include "system.h"

/* vv_posix_system, until varve_remote_enable has put another one above it. */
const struct vv_system *vv_default_system(void);

/* VARVE_MISUSE where a path that something is to be written to, or locked, is
 * one of a store, once stores are known. Asked before anything is done. */
varve_status vv_store_refuse(const char *path, varve_error *error);

/* VARVE_CORRUPT where a file of this machine, at `from`, names one of a store:
 * nobody is to ask a server because a file says so. */
varve_status vv_store_refuse_named(
    const char *from, const char *path, varve_error *error);

#endif
