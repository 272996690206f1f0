/* remote_credentials.h - Caches temporary credentials until shortly before they
 * expire.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_CREDENTIALS_H
#define VV_REMOTE_CREDENTIALS_H

#include "remote_get.h"
#include "remote_profile.h"

/* Sets the clock, the lock and the certificates for all later calls. */
void vv_remote_credentials_use(const struct vv_remote_settings *settings);

/* Sets the credentials of a profile to those of its web identity, otherwise of
 * the container, otherwise of the instance. Returns 0 or a failure; -ENOENT if
 * none of them is configured, or there is no instance. Credentials are cached
 * for all threads. From ten minutes before they expire, one thread requests new
 * ones; if that fails, the old ones are used until they expire. */
int vv_remote_credentials_find(struct vv_remote_profile *profile);

#endif
