/* remote_credentials.c - Selects the service that issues credentials, and
 * caches them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_credentials.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote_pool.h"
#include "remote_source.h"
#include "remote_text.h"
#include "remote_url.h"

/* --- Profiles ------------------------------------------------------------- */

enum { LINE_SIZE = 8192 }; /* session tokens are long */

const char *vv_remote_setting(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static const char *name_of_profile(void)
{
    const char *name = vv_remote_setting("AWS_PROFILE");
    return name ? name : "default";
}

/* --- Files ------------------------------------------------------------------
 */

static char *strip(char *text)
{
    text += strspn(text, " \t\r\n");
    size_t size = strlen(text);
    while (size && strchr(" \t\r\n", text[size - 1]))
        size--;
    text[size] = '\0';
    return text;
}

/* Returns true for "[default]" or "[name]", and in a config file for "[profile
 * name]". */
static bool is_section(char *line, const char *name)
{
    char *end = strchr(line, ']');
    if (end)
        *end = '\0';
    line = strip(line + 1);
    if (strncmp(line, "profile", 7) == 0 && (line[7] == ' ' || line[7] == '\t'))
        line = strip(line + 7);
    return strcmp(line, name) == 0;
}

static void remote_profile_take(char **to, const char *value)
{
    if (!*to && *value)
        *to = strdup(value);
}

/* Returns true for settings of credential sources that are not supported. */
static bool remote_profile_is_foreign(const char *name)
{
    static const char *const names[] = { "credential_process", "sso_session",
        "sso_start_url", "source_profile", "credential_source" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static void remote_profile_take_line(
    struct vv_remote_profile *p, char *line, bool has_keys)
{
    const struct {
        const char *name;
        char **to;
        bool is_key;
    } known[] = { { "region", &p->region, false },
        { "endpoint_url", &p->endpoint, false },
        { "aws_access_key_id", &p->key_id, true },
        { "aws_secret_access_key", &p->secret, true },
        { "aws_session_token", &p->token, true },
        { "role_arn", &p->role, true },
        { "web_identity_token_file", &p->token_file, true },
        { "role_session_name", &p->session, true } };
    char *equals = strchr(line, '=');
    if (!equals)
        return;
    *equals = '\0';
    const char *name = strip(line);
    const char *value = strip(equals + 1);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) == 0 && !(known[i].is_key && has_keys))
            remote_profile_take(known[i].to, value);
    }
    if (remote_profile_is_foreign(name))
        remote_profile_take(&p->foreign, name);
}

/* Settings of an earlier file have priority; credentials must come from a
 * single file. Indented lines belong to the setting above and are ignored. */
static void remote_profile_read_file(
    struct vv_remote_profile *p, const char *path)
{
    char line[LINE_SIZE];
    bool has_keys = p->key_id || p->secret || (p->role && p->token_file);
    bool is_ours = false;
    FILE *file = path ? fopen(path, "re") : NULL;
    while (file && fgets(line, sizeof line, file)) {
        if (*line == '[')
            is_ours = is_section(line, name_of_profile());
        else if (is_ours && !strchr("#; \t", *line))
            remote_profile_take_line(p, line, has_keys);
    }
    if (file)
        fclose(file);
    memset(line, 0, sizeof line);
}

static char *remote_profile_path_of(
    const char *variable, const char *below_home)
{
    struct vv_remote_text path = { .at = NULL };
    const char *home = vv_remote_setting("HOME");
    const char *own = vv_remote_setting(variable);
    if (!own && !home)
        return NULL;
    vv_remote_add(&path, own ? own : home);
    vv_remote_add(&path, own ? "" : below_home);
    return vv_remote_take(&path);
}

/* --- Public functions -------------------------------------------------------
 */

static void take_environment(struct vv_remote_profile *p)
{
    const char *key_id = vv_remote_setting("AWS_ACCESS_KEY_ID");
    const char *secret = vv_remote_setting("AWS_SECRET_ACCESS_KEY");
    const char *token = vv_remote_setting("AWS_SESSION_TOKEN");
    const char *region = vv_remote_setting("AWS_REGION");
    const char *endpoint = vv_remote_setting("AWS_ENDPOINT_URL_S3");
    region = region ? region : vv_remote_setting("AWS_DEFAULT_REGION");
    endpoint = endpoint ? endpoint : vv_remote_setting("AWS_ENDPOINT_URL");
    if (key_id && secret) {
        p->key_id = strdup(key_id);
        p->secret = strdup(secret);
        p->token = token ? strdup(token) : NULL;
    }
    const char *role = vv_remote_setting("AWS_ROLE_ARN");
    const char *file = vv_remote_setting("AWS_WEB_IDENTITY_TOKEN_FILE");
    const char *session = vv_remote_setting("AWS_ROLE_SESSION_NAME");
    if (!p->key_id && role && file) {
        p->role = strdup(role);
        p->token_file = strdup(file);
        p->session = session ? strdup(session) : NULL;
    }
    remote_profile_take(&p->region, region ? region : "");
    remote_profile_take(&p->endpoint, endpoint ? endpoint : "");
}

