/* remote_credentials.c - Selects the service that issues credentials, and
 * caches them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_credentials.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "remote_pool.h"
#include "remote_source.h"
#include "remote_text.h"
#include "remote_error.h"

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

static int remote_credentials_ask(const struct vv_remote_profile *p,
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
        result = remote_credentials_ask(p, kind, &keys);
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
