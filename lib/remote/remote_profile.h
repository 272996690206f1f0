/* remote_profile.h - who asks for what is in a bucket, and where: from the
 * environment and the files of a profile, as other programs have them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_PROFILE_H
#define VV_REMOTE_PROFILE_H

struct vv_remote_profile {
    /* to read; what is taken out is to be freed, and set to NULL */
    char *key_id;
    char *secret;
    char *token; /* or NULL */
    char *region;
    char *endpoint; /* NULL: Amazon's */
    /* own */
    char *role; /* that a web identity stands for, with the two below */
    char *token_file;
    char *session;
    char *foreign; /* a setting of the profile that gives keys elsewhere */
};

/* The value of a variable of the environment; NULL if it is not set or empty.
 */
const char *vv_remote_setting(const char *name);

/* AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; else those of
 * AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN; else those of the profile
 * AWS_PROFILE ("default") in AWS_SHARED_CREDENTIALS_FILE (~/.aws/credentials),
 * then in AWS_CONFIG_FILE (~/.aws/config), which may name a web identity, too;
 * else those of the container or the instance. Region and endpoint alike. Read
 * anew each time, since they change. 0, or what failed. Clear it in any case.
 */
int vv_remote_profile_find(struct vv_remote_profile *profile);

void vv_remote_profile_clear(struct vv_remote_profile *profile);

#endif
