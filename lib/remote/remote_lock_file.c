/* remote_lock_file.c - Takes, renews and releases the object that is a lock.
 *
 * Each lock has a mutex, which is held during its requests: those of the
 * renewal thread and those of callers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_lock_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "remote_request.h"
#include "remote_identity.h"
#include "remote_lock_record.h"
#include "remote_publish.h"
#include "remote_url.h"

#define A_MILLISECOND INT64_C(1000000)

enum {
    MOST_ROUNDS = 5, /* attempts to read the object and to change it */
    SLACK_MS = 1000, /* because dates of stores are whole seconds */
    /* attempts for requests that are repeated soon, or matter little */
    BRIEF_ATTEMPTS = 2
};

enum lock_state {
    NOT_HELD,
    HELD,
    /* another owner took it because it was not renewed, and may have saved: it
     * must be released before it can be taken again */
    LOST,
    NO_CONDITIONS
};

struct vv_remote_lock_file {
    const struct vv_remote_settings *settings;
    struct vv_remote_settings brief; /* for renewals and the release */
    char *path;
    pthread_mutex_t mutex; /* guards all members below */
    pthread_cond_t wake;   /* wakes the renewal thread */
    uintptr_t thread;
    bool has_thread;
    bool ends;        /* the renewal thread must end */
    bool is_verified; /* the store was tested to refuse failing conditions */
    enum lock_state state;
    struct vv_remote_lock_record record; /* our record, as sent last */
    char tag[VV_REMOTE_TAG_SIZE]; /* ETag of the object while it is held */
    int64_t held_until; /* uptime; no other process takes it over before */
    /* ETag of another owner's record; "": none */
    char seen_tag[VV_REMOTE_TAG_SIZE];
    int64_t seen_at; /* uptime at which it was first seen */
};

/* The result of reading the object. */
struct found {
    bool is_there;
    struct vv_remote_lock_record record;
    char tag[VV_REMOTE_TAG_SIZE];
    int64_t age_ms; /* age by the store's clock; -1: unknown */
};

static int64_t lock_uptime(const struct vv_remote_lock_file *l)
{
    const struct vv_system *machine = l->settings->machine;
    return machine->uptime(machine->state);
}

static int64_t lock_term(const struct vv_remote_lock_file *l)
{
    return (int64_t)l->record.term_ms * A_MILLISECOND;
}

/* --- Construction -----------------------------------------------------------
 */

bool vv_remote_is_lock_file(const char *path)
{
    static const char ending[] = ".lock";
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t size = strlen(name), end = sizeof ending - 1;
    return *name == '.' && size > end + 1 &&
           strcmp(name + size - end, ending) == 0;
}

static bool describe_owner(struct vv_remote_lock_file *l)
{
    const struct vv_system *machine = l->settings->machine;
    struct vv_remote_lock_record *r = &l->record;
    unsigned char token[(sizeof r->token - 1) / 2];
    char digits[VV_REMOTE_MOST_TEXT];
    time_t seconds = (time_t)(machine->now(machine->state) / 1000000000);
    struct tm parts;
    r->pid =
        (uint64_t)machine->process(machine->state, r->host, sizeof r->host);
    memcpy(r->run, "-", 2);
    if (gmtime_r(&seconds, &parts))
        strftime(r->since, sizeof r->since, "%Y-%m-%dT%H:%M:%SZ", &parts);
    r->term_ms = (uint64_t)VV_REMOTE_LOCK_PERIODS * l->settings->lock_period_ms;
    if (machine->random(machine->state, token, sizeof token) < 0)
        return false;
    vv_remote_hex(token, sizeof token, digits);
    memcpy(r->token, digits, sizeof r->token);
    return true;
}

