/* remote_source.c - Sends the requests to each credential service and parses
 * the responses.
 *
 * These services send credentials over http, at addresses that are used for
 * nothing else. So redirects are not followed, and a proxy is used only for
 * STS.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote_call.h"
#include "remote_identity.h"
#include "remote_text.h"
#include "remote_pool.h"
#include "remote_credentials.h"
#include "remote_url.h"

enum {
    MOST_ANSWER = 64 << 10,
    MOST_TOKEN = 64 << 10, /* bytes of a file */
    NEAR_MS = 2000,        /* timeout for a service on this machine */
    FAR_MS = 10000,
    ATTEMPTS = 3
};

void vv_remote_keys_clear(struct vv_remote_keys *keys)
{
    free(keys->key_id);
    free(keys->secret);
    free(keys->token);
    *keys = (struct vv_remote_keys){ .key_id = NULL };
}

/* --- Requests ---------------------------------------------------------------
 */

struct question {
    /* to fill in */
    const char *who; /* name of the service, for messages */
    const char *url;
    const char *method;  /* NULL: GET */
    const char *header;  /* or NULL */
    const char *form;    /* body of a POST, or NULL */
    const char *trusted; /* certificates, or NULL */
    bool is_far;
    /* own */
    struct vv_remote_text answer;
    long code;
};

static size_t remote_source_on_answer(
    char *bytes, size_t one, size_t count, void *user)
{
    struct question *q = user;
    size_t size = one * count;
    if (memchr(bytes, 0, size) || q->answer.size + size > MOST_ANSWER)
        return 0;
    vv_remote_add_bytes(&q->answer, bytes, size);
    return q->answer.failed ? 0 : size;
}

static CURLcode request_once(struct question *q, struct curl_slist *headers)
{
    CURL *c = vv_remote_pool_take();
    if (!c)
        return CURLE_OUT_OF_MEMORY;
    q->answer.size = 0;
    q->code = 0;
    curl_easy_setopt(c, CURLOPT_URL, q->url);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(
        c, CURLOPT_TIMEOUT_MS, (long)(q->is_far ? FAR_MS : NEAR_MS));
    if (!q->is_far)
        curl_easy_setopt(c, CURLOPT_NOPROXY, "*");
    if (q->method)
        curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, q->method);
    if (q->form)
        curl_easy_setopt(c, CURLOPT_POSTFIELDS, q->form);
    if (q->trusted)
        curl_easy_setopt(c, CURLOPT_CAINFO, q->trusted);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, remote_source_on_answer);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, q);
    CURLcode code = vv_remote_perform(c);
    if (code == CURLE_OK)
        curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &q->code);
    vv_remote_pool_give(c);
    return code;
}

/* Sends the request, with retries. Succeeds only with status 200. */
static int remote_source_request(struct question *q)
{
    struct curl_slist *headers = NULL;
    CURLcode code = CURLE_OUT_OF_MEMORY;
    unsigned attempts = 0;
    bool good = !q->header || vv_remote_add_header(&headers, q->header);
    while (good && attempts < ATTEMPTS && q->code / 100 != 2) {
        code = request_once(q, headers);
        attempts++;
        if (code == CURLE_OPERATION_TIMEDOUT || code == CURLE_COULDNT_CONNECT ||
            (code == CURLE_OK && q->code < 500))
            break;
    }
    curl_slist_free_all(headers);
    if (code == CURLE_OK && q->code == 200)
        return 0;
    if (code == CURLE_OK)
        return vv_remote_fail(
            EACCES, "no credentials: %s answered %ld", q->who, q->code);
    return vv_remote_fail(EACCES, "no credentials: %s: %s", q->who,
        code == CURLE_WRITE_ERROR ? "the response has no keys"
                                  : vv_remote_text_of(code));
}

static int fail_answer(const char *who)
{
    return vv_remote_fail(
        EACCES, "no credentials: %s: the response has no keys", who);
}

static int remote_source_fail_memory(void)
{
    return vv_remote_fail(ENOMEM, "no memory for credentials");
}

static void remote_source_clear(struct question *q)
{
    if (q->answer.at)
        memset(q->answer.at, 0, q->answer.size);
    free(q->answer.at);
    q->answer = (struct vv_remote_text){ .at = NULL };
}

/* Returns true if the text contains only characters that are allowed in headers
 * and signed texts. */
static bool remote_source_is_plain(const char *text)
{
    if (!text || !*text)
        return false;
    for (; *text; text++) {
        if (*text <= ' ' || *text > '~')
            return false;
    }
    return true;
}

/* Takes ownership of the text of the expiration. Credentials without one never
 * expire. One that cannot be parsed is an error, because they may expire at any
 * time. */
