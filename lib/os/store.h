/* store.h - which system the library stands on: the machine's, or one that
 * knows stores besides, once the program has asked for it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STORE_H
#define VV_STORE_H

#include <stdbool.h>

#include <varve/error.h>

#include "system.h"

/* vv_posix_system, until varve_remote_enable has put another one above it. */
const struct vv_system *vv_default_system(void);

/* Whether a path is one of a store or a web server, once those are known. */
bool vv_is_of_store(const char *path);

/* VARVE_MISUSE where a path that something is to be written to is that of a web
 * server, or of a store without a key. Asked before anything is done. */
varve_status vv_store_refuse(const char *path, varve_error *error);

/* VARVE_MISUSE where it is of any store, since `reason`: "has no locks". For
 * what a store cannot do. */
varve_status vv_store_refuse_any(
    const char *path, const char *reason, varve_error *error);

/* The reason where a format goes back to bytes that it has written. */
#define VV_STORE_IN_ORDER                                                      \
    "takes the bytes of a file in their order, and this format goes back"

/* The reason where many processes fill a file. */
#define VV_STORE_ALONE "takes a file from one process"

/* VARVE_CORRUPT where a file of this machine, at `from`, names one of a store:
 * nobody is to ask a server because a file says so. */
varve_status vv_store_refuse_named(
    const char *from, const char *path, varve_error *error);

#endif