static bool begin_waiting(struct vv_remote_lock_file *l)
{
    pthread_condattr_t of_uptime;
    if (pthread_condattr_init(&of_uptime))
        return false;
    bool good = pthread_condattr_setclock(&of_uptime, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(&l->wake, &of_uptime) == 0;
    pthread_condattr_destroy(&of_uptime);
    if (good && pthread_mutex_init(&l->mutex, NULL)) {
        pthread_cond_destroy(&l->wake);
        good = false;
    }
    return good;
}

struct vv_remote_lock_file *vv_remote_lock_file_new(
    const struct vv_remote_settings *settings, const char *path)
{
    struct vv_remote_lock_file *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->settings = settings;
    l->brief = *settings;
    if (l->brief.attempts > BRIEF_ATTEMPTS)
        l->brief.attempts = BRIEF_ATTEMPTS;
    l->path = vv_remote_copy(path);
    if (!l->path || !describe_owner(l) || !begin_waiting(l)) {
        free(l->path);
        free(l);
        return NULL;
    }
    return l;
}

/* Returns false in a forked child, which has neither the thread nor a usable
 * mutex. */
static bool remote_lock_file_is_of_this_process(
    const struct vv_remote_lock_file *l)
{
    const struct vv_system *machine = l->settings->machine;
    char host[VV_REMOTE_HOST_SIZE];
    int64_t pid = machine->process(machine->state, host, sizeof host);
    return (uint64_t)pid == l->record.pid;
}

void vv_remote_lock_file_set_run(
    struct vv_remote_lock_file *l, const char *run, size_t size)
{
    if (!remote_lock_file_is_of_this_process(l))
        return;
    pthread_mutex_lock(&l->mutex);
    size = size < sizeof l->record.run ? size : sizeof l->record.run - 1;
    memcpy(l->record.run, run, size);
    l->record.run[size] = '\0';
    pthread_mutex_unlock(&l->mutex);
}

/* --- Requests ---------------------------------------------------------------
 */

static int fail_other_object(void)
{
    return vv_remote_fail(EIO,
        "the object is not a manager lock: delete it if no manager of "
        "another version is running there");
}

/* Reads the object. Returns -EOPNOTSUPP if the store sends no ETag. */
static int remote_lock_file_look(
    const struct vv_remote_lock_file *l, struct found *found)
{
    struct vv_remote_place place;
    struct vv_remote_answer answer;
    const struct vv_remote_range all = { .last = VV_REMOTE_RECORD_SIZE - 1 };
    unsigned char text[VV_REMOTE_RECORD_SIZE];
    size_t size = 0;
    *found = (struct found){ .age_ms = -1 };
    int result = vv_remote_place_of(l->path, &place);
    if (!result)
        result = vv_remote_get_range(
            l->settings, &place, &all, text, &size, &answer);
    vv_remote_place_clear(&place);
    if (result == -ENOENT)
        return 0;
    if (result)
        return result;
    if (size && !*answer.mark.tag)
        return -EOPNOTSUPP;
    if (answer.mark.size != size ||
        !vv_remote_lock_record_parse((char *)text, size, &found->record))
        return fail_other_object();
    int64_t changed = vv_remote_header_time(answer.mark.date);
    int64_t now = vv_remote_header_time(answer.clock);
    found->is_there = true;
    memcpy(found->tag, answer.mark.tag, sizeof found->tag);
    if (changed && now)
        found->age_ms = now > changed ? (now - changed) / A_MILLISECOND : 0;
    return 0;
}

/* Returns true if the condition of a request was not met. */
static bool is_refused_condition(const struct vv_remote_change *c)
{
    char name[40];
    vv_remote_name_of_refusal(c->text.at ? c->text.at : "", name, sizeof name);
    return c->answer.code == 412 || c->answer.code == 409 ||
           (c->answer.code == 404 && c->match &&
               strcmp(name, "NoSuchBucket") != 0);
}

/* Writes our record if the object has the ETag `match`, or, if that is NULL,
 * does not exist. Returns -ESTALE if the condition is not met, -EOPNOTSUPP if
 * the store has no such condition, and -EAGAIN if it stored other bytes. The
 * ETag is set after a success and after -EAGAIN. */
static int remote_lock_file_put(struct vv_remote_lock_file *l,
    const struct vv_remote_settings *settings, bool is_held, const char *match)
{
    char text[VV_REMOTE_RECORD_SIZE];
    l->record.is_held = is_held;
    l->record.renewal++;
    struct vv_remote_change c = { .settings = settings,
        .path = l->path,
        .query = "",
        .method = VV_REMOTE_PUT,
        .bytes = (const unsigned char *)text,
        .size = vv_remote_lock_record_write(&l->record, text),
        .is_new = !match,
        .match = match };
    int result = vv_remote_change(&c);
    if (!result && !*c.answer.mark.tag)
        result = -EOPNOTSUPP;
    else if (!result) {
        memcpy(l->tag, c.answer.mark.tag, sizeof l->tag);
        result = vv_remote_tag_fits(&c.answer, c.md5) ? 0 : -EAGAIN;
    } else if (is_refused_condition(&c))
        result = -ESTALE;
    else if (c.answer.code == 501)
        result = -EOPNOTSUPP;
    free(c.text.at);
    return result;
}

/* --- Renewal ----------------------------------------------------------------
 */

static bool remote_lock_file_is_certain(const struct vv_remote_lock_file *l)
{
    return l->state == HELD && lock_uptime(l) < l->held_until;
}

static bool is_ours(const struct vv_remote_lock_file *l, const struct found *f)
{
    return f->is_there && strcmp(f->record.token, l->record.token) == 0;
}

static int put_whole(struct vv_remote_lock_file *l,
    const struct vv_remote_settings *settings, bool is_held, const char *match)
{
    char damaged[VV_REMOTE_TAG_SIZE];
    for (int i = 0; i < MOST_ROUNDS; i++) {
        int result = remote_lock_file_put(l, settings, is_held, match);
        if (result != -EAGAIN)
            return result;
        memcpy(damaged, l->tag, sizeof damaged);
        match = damaged;
    }
    return vv_remote_fail(
        EIO, "the server returned a wrong ETag for the bytes that were sent");
}

static int remote_lock_file_hold(struct vv_remote_lock_file *l,
    const struct vv_remote_settings *settings, const char *match)
{
    int64_t sent = lock_uptime(l);
    int result = put_whole(l, settings, true, match);
    if (!result) {
        l->state = HELD;
        l->held_until = sent + lock_term(l);
        *l->seen_tag = '\0';
    }
    return result;
}

/* Renews the lock. An earlier request may have succeeded although its response
 * was lost: then the object is ours, with another ETag. */
static int remote_lock_file_renew(struct vv_remote_lock_file *l)
{
    for (int i = 0; i < MOST_ROUNDS; i++) {
        char match[VV_REMOTE_TAG_SIZE];
        struct found found;
        memcpy(match, l->tag, sizeof match);
        int result = remote_lock_file_hold(l, &l->brief, match);
        if (result != -ESTALE)
            return result;
        result = remote_lock_file_look(l, &found);
        if (result)
            return result;
        if (!is_ours(l, &found)) {
            l->state = found.is_there ? LOST : NOT_HELD;
            return 0;
        }
        memcpy(l->tag, found.tag, sizeof l->tag);
    }
    return vv_remote_fail(EIO, "the lock of the manager could not be renewed");
}

/* --- Verifying --------------------------------------------------------------
 */

static int find_no_conditions(struct vv_remote_lock_file *l)
{
    if (l->state == HELD)
        vv_remote_remove(&l->brief, l->path);
    l->state = NO_CONDITIONS;
    return vv_remote_fail(
        EOPNOTSUPP, "the store has no conditional requests, and so no locks");
}

/* Tests that the store supports conditions. A store that ignores them responds
 * with success, so both are tested in a case in which they are not met. */
static int remote_lock_file_verify(struct vv_remote_lock_file *l)
{
    static const char other[] = "\"00000000000000000000000000000000\"";
    const char *const conditions[] = { NULL, other };
    for (int i = 0; i < 2; i++) {
        int result = remote_lock_file_put(l, l->settings, true, conditions[i]);
        if (result == 0 || result == -EAGAIN || result == -EOPNOTSUPP)
            return find_no_conditions(l);
        if (result != -ESTALE)
            return result;
    }
    l->is_verified = true;
    return 0;
}

/* --- Taking -----------------------------------------------------------------
 */

static bool has_expired(
    const struct vv_remote_lock_file *l, const struct found *found)
{
    int64_t most_ms = (int64_t)found->record.term_ms + SLACK_MS;
    if (found->age_ms > most_ms)
        return true;
    return strcmp(found->tag, l->seen_tag) == 0 &&
           lock_uptime(l) - l->seen_at > most_ms * A_MILLISECOND;
}

/* Handles the lock of another owner. After -EWOULDBLOCK observation starts
 * over, because the next call may come much later. */
static int remote_lock_file_find_other(
    struct vv_remote_lock_file *l, const struct found *found)
{
    bool is_first = !*l->seen_tag;
    bool is_renewed = !is_first && strcmp(found->tag, l->seen_tag) != 0;
    vv_remote_fail(EEXIST, "locked by process %llu on %s, run %s, since %s",
        (unsigned long long)found->record.pid, found->record.host,
        found->record.run, found->record.since);
    if (is_first) {
        memcpy(l->seen_tag, found->tag, sizeof l->seen_tag);
        l->seen_at = lock_uptime(l);
    }
    if (is_renewed)
        *l->seen_tag = '\0';
    return is_renewed ? -EWOULDBLOCK : -EBUSY;
}

static int try_to_take(struct vv_remote_lock_file *l)
{
    for (int i = 0; i < MOST_ROUNDS; i++) {
        struct found found;
        int result = remote_lock_file_look(l, &found);
        if (result)
            return result;
        bool is_free =
            !found.is_there || !found.record.is_held || is_ours(l, &found);
        if (!is_free && !has_expired(l, &found))
            return remote_lock_file_find_other(l, &found);
        result = remote_lock_file_hold(
            l, l->settings, found.is_there ? found.tag : NULL);
        if (result != -ESTALE)
            return result;
    }
    return vv_remote_fail(EIO, "the lock of the manager keeps changing");
}

/* Reports the new owner, unless it has released the lock. */
static int remote_lock_file_find_lost(struct vv_remote_lock_file *l)
{
    struct found found;
    if (remote_lock_file_look(l, &found) == 0 && found.is_there &&
        found.record.is_held)
        vv_remote_fail(EEXIST,
            "process %llu on %s, run %s, has taken the lock since %s, because "
            "this process did not renew it in time",
            (unsigned long long)found.record.pid, found.record.host,
            found.record.run, found.record.since);
    else
        vv_remote_fail(EEXIST,
            "another manager has taken the lock in the meantime, because this "
            "one did not renew it in time: open the manager again and resume");
    return -EWOULDBLOCK;
}

static int take_now(struct vv_remote_lock_file *l)
{
    int result = 0;
    if (l->state == HELD && !remote_lock_file_is_certain(l))
        result = remote_lock_file_renew(l);
    if (!result && l->state == LOST)
        return remote_lock_file_find_lost(l);
    if (!result && l->state == NOT_HELD)
        result = try_to_take(l);
    if (!result && l->state == HELD && !l->is_verified)
        result = remote_lock_file_verify(l);
    return result == -EOPNOTSUPP ? find_no_conditions(l) : result;
}

/* --- The thread -------------------------------------------------------------
 */

static void sleep_until_renewal(struct vv_remote_lock_file *l)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t at =
        until.tv_nsec + (int64_t)l->settings->lock_period_ms * A_MILLISECOND;
    until.tv_sec += (time_t)(at / 1000000000);
    until.tv_nsec = (long)(at % 1000000000);
    while (!l->ends &&
           pthread_cond_timedwait(&l->wake, &l->mutex, &until) != ETIMEDOUT)
        continue;
}

