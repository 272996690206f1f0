/* remote_parts.c - Uploads each part on a thread of its own.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_parts.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote_ahead.h"
#include "remote_call.h"
#include "remote_pool.h"
#include "remote_url.h"

/* A part in progress. `state` and `result` are guarded by the mutex of the
 * parts. */
struct sending {
    enum { FREE, GOING, GONE } state;
    struct vv_remote_parts *parts;
    unsigned number;
    struct vv_remote_change change;
    char *query;                  /* owned */
    struct vv_remote_bytes block; /* owned, or without room */
    bool has_thread;
    uintptr_t thread;
    int result;
    char why[700];
};

struct vv_remote_parts {
    const struct vv_remote_settings *settings;
    unsigned fork;         /* fork count of the process that made it */
    pthread_mutex_t mutex; /* guards all members below */
    pthread_cond_t gone;
    atomic_bool stop;
    size_t size;   /* bytes in progress */
    int result;    /* result of the first failure */
    char why[700]; /* text of that failure */
    struct vv_remote_part *all;
    unsigned room;
    struct vv_remote_bytes spare;
    struct sending sendings[VV_REMOTE_MOST_CONCURRENCY];
};

static bool remote_parts_is_of_parent(const struct vv_remote_parts *p)
{
    return p->fork != vv_remote_forks();
}

static int fail_child(void)
{
    return vv_remote_fail(
        EIO, "a forked child process cannot finish a file of its parent");
}

struct vv_remote_parts *vv_remote_parts_new(
    const struct vv_remote_settings *settings)
{
    struct vv_remote_parts *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    if (pthread_mutex_init(&p->mutex, NULL)) {
        free(p);
        return NULL;
    }
    if (pthread_cond_init(&p->gone, NULL)) {
        pthread_mutex_destroy(&p->mutex);
        free(p);
        return NULL;
    }
    p->settings = settings;
    p->fork = vv_remote_forks();
    return p;
}

void vv_remote_parts_free(struct vv_remote_parts *p)
{
    if (!p || remote_parts_is_of_parent(p))
        return;
    atomic_store(&p->stop, true);
    vv_remote_parts_wait(p);
    for (unsigned i = 0; i < p->room; i++)
        free(p->all[i].tag);
    free(p->all);
    free(p->spare.bytes);
    pthread_cond_destroy(&p->gone);
    pthread_mutex_destroy(&p->mutex);
    free(p);
}

struct vv_remote_part vv_remote_parts_at(
    const struct vv_remote_parts *p, unsigned number)
{
    return number <= p->room ? p->all[number - 1]
                             : (struct vv_remote_part){ .tag = NULL };
}

/* --- Parts in progress ------------------------------------------------------
 */

/* Uploads a part, with retries, until the store has acknowledged it with the
 * right ETag. */
static int put_part(struct vv_remote_change *c)
{
    for (unsigned failed = 0;;) {
        vv_remote_change_once(c);
        if (c->verdict == VV_REMOTE_GOOD && !*c->answer.mark.tag)
            vv_remote_change_find(c, VV_REMOTE_AGAIN, EIO,
                "the server returned no ETag for a part");
        else if (c->verdict == VV_REMOTE_GOOD &&
                 !vv_remote_tag_fits(&c->answer, c->md5))
            vv_remote_change_find(c, VV_REMOTE_AGAIN, EIO,
                "the server returned a wrong ETag for the bytes that were "
                "sent");
        if (c->verdict == VV_REMOTE_GOOD)
            return 0;
        failed++;
        if (c->verdict == VV_REMOTE_FINAL || failed >= c->settings->attempts)
            return vv_remote_change_fail(c, failed);
        vv_remote_wait(c->settings, &c->answer, failed, c->stop);
    }
}

/* Uploads a part and records its result. Called directly if no thread can be
 * started. */
static void *remote_parts_run(void *argument)
{
    struct sending *s = argument;
    int result = put_part(&s->change);
    if (result)
        vv_remote_copy_reason(s->why, sizeof s->why);
    pthread_mutex_lock(&s->parts->mutex);
    s->result = result;
    s->state = GONE;
    pthread_cond_signal(&s->parts->gone);
    pthread_mutex_unlock(&s->parts->mutex);
    return NULL;
}

static bool remote_parts_has_capacity(
    struct vv_remote_parts *p, unsigned number)
{
    unsigned room = p->room ? p->room : 16;
    while (room < number)
        room *= 2;
    if (room == p->room)
        return true;
    struct vv_remote_part *more = realloc(p->all, room * sizeof *p->all);
    if (!more)
        return false;
    memset(more + p->room, 0, (room - p->room) * sizeof *more);
    p->all = more;
    p->room = room;
    return true;
}

static void remote_parts_note_failure(
    struct vv_remote_parts *p, int result, const char *why)
{
    if (p->result)
        return;
    p->result = result;
    snprintf(p->why, sizeof p->why, "%s", why);
    atomic_store(&p->stop, true);
}