/* Returns true if a region is valid as a part of a host name. */
static bool is_region(const char *region)
{
    return !region[strspn(region, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

static int fail_keys(const struct vv_remote_profile *p, const char *credentials,
    const char *config)
{
    char also[120] = "";
    if (p->foreign)
        snprintf(also, sizeof also,
            "; the profile has %s, which is not supported: use the output of "
            "`aws configure export-credentials`",
            p->foreign);
    return vv_remote_fail(EACCES,
        "no credentials: looked for AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY, AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, "
        "the profile \"%s\" in %s and %s, "
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI, and the metadata "
        "service of an instance, which %s%s",
        name_of_profile(), credentials ? credentials : "~/.aws/credentials",
        config ? config : "~/.aws/config",
        vv_remote_has_instance() ? "returned none"
                                 : "AWS_EC2_METADATA_DISABLED disables",
        also);
}

/* Finds credentials. A web identity has priority over those in files. */
static int find_keys(
    struct vv_remote_profile *p, const char *credentials, const char *config)
{
    bool has_role = p->role && p->token_file;
    if (p->key_id && p->secret && !has_role)
        return 0;
    int result = vv_remote_credentials_find(p);
    return result == -ENOENT ? fail_keys(p, credentials, config) : result;
}

int vv_remote_profile_find(struct vv_remote_profile *p)
{
    char *credentials = remote_profile_path_of(
        "AWS_SHARED_CREDENTIALS_FILE", "/.aws/credentials");
    char *config = remote_profile_path_of("AWS_CONFIG_FILE", "/.aws/config");
    *p = (struct vv_remote_profile){ .key_id = NULL };
    take_environment(p);
    remote_profile_read_file(p, credentials);
    remote_profile_read_file(p, config);
    remote_profile_take(&p->region, "us-east-1");
    int result = 0;
    if (!p->region)
        result = vv_remote_fail(ENOMEM, "no memory for a profile");
    else if (!is_region(p->region))
        result = vv_remote_fail(EINVAL,
            "the region must be a word such as us-east-1 (AWS_REGION, "
            "AWS_DEFAULT_REGION, region of the profile)");
    else
        result = find_keys(p, credentials, config);
    free(credentials);
    free(config);
    return result;
}

void vv_remote_profile_clear(struct vv_remote_profile *p)
{
    free(p->key_id);
    free(p->secret);
    free(p->token);
    free(p->region);
    free(p->endpoint);
    free(p->role);
    free(p->token_file);
    free(p->session);
    free(p->foreign);
    *p = (struct vv_remote_profile){ .key_id = NULL };
}

/* --- Temporary credentials ------------------------------------------------ */

#define A_SECOND ((int64_t)1000000000)
/* Time before their expiration at which new ones are requested. */
#define EARLY (600 * A_SECOND)
/* Time between attempts after a failure, while old ones are valid. */
#define AGAIN (30 * A_SECOND)
#define A_WHILE (A_SECOND / 50)

enum kind { OF_ROLE, OF_CONTAINER, OF_INSTANCE };

/* Guarded by the lock of the module. */
static struct {
    const struct vv_remote_settings *settings;
    char *source; /* identifies the source of `keys`; NULL: no keys */
    struct vv_remote_keys keys;
    int64_t next; /* earliest time to request new ones */
    bool is_asking;
    /* fork count of the process in which a thread is requesting */
    unsigned fork;
} kept;

void vv_remote_credentials_use(const struct vv_remote_settings *settings)
{
    vv_remote_lock();
    kept.settings = settings;
    vv_remote_unlock();
}

static int64_t remote_credentials_now(void)
{
    const struct vv_system *machine = kept.settings->machine;
    return machine->now(machine->state);
}

static int remote_credentials_fail_memory(void)
{
    return vv_remote_fail(ENOMEM, "no memory for credentials");
}

/* --- Sources ----------------------------------------------------------------
 */

static enum kind remote_credentials_kind_of(const struct vv_remote_profile *p)
{
    return p->role && p->token_file    ? OF_ROLE
           : vv_remote_has_container() ? OF_CONTAINER
                                       : OF_INSTANCE;
}

static void remote_credentials_add(
    struct vv_remote_text *text, const char *word)
{
    vv_remote_add(text, word ? word : "");
    vv_remote_add(text, "\n");
}

/* Returns a text, to be freed, that differs if the credentials can be
 * different. */
static char *source_of(const struct vv_remote_profile *p, enum kind kind)
{
    static const char *const names[][4] = {
        [OF_ROLE] = { "AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL" },
        [OF_CONTAINER] = { "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI" },
        [OF_INSTANCE] = { "AWS_EC2_METADATA_SERVICE_ENDPOINT",
            "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE" },
    };
    struct vv_remote_text text = { .at = NULL };
    for (size_t i = 0; i < 4 && names[kind][i]; i++)
        remote_credentials_add(&text, vv_remote_setting(names[kind][i]));
    if (kind == OF_ROLE) {
        remote_credentials_add(&text, p->role);
        remote_credentials_add(&text, p->token_file);
        remote_credentials_add(&text, p->session);
        remote_credentials_add(&text, p->region);
    }
    remote_credentials_add(&text, kind == OF_ROLE        ? "role"
                                  : kind == OF_CONTAINER ? "container"
                                                         : "instance");
    return vv_remote_take(&text);
}

static int remote_credentials_request(const struct vv_remote_profile *p,
    enum kind kind, struct vv_remote_keys *keys)
{
    const char *certificates = kept.settings->certificates;
    const struct vv_remote_role role = { .file = p->token_file,
        .role = p->role,
        .session = p->session,
        .region = p->region,
        .certificates = certificates };
    return kind == OF_ROLE ? vv_remote_keys_of_role(&role, keys)
           : kind == OF_CONTAINER
               ? vv_remote_keys_of_container(certificates, keys)
               : vv_remote_keys_of_instance(keys);
}

/* --- Cache ------------------------------------------------------------------
 */

static bool are_good(const struct vv_remote_keys *keys, int64_t at)
{
    return keys->key_id && (!keys->expiry || keys->expiry > at);
}

static bool copy_keys(struct vv_remote_profile *p)
{
    const struct vv_remote_keys *keys = &kept.keys;
    free(p->key_id);
    free(p->secret);
    free(p->token);
    p->key_id = vv_remote_copy(keys->key_id);
    p->secret = vv_remote_copy(keys->secret);
    p->token = keys->token ? vv_remote_copy(keys->token) : NULL;
    return p->key_id && p->secret && (!keys->token || p->token);
}

enum turn { TO_USE, TO_ASK, TO_WAIT };

/* Returns whether this thread uses the cached credentials, requests new ones,
 * or waits for a thread that does. */
static enum turn remote_credentials_take_turn(const char *source)
{
    bool is_ours = kept.source && strcmp(kept.source, source) == 0;
    bool is_asked = kept.is_asking && kept.fork == vv_remote_forks();
    bool is_good = is_ours && are_good(&kept.keys, remote_credentials_now());
    if (is_good &&
        (is_asked || !kept.keys.expiry || remote_credentials_now() < kept.next))
        return TO_USE;
    if (is_asked)
        return TO_WAIT;
    kept.is_asking = true;
    kept.fork = vv_remote_forks();
    return TO_ASK;
}

/* Caches new credentials, of which it takes ownership. After a failure keeps
 * the old ones while they have the same source and have not expired. Returns
 * false if there are none. */
static bool remote_credentials_keep(
    char *source, struct vv_remote_keys *keys, bool is_new)
{
    bool is_ours = kept.source && strcmp(kept.source, source) == 0;
    int64_t at = remote_credentials_now();
    kept.is_asking = false;
    if (!is_new && is_ours && are_good(&kept.keys, at)) {
        kept.next = at + AGAIN;
        free(source);
        return true;
    }
    free(kept.source);
    vv_remote_keys_clear(&kept.keys);
    kept.source = is_new ? source : NULL;
    if (!is_new) {
        free(source);
        return false;
    }
    kept.keys = *keys;
    kept.next = keys->expiry - EARLY;
    if (kept.next < at + AGAIN) /* even if they expire before that */
        kept.next = at + AGAIN;
    return true;
}

int vv_remote_credentials_find(struct vv_remote_profile *p)
{
    enum kind kind = remote_credentials_kind_of(p);
    if (!kept.settings || (kind == OF_INSTANCE && !vv_remote_has_instance()))
        return -ENOENT;
    const struct vv_system *machine = kept.settings->machine;
    char *source = source_of(p, kind);
    struct vv_remote_keys keys = { .key_id = NULL };
    enum turn turn = TO_WAIT;
    bool has = true, is_copied = false;
    int result = source ? 0 : remote_credentials_fail_memory();
    while (!result && turn == TO_WAIT) {
        vv_remote_lock();
        turn = remote_credentials_take_turn(source);
        if (turn == TO_USE)
            is_copied = copy_keys(p);
        vv_remote_unlock();
        if (turn == TO_WAIT)
            machine->sleep(machine->state, A_WHILE);
    }
    if (!result && turn == TO_ASK) {
        result = remote_credentials_request(p, kind, &keys);
        vv_remote_lock();
        has = remote_credentials_keep(source, &keys, result == 0);
        is_copied = has && copy_keys(p);
        vv_remote_unlock();
        source = NULL;
    }
    free(source);
    if (has && (!result || is_copied))
        return is_copied ? 0 : remote_credentials_fail_memory();
    return kind == OF_INSTANCE ? -ENOENT : result;
}