/* The renewal thread. A failed renewal is repeated after a period. Once the
 * lock is lost, vv_remote_lock_file_take reports the new owner. */
static void *keep_renewing(void *argument)
{
    struct vv_remote_lock_file *l = argument;
    pthread_mutex_lock(&l->mutex);
    while (!l->ends) {
        sleep_until_renewal(l);
        if (!l->ends && l->state == HELD)
            remote_lock_file_renew(l);
    }
    pthread_mutex_unlock(&l->mutex);
    return NULL;
}

static int start_renewing(struct vv_remote_lock_file *l)
{
    const struct vv_system *machine = l->settings->machine;
    if (l->has_thread)
        return 0;
    l->ends = false;
    int result =
        machine->start_thread(machine->state, keep_renewing, l, &l->thread);
    l->has_thread = result == 0;
    return result;
}

int vv_remote_lock_file_take(struct vv_remote_lock_file *l)
{
    if (!remote_lock_file_is_of_this_process(l)) {
        vv_remote_fail(
            EEXIST, "the parent of this forked process holds the lock");
        return -EWOULDBLOCK;
    }
    pthread_mutex_lock(&l->mutex);
    int result = 0;
    if (l->state == NO_CONDITIONS)
        result = -EOPNOTSUPP;
    else if (l->state == LOST)
        result = remote_lock_file_find_lost(l);
    else if (!remote_lock_file_is_certain(l) || !l->is_verified)
        result = take_now(l);
    if (!result)
        result = start_renewing(l);
    pthread_mutex_unlock(&l->mutex);
    return result;
}

void vv_remote_lock_file_release(struct vv_remote_lock_file *l)
{
    const struct vv_system *machine = l->settings->machine;
    if (!remote_lock_file_is_of_this_process(l))
        return;
    pthread_mutex_lock(&l->mutex);
    l->ends = true;
    pthread_cond_signal(&l->wake);
    pthread_mutex_unlock(&l->mutex);
    if (l->has_thread)
        machine->join_thread(machine->state, l->thread);
    l->has_thread = false;
    if (l->state == HELD) {
        char match[VV_REMOTE_TAG_SIZE];
        memcpy(match, l->tag, sizeof match);
        put_whole(l, &l->brief, false, match);
    }
    if (l->state != NO_CONDITIONS)
        l->state = NOT_HELD;
}

void vv_remote_lock_file_free(struct vv_remote_lock_file *l)
{
    if (!l)
        return;
    vv_remote_lock_file_release(l);
    if (remote_lock_file_is_of_this_process(l)) {
        pthread_cond_destroy(&l->wake);
        pthread_mutex_destroy(&l->mutex);
    }
    free(l->path);
    free(l);
}
