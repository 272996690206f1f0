/* remote_credentials.h - Finds the credentials, the region and the endpoint of
 * a bucket, and caches temporary credentials until shortly before they expire.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_CREDENTIALS_H
#define VV_REMOTE_CREDENTIALS_H

#include "remote_get.h"

/* --- Profiles ------------------------------------------------------------- */

/* Finds credentials, region and endpoint for buckets in the environment and in
 * the files of a profile, as other programs do. */

struct vv_remote_profile {
    /* to read; a taken string must be freed and the member set to NULL */
    char *key_id;
    char *secret;
    char *token; /* or NULL */
    char *region;
    char *endpoint; /* NULL: that of Amazon */
    /* own */
    char *role; /* role of a web identity, with the two members below */
    char *token_file;
    char *session;
    /* a setting of the profile for an unsupported source of credentials */
    char *foreign;
};

/* Returns the value of an environment variable; NULL if it is not set or
 * empty. */
const char *vv_remote_setting(const char *name);

/* Finds the credentials in this order: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY
 * and AWS_SESSION_TOKEN; AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN; the
 * profile AWS_PROFILE ("default") in AWS_SHARED_CREDENTIALS_FILE
 * (~/.aws/credentials), then in AWS_CONFIG_FILE (~/.aws/config), which can
 * contain a web identity too; the container or the instance. Region and
 * endpoint are found in the same way. Everything is read each time, because it
 * can change. Returns 0 or a failure. Call vv_remote_profile_clear in any
 * case. */
int vv_remote_profile_find(struct vv_remote_profile *profile);

void vv_remote_profile_clear(struct vv_remote_profile *profile);

/* --- Temporary credentials ------------------------------------------------ */

/* Sets the clock, the lock and the certificates for all later calls. */
void vv_remote_credentials_use(const struct vv_remote_settings *settings);

/* Sets the credentials of a profile to those of its web identity, otherwise of
 * the container, otherwise of the instance. Returns 0 or a failure; -ENOENT if
 * none of them is configured, or there is no instance. Credentials are cached
 * for all threads. From ten minutes before they expire, one thread requests new
 * ones; if that fails, the old ones are used until they expire. */
int vv_remote_credentials_find(struct vv_remote_profile *profile);

#endif
