/* remote_source.h - Requests temporary credentials from services for containers
 * and machines: STS for a web identity, the endpoint of a container, the
 * metadata service of an instance.
 *
 * Functions return 0 or a failure. Messages do not contain keys, tokens or
 * queries.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_SOURCE_H
#define VV_REMOTE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct vv_remote_keys {
    /* to read; free with vv_remote_keys_clear */
    char *key_id;
    char *secret;
    char *token;    /* or NULL */
    int64_t expiry; /* in nanoseconds since 1970; 0: never */
};

void vv_remote_keys_clear(struct vv_remote_keys *keys);

/* A role that a web identity assumes. */
struct vv_remote_role {
    /* to fill in */
    const char *file; /* file with the token */
    const char *role;
    const char *session; /* or NULL */
    const char *region;
    const char *certificates; /* or NULL */
};

/* Calls AssumeRoleWithWebIdentity at AWS_ENDPOINT_URL_STS, AWS_ENDPOINT_URL, or
 * the STS of the region. */
int vv_remote_keys_of_role(
    const struct vv_remote_role *role, struct vv_remote_keys *keys);

/* Uses AWS_CONTAINER_CREDENTIALS_RELATIVE_URI at 169.254.170.2, or
 * AWS_CONTAINER_CREDENTIALS_FULL_URI: https, or http to this machine or to the
 * addresses 169.254.170.2, 169.254.170.23 and fd00:ec2::23. */
bool vv_remote_has_container(void);
int vv_remote_keys_of_container(
    const char *certificates, struct vv_remote_keys *keys);

/* Uses version 2 of the metadata service, at 169.254.169.254, fd00:ec2::254 or
 * AWS_EC2_METADATA_SERVICE_ENDPOINT. AWS_EC2_METADATA_DISABLED=true disables
 * it. */
bool vv_remote_has_instance(void);
int vv_remote_keys_of_instance(struct vv_remote_keys *keys);

#endif