/* Keeps the memory of an uploaded part for the next one. */
static void keep_spare(struct vv_remote_parts *p, struct vv_remote_bytes *block)
{
    if (block->room > p->spare.room) {
        free(p->spare.bytes);
        p->spare = *block;
    } else {
        free(block->bytes);
    }
    p->spare.size = 0;
    p->spare.is_sent = false;
}

/* Finishes a part. Called with the mutex held. */
static void remote_parts_collect(struct vv_remote_parts *p, struct sending *s)
{
    const struct vv_system *machine = p->settings->machine;
    if (s->has_thread)
        machine->join_thread(machine->state, s->thread);
    struct vv_remote_part *part = &p->all[s->number - 1];
    if (s->result) {
        remote_parts_note_failure(p, s->result, s->why);
    } else {
        free(part->tag);
        part->tag = vv_remote_copy(s->change.answer.mark.tag);
        memcpy(part->md5, s->change.md5, sizeof part->md5);
        if (!part->tag)
            remote_parts_note_failure(
                p, -ENOMEM, "no memory for a part of a file");
    }
    p->size -= s->change.size;
    keep_spare(p, &s->block);
    free(s->change.text.at);
    free(s->query);
    s->state = FREE;
}

/* Finishes all completed parts. Returns the number of parts in progress, and
 * sets *slot to a free slot. */
static unsigned collect_all(struct vv_remote_parts *p, struct sending **slot)
{
    unsigned going = 0;
    *slot = NULL;
    for (unsigned i = 0; i < VV_REMOTE_MOST_CONCURRENCY; i++) {
        struct sending *s = &p->sendings[i];
        if (s->state == GONE)
            remote_parts_collect(p, s);
        going += s->state == GOING;
        if (s->state == FREE && !*slot)
            *slot = s;
    }
    return going;
}

static int remote_parts_fail(const struct vv_remote_parts *p)
{
    return p->result ? vv_remote_fail(-p->result, "%s", p->why) : 0;
}

/* --- Sending ----------------------------------------------------------------
 */

/* Waits until another part of `size` bytes can be sent, and returns a free
 * slot. */
static struct sending *wait_for_place(struct vv_remote_parts *p, size_t size)
{
    unsigned wished = p->settings->concurrency;
    unsigned concurrency = wished ? wished : 1;
    size_t part = p->settings->part_size;
    size_t most = part < SIZE_MAX / concurrency ? part * concurrency : SIZE_MAX;
    struct sending *slot;
    for (;;) {
        unsigned going = collect_all(p, &slot);
        if (going == 0 || (going < concurrency && p->size + size <= most))
            return slot;
        pthread_cond_wait(&p->gone, &p->mutex);
    }
}

static void remote_parts_start(struct vv_remote_parts *p, struct sending *s)
{
    const struct vv_system *machine = p->settings->machine;
    s->state = GOING;
    p->size += s->change.size;
    s->has_thread = machine->start_thread(
                        machine->state, remote_parts_run, s, &s->thread) == 0;
    if (s->has_thread)
        return;
    pthread_mutex_unlock(&p->mutex);
    remote_parts_run(s);
    pthread_mutex_lock(&p->mutex);
}

int vv_remote_parts_send(struct vv_remote_parts *p, const char *path,
    char *query, struct vv_remote_bytes *block, unsigned number, bool moves)
{
    if (remote_parts_is_of_parent(p)) {
        free(query);
        return fail_child();
    }
    pthread_mutex_lock(&p->mutex);
    struct sending *s = wait_for_place(p, block->size);
    if (!p->result && !remote_parts_has_capacity(p, number))
        remote_parts_note_failure(p, -ENOMEM, "no memory for a part of a file");
    if (!p->result) {
        *s = (struct sending){ .parts = p, .number = number, .query = query };
        s->change = (struct vv_remote_change){ .settings = p->settings,
            .path = path,
            .query = query,
            .method = VV_REMOTE_PUT,
            .bytes = block->bytes,
            .size = block->size,
            .stop = &p->stop };
        remote_parts_start(p, s);
    }
    if (p->result) {
        free(query);
    } else if (moves) {
        s->block = *block;
        *block = p->spare;
        p->spare = (struct vv_remote_bytes){ .bytes = NULL };
    }
    int result = remote_parts_fail(p);
    pthread_mutex_unlock(&p->mutex);
    return result;
}

int vv_remote_parts_wait(struct vv_remote_parts *p)
{
    struct sending *slot;
    if (remote_parts_is_of_parent(p))
        return fail_child();
    pthread_mutex_lock(&p->mutex);
    while (collect_all(p, &slot) > 0)
        pthread_cond_wait(&p->gone, &p->mutex);
    int result = remote_parts_fail(p);
    pthread_mutex_unlock(&p->mutex);
    return result;
}