static int remote_source_check(
    const char *who, struct vv_remote_keys *keys, char *expiration)
{
    keys->expiry = expiration ? vv_remote_list_time(expiration) : 0;
    bool is_dated = !expiration || keys->expiry > 0;
    free(expiration);
    bool has_keys = remote_source_is_plain(keys->key_id) &&
                    remote_source_is_plain(keys->secret) &&
                    (!keys->token || remote_source_is_plain(keys->token));
    if (has_keys && is_dated)
        return 0;
    vv_remote_keys_clear(keys);
    return !has_keys ? fail_answer(who)
                     : vv_remote_fail(EACCES,
                           "no credentials: %s: the Expiration of the response "
                           "is not a time in UTC, such as 2026-10-01T10:00:00Z",
                           who);
}

/* --- A web identity ---------------------------------------------------------
 */

/* Returns the content of a file, to be freed; NULL if it cannot be read or is
 * empty. */
static char *read_token(const char *path)
{
    struct vv_remote_text text = { .at = NULL };
    char bytes[4096];
    size_t size;
    FILE *file = fopen(path, "re");
    while (file && (size = fread(bytes, 1, sizeof bytes, file)) > 0 &&
           text.size < MOST_TOKEN && !memchr(bytes, 0, size))
        vv_remote_add_bytes(&text, bytes, size);
    if (file)
        fclose(file);
    memset(bytes, 0, sizeof bytes);
    while (text.size && strchr(" \t\r\n", text.at[text.size - 1]))
        text.at[--text.size] = '\0';
    if (text.size)
        return vv_remote_take(&text);
    free(text.at);
    return NULL;
}

static char *url_of_sts(const char *region)
{
    struct vv_remote_text url = { .at = NULL };
    const char *own = vv_remote_setting("AWS_ENDPOINT_URL_STS");
    own = own ? own : vv_remote_setting("AWS_ENDPOINT_URL");
    if (own) {
        vv_remote_add(&url, own);
    } else {
        vv_remote_add(&url, "https://sts.");
        vv_remote_add(&url, region);
        vv_remote_add(&url, strncmp(region, "cn-", 3) == 0
                                ? ".amazonaws.com.cn/"
                                : ".amazonaws.com/");
    }
    return vv_remote_take(&url);
}

static char *remote_source_form_of(
    const struct vv_remote_role *role, const char *token)
{
    struct vv_remote_text form = { .at = NULL };
    vv_remote_add(
        &form, "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=");
    vv_remote_add_encoded(&form, role->role, true);
    vv_remote_add(&form, "&RoleSessionName=");
    vv_remote_add_encoded(&form, role->session ? role->session : "varve", true);
    vv_remote_add(&form, "&WebIdentityToken=");
    vv_remote_add_encoded(&form, token, true);
    return vv_remote_take(&form);
}

static char *element(const char *text, const char *name)
{
    char value[8192];
    char *copy = vv_remote_copy_element(text, name, value, sizeof value)
                     ? vv_remote_copy(value)
                     : NULL;
    memset(value, 0, sizeof value);
    return copy;
}

static int parse_role(const struct question *q, struct vv_remote_keys *keys)
{
    const char *text = q->answer.at ? q->answer.at : "";
    keys->key_id = element(text, "<AccessKeyId>");
    keys->secret = element(text, "<SecretAccessKey>");
    keys->token = element(text, "<SessionToken>");
    return remote_source_check(q->who, keys, element(text, "<Expiration>"));
}

int vv_remote_keys_of_role(
    const struct vv_remote_role *role, struct vv_remote_keys *keys)
{
    char *token = read_token(role->file);
    if (!token)
        return vv_remote_fail(EACCES,
            "no credentials: the file %s (AWS_WEB_IDENTITY_TOKEN_FILE or the "
            "profile) cannot be read or is empty",
            role->file);
    char *url = url_of_sts(role->region);
    char *form = remote_source_form_of(role, token);
    struct question q = { .who = "the STS request for a web identity role",
        .url = url,
        .form = form,
        .trusted = role->certificates,
        .is_far = true };
    int result =
        url && form ? remote_source_request(&q) : remote_source_fail_memory();
    if (!result)
        result = parse_role(&q, keys);
    remote_source_clear(&q);
    memset(token, 0, strlen(token));
    if (form)
        memset(form, 0, strlen(form));
    free(token);
    free(form);
    free(url);
    return result;
}

/* --- Containers -------------------------------------------------------------
 */

static int parse_json(const struct question *q, struct vv_remote_keys *keys)
{
    const char *text = q->answer.at ? q->answer.at : "";
    keys->key_id = vv_remote_json_text(text, "AccessKeyId");
    keys->secret = vv_remote_json_text(text, "SecretAccessKey");
    keys->token = vv_remote_json_text(text, "Token");
    return remote_source_check(
        q->who, keys, vv_remote_json_text(text, "Expiration"));
}

bool vv_remote_has_container(void)
{
    return vv_remote_setting("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") ||
           vv_remote_setting("AWS_CONTAINER_CREDENTIALS_FULL_URI");
}

/* Returns true if a token may be sent to this URL: the hosts that the AWS tools
 * accept. */
static bool is_container_url(const char *url)
{
    static const char *const hosts[] = { "localhost", "127.0.0.1", "[::1]",
        "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]" };
    if (strncmp(url, "https://", 8) == 0)
        return true;
    if (strncmp(url, "http://", 7) != 0)
        return false;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        size_t size = strlen(hosts[i]);
        if (strncmp(url + 7, hosts[i], size) == 0 &&
            (!url[7 + size] || strchr(":/?", url[7 + size])))
            return true;
    }
    return false;
}

