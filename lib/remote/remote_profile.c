/* remote_profile.c - the environment, and files of sections.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_profile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote_text.h"
#include "remote_words.h"

enum { LINE_SIZE = 8192 }; /* tokens of sessions are long */

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static const char *name_of_profile(void)
{
    const char *name = setting("AWS_PROFILE");
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

/* "[default]", "[name]"; in a config "[profile name]" too. */
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

static void take(char **to, const char *value)
{
    if (!*to && *value)
        *to = strdup(value);
}

static void take_line(struct vv_remote_profile *p, char *line, bool has_keys)
{
    char *equals = strchr(line, '=');
    if (!equals)
        return;
    *equals = '\0';
    const char *name = strip(line);
    const char *value = strip(equals + 1);
    if (strcmp(name, "region") == 0)
        take(&p->region, value);
    else if (strcmp(name, "endpoint_url") == 0)
        take(&p->endpoint, value);
    else if (!has_keys && strcmp(name, "aws_access_key_id") == 0)
        take(&p->key_id, value);
    else if (!has_keys && strcmp(name, "aws_secret_access_key") == 0)
        take(&p->secret, value);
    else if (!has_keys && strcmp(name, "aws_session_token") == 0)
        take(&p->token, value);
}

/* What an earlier file has said stands; keys come whole from one file. What is
 * set off belongs to a line above. */
static void read_file(struct vv_remote_profile *p, const char *path)
{
    char line[LINE_SIZE];
    bool has_keys = p->key_id || p->secret;
    bool is_ours = false;
    FILE *file = path ? fopen(path, "re") : NULL;
    while (file && fgets(line, sizeof line, file)) {
        if (*line == '[')
            is_ours = is_section(line, name_of_profile());
        else if (is_ours && !strchr("#; \t", *line))
            take_line(p, line, has_keys);
    }
    if (file)
        fclose(file);
    memset(line, 0, sizeof line);
}

static char *path_of(const char *variable, const char *below_home)
{
    struct vv_remote_text path = { .at = NULL };
    const char *home = setting("HOME");
    const char *own = setting(variable);
    if (!own && !home)
        return NULL;
    vv_remote_add(&path, own ? own : home);
    vv_remote_add(&path, own ? "" : below_home);
    return vv_remote_take(&path);
}

/* --- All together -----------------------------------------------------------
 */

static void take_environment(struct vv_remote_profile *p)
{
    const char *key_id = setting("AWS_ACCESS_KEY_ID");
    const char *secret = setting("AWS_SECRET_ACCESS_KEY");
    const char *token = setting("AWS_SESSION_TOKEN");
    const char *region = setting("AWS_REGION");
    const char *endpoint = setting("AWS_ENDPOINT_URL_S3");
    region = region ? region : setting("AWS_DEFAULT_REGION");
    endpoint = endpoint ? endpoint : setting("AWS_ENDPOINT_URL");
    if (key_id && secret) {
        p->key_id = strdup(key_id);
        p->secret = strdup(secret);
        p->token = token ? strdup(token) : NULL;
    }
    take(&p->region, region ? region : "");
    take(&p->endpoint, endpoint ? endpoint : "");
}

/* It becomes part of a host's name. */
static bool is_region(const char *region)
{
    return !region[strspn(region, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

int vv_remote_profile_find(struct vv_remote_profile *p)
{
    char *credentials =
        path_of("AWS_SHARED_CREDENTIALS_FILE", "/.aws/credentials");
    char *config = path_of("AWS_CONFIG_FILE", "/.aws/config");
    *p = (struct vv_remote_profile){ .key_id = NULL };
    take_environment(p);
    read_file(p, credentials);
    read_file(p, config);
    take(&p->region, "us-east-1");
    int result = 0;
    if (!p->key_id || !p->secret)
        result = vv_remote_fail(EACCES,
            "no credentials: looked for AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY, and for the profile \"%s\" in %s and %s",
            name_of_profile(), credentials ? credentials : "~/.aws/credentials",
            config ? config : "~/.aws/config");
    else if (!p->region)
        result = vv_remote_fail(ENOMEM, "no memory for a profile");
    else if (!is_region(p->region))
        result = vv_remote_fail(EINVAL,
            "expected a region such as us-east-1 (AWS_REGION, "
            "AWS_DEFAULT_REGION, region of the profile), found another word");
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
    *p = (struct vv_remote_profile){ .key_id = NULL };
}
