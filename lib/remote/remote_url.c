/* remote_url.c - Converts paths to URLs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_url.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote_credentials.h"
#include "remote_text.h"

/* --- Errors --------------------------------------------------------------- */

static _Thread_local struct {
    int number;
    char text[700];
} last;

int vv_remote_fail(int number, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last.text, sizeof last.text, format, arguments);
    va_end(arguments);
    last.number = number;
    return -number;
}

void vv_remote_copy_reason(char *text, size_t room)
{
    snprintf(text, room, "%s", last.text);
}

const char *vv_remote_reason(int number, const char *path)
{
    bool is_it =
        vv_remote_scheme_of(path) != VV_REMOTE_NONE && number == last.number;
    last.number = 0;
    return is_it ? last.text : NULL;
}

/* --- URLs ----------------------------------------------------------------- */

enum vv_remote_scheme vv_remote_scheme_of(const char *path)
{
    if (strncmp(path, "https://", 8) == 0)
        return VV_REMOTE_HTTPS;
    if (strncmp(path, "http://", 7) == 0)
        return VV_REMOTE_HTTP;
    return strncmp(path, "s3://", 5) == 0 ? VV_REMOTE_S3 : VV_REMOTE_NONE;
}

static int remote_url_fail_memory(void)
{
    return vv_remote_fail(ENOMEM, "no memory for a path");
}

/* --- Web servers -----------------------------------------------------------
 */

static int place_of_page(const char *path, struct vv_remote_place *place)
{
    const char *host = strstr(path, "://") + 3;
    size_t size = strcspn(host, "/?#");
    if (memchr(host, '@', size))
        return vv_remote_fail(
            EINVAL, "the URL must not contain a user or password");
    if (size == 0 || strpbrk(path, " \r\n\t"))
        return vv_remote_fail(EINVAL, "not a URL");
    place->is_secure = vv_remote_scheme_of(path) == VV_REMOTE_HTTPS;
    place->url = strdup(path);
    return place->url ? 0 : remote_url_fail_memory();
}

/* --- Buckets ----------------------------------------------------------------
 */

static const char *remote_url_bucket_of(const char *path, size_t *size)
{
    const char *bucket = path + strlen("s3://");
    *size = strcspn(bucket, "/");
    return bucket;
}

/* Returns the part after the bucket and its '/'. */
static const char *key_of(const char *path)
{
    size_t size;
    const char *bucket = remote_url_bucket_of(path, &size);
    return bucket[size] ? bucket + size + 1 : bucket + size;
}

static bool is_bucket(const char *name, size_t size)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-._"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return size >= 3 && size <= 63 && strspn(name, allowed) >= size &&
           name[0] != '.' && name[0] != '-';
}

static const char *end_of_hosts(const char *region)
{
    return strncmp(region, "cn-", 3) == 0 ? ".amazonaws.com.cn/"
                                          : ".amazonaws.com/";
}

/* Adds endpoint and bucket. At Amazon the bucket is a part of the host name,
 * unless it contains a dot: wildcard certificates would not match. */
static void add_bucket(struct vv_remote_text *url, const char *bucket,
    size_t size, const struct vv_remote_profile *profile)
{
    bool has_dot = memchr(bucket, '.', size);
    if (profile->endpoint) {
        size_t end = strlen(profile->endpoint);
        while (end && profile->endpoint[end - 1] == '/')
            end--;
        vv_remote_add_bytes(url, profile->endpoint, end);
        vv_remote_add(url, "/");
    } else {
        vv_remote_add(url, "https://");
        if (!has_dot) {
            vv_remote_add_bytes(url, bucket, size);
            vv_remote_add(url, ".");
        }
        vv_remote_add(url, "s3.");
        vv_remote_add(url, profile->region);
        vv_remote_add(url, end_of_hosts(profile->region));
    }
    if (profile->endpoint || has_dot) {
        vv_remote_add_bytes(url, bucket, size);
        vv_remote_add(url, "/");
    }
}

static int check_endpoint(const char *endpoint)
{
    enum vv_remote_scheme scheme = vv_remote_scheme_of(endpoint);
    if ((scheme == VV_REMOTE_HTTP || scheme == VV_REMOTE_HTTPS) &&
        !strpbrk(endpoint, "@?# \r\n\t"))
        return 0;
    return vv_remote_fail(EINVAL,
        "the endpoint (AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL) must "
        "begin with https:// or http:// and have no user or query");
}