static char *url_of_container(void)
{
    struct vv_remote_text url = { .at = NULL };
    const char *relative =
        vv_remote_setting("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    const char *full = vv_remote_setting("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    vv_remote_add(&url, relative ? "http://169.254.170.2" : full);
    if (relative)
        vv_remote_add(&url, *relative == '/' ? "" : "/");
    if (relative)
        vv_remote_add(&url, relative);
    return vv_remote_take(&url);
}

/* Sets *header to "Authorization: TOKEN", to be freed, or to NULL if there is
 * no token. Returns false if a token is configured but cannot be read. */
static bool find_authorization(char **header)
{
    const char *path =
        vv_remote_setting("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    const char *value = vv_remote_setting("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    char *read = path ? read_token(path) : NULL;
    *header = NULL;
    value = path ? read : value;
    if (value && !strpbrk(value, "\r\n")) {
        struct vv_remote_text text = { .at = NULL };
        vv_remote_add(&text, "Authorization: ");
        vv_remote_add(&text, value);
        *header = vv_remote_take(&text);
    }
    free(read);
    return *header || (!path && !value);
}

int vv_remote_keys_of_container(
    const char *certificates, struct vv_remote_keys *keys)
{
    char *header;
    if (!find_authorization(&header))
        return vv_remote_fail(EACCES, "no credentials: the container token "
                                      "(AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE "
                                      "or AWS_CONTAINER_AUTHORIZATION_TOKEN) "
                                      "cannot be read or has several lines");
    char *url = url_of_container();
    struct question q = { .who = "the endpoint of the container",
        .url = url,
        .header = header,
        .trusted = certificates };
    int result = !url ? remote_source_fail_memory()
                 : is_container_url(url)
                     ? remote_source_request(&q)
                     : vv_remote_fail(EACCES,
                           "no credentials: AWS_CONTAINER_CREDENTIALS_FULL_URI "
                           "must be https://, or http:// on this machine or "
                           "its container service");
    if (!result)
        result = parse_json(&q, keys);
    remote_source_clear(&q);
    free(header);
    free(url);
    return result;
}

/* --- Instances --------------------------------------------------------------
 */

bool vv_remote_has_instance(void)
{
    const char *disabled = vv_remote_setting("AWS_EC2_METADATA_DISABLED");
    return !disabled || !curl_strequal(disabled, "true");
}

static const char *base_of_instance(void)
{
    const char *own = vv_remote_setting("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    const char *mode =
        vv_remote_setting("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE");
    bool is_six = mode && curl_strequal(mode, "ipv6");
    return own      ? own
           : is_six ? "http://[fd00:ec2::254]"
                    : "http://169.254.169.254";
}

static int request_instance(
    struct question *q, const char *path, const char *name)
{
    struct vv_remote_text url = { .at = NULL };
    const char *base = base_of_instance();
    size_t size = strlen(base);
    while (size && base[size - 1] == '/')
        size--;
    vv_remote_add_bytes(&url, base, size);
    vv_remote_add(&url, path);
    vv_remote_add_encoded(&url, name, true);
    char *text = vv_remote_take(&url);
    q->who = "the metadata service of the instance";
    q->url = text;
    int result = text ? remote_source_request(q) : remote_source_fail_memory();
    q->url = NULL;
    free(text);
    return result;
}

/* Returns the first line of a response, terminated in place. */
static const char *line_of(struct question *q)
{
    char *text = q->answer.at;
    if (text)
        text[strcspn(text, "\r\n")] = '\0';
    return remote_source_is_plain(text) ? text : NULL;
}

static int keys_by_token(const char *token, struct vv_remote_keys *keys)
{
    static const char roles[] = "/latest/meta-data/iam/security-credentials/";
    struct vv_remote_text header = { .at = NULL };
    vv_remote_add(&header, "X-aws-ec2-metadata-token: ");
    vv_remote_add(&header, token);
    char *line = vv_remote_take(&header);
    struct question role = { .header = line }, q = { .header = line };
    int result =
        line ? request_instance(&role, roles, "") : remote_source_fail_memory();
    if (!result && !line_of(&role))
        result = fail_answer(role.who);
    if (!result)
        result = request_instance(&q, roles, role.answer.at);
    if (!result)
        result = parse_json(&q, keys);
    remote_source_clear(&q);
    remote_source_clear(&role);
    free(line);
    return result;
}

int vv_remote_keys_of_instance(struct vv_remote_keys *keys)
{
    struct question q = { .method = "PUT",
        .header = "X-aws-ec2-metadata-token-ttl-seconds: 21600" };
    int result = request_instance(&q, "/latest/api/token", "");
    if (!result && !line_of(&q))
        result = fail_answer(q.who);
    if (!result)
        result = keys_by_token(q.answer.at, keys);
    remote_source_clear(&q);
    return result;
}
