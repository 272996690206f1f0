/* remote_credentials.h - Caches temporary credentials until shortly before they
 * expire.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_CREDENTIALS_H
#define VV_REMOTE_CREDENTIALS_H

#include "remote_get.h"
#include "remote_profile.h"

/* The clock, the lock and the certificates that are used from now on. */
void vv_remote_credentials_use(const struct vv_remote_settings *settings);

/* Sets the keys of a profile to those of its web identity, else of the
 * container, else of the instance: 0, or what failed. -ENOENT: none of them is
 * configured, or there is no instance. Keys are kept for all threads; within
 * ten minutes of their end one thread asks for others, and as long as nobody
 * gives them the old ones are used to their end. */
int vv_remote_credentials_find(struct vv_remote_profile *profile);

#endif