/* Moves the credentials of the profile to the place. */
static int sign(
    struct vv_remote_place *place, struct vv_remote_profile *profile)
{
    struct vv_remote_text signing = { .at = NULL };
    vv_remote_add(&signing, "aws:amz:");
    vv_remote_add(&signing, profile->region);
    vv_remote_add(&signing, ":s3");
    place->is_signed = true;
    place->signing = vv_remote_take(&signing);
    place->key_id = profile->key_id;
    place->secret = profile->secret;
    place->token = profile->token;
    profile->key_id = profile->secret = profile->token = NULL;
    return place->signing ? 0 : remote_url_fail_memory();
}

static int check_bucket(const char *path)
{
    size_t size;
    const char *bucket = remote_url_bucket_of(path, &size);
    return is_bucket(bucket, size)
               ? 0
               : vv_remote_fail(
                     EINVAL, "no bucket name: expected s3://BUCKET/KEY");
}

static int place_in_bucket(const char *path, const char *query, const char *key,
    struct vv_remote_place *place)
{
    struct vv_remote_profile profile = { .key_id = NULL };
    struct vv_remote_text url = { .at = NULL };
    size_t size;
    const char *bucket = remote_url_bucket_of(path, &size);
    int result = check_bucket(path);
    if (!result)
        result = vv_remote_profile_find(&profile);
    if (!result && profile.endpoint)
        result = check_endpoint(profile.endpoint);
    if (!result) {
        add_bucket(&url, bucket, size, &profile);
        vv_remote_add_encoded(&url, key, false);
        vv_remote_add(&url, query);
        place->url = vv_remote_take(&url);
        result = place->url ? sign(place, &profile) : remote_url_fail_memory();
    }
    if (!result)
        place->is_secure = vv_remote_scheme_of(place->url) == VV_REMOTE_HTTPS;
    vv_remote_profile_clear(&profile);
    return result;
}

int vv_remote_place_of_change(
    const char *path, const char *query, struct vv_remote_place *place)
{
    *place = (struct vv_remote_place){ .url = NULL };
    const char *key = key_of(path);
    if (check_bucket(path))
        return -EINVAL;
    if (!*key || key[strlen(key) - 1] == '/')
        return vv_remote_fail(EISDIR, "a bucket or prefix, not an object");
    return place_in_bucket(path, query, key, place);
}

int vv_remote_place_of(const char *path, struct vv_remote_place *place)
{
    if (vv_remote_scheme_of(path) == VV_REMOTE_S3)
        return vv_remote_place_of_change(path, "", place);
    *place = (struct vv_remote_place){ .url = NULL };
    return place_of_page(path, place);
}

char *vv_remote_prefix_of(const char *directory)
{
    struct vv_remote_text prefix = { .at = NULL };
    const char *key = key_of(directory);
    size_t size = strlen(key);
    while (size && key[size - 1] == '/')
        size--;
    vv_remote_add_bytes(&prefix, key, size);
    if (size)
        vv_remote_add(&prefix, "/");
    return vv_remote_take(&prefix);
}

/* The parameters are in the order in which they are signed. */
int vv_remote_place_of_list(
    const char *directory, const char *continued, struct vv_remote_place *place)
{
    struct vv_remote_text query = { .at = NULL };
    *place = (struct vv_remote_place){ .url = NULL };
    char *prefix = vv_remote_prefix_of(directory);
    vv_remote_add(&query, "?");
    if (continued) {
        vv_remote_add(&query, "continuation-token=");
        vv_remote_add_encoded(&query, continued, true);
        vv_remote_add(&query, "&");
    }
    vv_remote_add(&query, "delimiter=%2F&list-type=2&prefix=");
    vv_remote_add_encoded(&query, prefix ? prefix : "", true);
    char *text = vv_remote_take(&query);
    int result = prefix && text ? place_in_bucket(directory, text, "", place)
                                : remote_url_fail_memory();
    free(prefix);
    free(text);
    return result;
}

void vv_remote_place_clear(struct vv_remote_place *place)
{
    free(place->url);
    free(place->signing);
    free(place->key_id);
    free(place->secret);
    free(place->token);
    *place = (struct vv_remote_place){ .url = NULL };
}
