/* remote_ahead.c - Implements a queue of pending segments, and slots for
 * segments that are being fetched or are complete. One thread fetches one
 * segment.
 *
 * A slot is free again when all its planned bytes have been read. All files of
 * a process together have `concurrency` slots, but each file can always have
 * two.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "remote_pool.h"
#include "remote_url.h"

enum {
    LEAST_SLOTS = 2, /* guaranteed for each file */
    /* multiple of the number of slots: number of pending segments to search */
    MOST_SEARCHED = 4,
    IS_STALE = 256 /* number of reads after the last read of a slot */
};

struct segment {
    const void *owner;
    uint64_t first;
    uint64_t size;
    uint64_t planned; /* number of bytes that will be read */
};

struct slot {
    enum { FREE, COMING, THERE, FAILED } state;
    struct vv_remote_fetching *ahead;
    struct segment segment; /* owner NULL: no longer needed */
    uint64_t read;          /* number of bytes */
    uint64_t used;          /* clock of the last read */
    unsigned readers;       /* number of threads that are copying from it */
    unsigned char *bytes;   /* memory for a segment, or NULL */
    bool has_thread;        /* to be joined */
    uintptr_t thread;
    atomic_bool stop;
    int number; /* errno of a failure */
    char why[700];
};

struct vv_remote_fetching {
    const struct vv_remote_settings *settings;
    vv_remote_fetch *fetch;
    void *user;
    unsigned fork;         /* fork count of the process that made it */
    pthread_mutex_t mutex; /* guards all members below, and the slots */
    pthread_cond_t changed;
    struct segment *segments; /* pending segments, from `next` on */
    size_t next;
    size_t count;
    size_t room;
    uint64_t clock;
    unsigned used; /* number of slots that are not free */
    struct slot slots[VV_REMOTE_MOST_CONCURRENCY];
};

static atomic_uint used_by_all; /* number of used slots of all files */
static unsigned used_fork; /* fork count of the process that owns these slots */

static bool remote_ahead_is_of_parent(const struct vv_remote_fetching *a)
{
    return a->fork != vv_remote_forks();
}

struct vv_remote_fetching *vv_remote_ahead_new(
    const struct vv_remote_settings *settings, vv_remote_fetch *fetch,
    void *user)
{
    struct vv_remote_fetching *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    if (pthread_mutex_init(&a->mutex, NULL)) {
        free(a);
        return NULL;
    }
    if (pthread_cond_init(&a->changed, NULL)) {
        pthread_mutex_destroy(&a->mutex);
        free(a);
        return NULL;
    }
    a->settings = settings;
    a->fetch = fetch;
    a->user = user;
    a->fork = vv_remote_forks();
    if (used_fork != a->fork)
        atomic_store(&used_by_all, 0);
    used_fork = a->fork;
    for (size_t i = 0; i < VV_REMOTE_MOST_CONCURRENCY; i++)
        a->slots[i].ahead = a;
    return a;
}

/* --- Slots ------------------------------------------------------------------
 */

static void remote_ahead_join(struct vv_remote_fetching *a, struct slot *s)
{
    const struct vv_system *machine = a->settings->machine;
    if (s->has_thread)
        machine->join_thread(machine->state, s->thread);
    s->has_thread = false;
}

static void remote_ahead_release(struct vv_remote_fetching *a, struct slot *s)
{
    s->state = FREE;
    a->used--;
    atomic_fetch_sub(&used_by_all, 1);
}

static void free_slot_bytes(struct slot *s)
{
    free(s->bytes);
    s->bytes = NULL;
}

/* Returns a free slot if one can be used now, or NULL. Prefers small numbers,
 * whose memory is already allocated. */
static struct slot *free_slot(struct vv_remote_fetching *a)
{
    unsigned most = a->settings->concurrency;
    if (a->used >= most ||
        (a->used >= LEAST_SLOTS && atomic_load(&used_by_all) >= most))
        return NULL;
    struct slot *s = a->slots;
    while (s->state != FREE)
        s++;
    return s;
}

static void *remote_ahead_run(void *argument)
{
    struct slot *s = argument;
    struct vv_remote_fetching *a = s->ahead;
    int result = a->fetch(
        a->user, s->segment.first, s->bytes, (size_t)s->segment.size, &s->stop);
    pthread_mutex_lock(&a->mutex);
    s->state = result ? FAILED : THERE;
    if (result) {
        s->number = -result;
        vv_remote_copy_reason(s->why, sizeof s->why);
    }
    if (!s->segment.owner)
        remote_ahead_release(a, s);
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->mutex);
    return NULL;
}

/* Starts to fetch a pending segment. Returns false if no slot is available
 * now. */
static bool remote_ahead_start(struct vv_remote_fetching *a, size_t at)
{
    const struct vv_system *machine = a->settings->machine;
    struct slot *s = free_slot(a);
    if (!s)
        return false;
    remote_ahead_join(a, s);
    if (!s->bytes)
        s->bytes = malloc(a->settings->range_size);
    if (!s->bytes)
        return false;
    s->segment = a->segments[at];
    s->read = 0;
    s->used = a->clock;
    atomic_store(&s->stop, false);
    s->state = COMING;
    if (machine->start_thread(
            machine->state, remote_ahead_run, s, &s->thread)) {
        s->state = FREE;
        return false;
    }
    s->has_thread = true;
    a->used++;
    atomic_fetch_add(&used_by_all, 1);
    memmove(a->segments + a->next + 1, a->segments + a->next,
        (at - a->next) * sizeof *a->segments);
    a->next++;
    return true;
}

static void start_all(struct vv_remote_fetching *a)
{
    while (a->next < a->count && remote_ahead_start(a, a->next))
        continue;
}

/* --- Plans ------------------------------------------------------------------
 */

static void remote_ahead_add(
    struct vv_remote_fetching *a, const struct segment *segment)
{
    if (a->next == a->count)
        a->next = a->count = 0;
    if (a->count == a->room) {
        size_t room = a->room ? 2 * a->room : 64;
        struct segment *more = realloc(a->segments, room * sizeof *more);
        if (!more)
            return;
        a->segments = more;
        a->room = room;
    }
    a->segments[a->count++] = *segment;
}

/* Returns true if a range was merged into the last segment, before or after its
 * bytes. */
static bool remote_ahead_extend(
    struct vv_remote_fetching *a, const struct segment *range)
{
    if (a->next == a->count)
        return false;
    struct segment *last = &a->segments[a->count - 1];
    uint64_t last_end = last->first + last->size;
    uint64_t end = range->first + range->size;
    uint64_t first = range->first < last->first ? range->first : last->first;
    uint64_t all = (end > last_end ? end : last_end) - first;
    if (last->owner != range->owner || all > a->settings->range_size ||
        all > last->size + range->size + VV_REMOTE_GAP)
        return false;
    last->first = first;
    last->size = all;
    last->planned += range->size;
    return true;
}

static void remote_ahead_plan(struct vv_remote_fetching *a, const void *owner,
    uint64_t offset, uint64_t size)
{
    while (size > 0) {
        uint64_t part = a->settings->range_size;
        struct segment *last =
            a->next < a->count ? &a->segments[a->count - 1] : NULL;
        if (last && last->owner == owner &&
            last->first + last->size == offset && last->size < part)
            part -= last->size;
        part = size < part ? size : part;
        struct segment range = { owner, offset, part, part };
        if (!remote_ahead_extend(a, &range))
            remote_ahead_add(a, &range);
        offset += part;
        size -= part;
    }
}

void vv_remote_ahead_plan(struct vv_remote_fetching *a, const void *owner,
    uint64_t offset, uint64_t size)
{
    if (remote_ahead_is_of_parent(a) || size > UINT64_MAX - offset)
        return;
    pthread_mutex_lock(&a->mutex);
    remote_ahead_plan(a, owner, offset, size);
    pthread_mutex_unlock(&a->mutex);
}

static void free_bytes(struct vv_remote_fetching *a)
{
    for (size_t i = 0; i < VV_REMOTE_MOST_CONCURRENCY; i++) {
        remote_ahead_join(a, &a->slots[i]);
        free_slot_bytes(&a->slots[i]);
    }
    free(a->segments);
    a->segments = NULL;
    a->next = a->count = a->room = 0;
}

void vv_remote_ahead_drop(struct vv_remote_fetching *a, const void *owner)
{
    size_t kept;
    if (remote_ahead_is_of_parent(a))
        return;
    pthread_mutex_lock(&a->mutex);
    kept = a->next;
    for (size_t i = a->next; i < a->count; i++) {
        if (a->segments[i].owner != owner)
            a->segments[kept++] = a->segments[i];
    }
    a->count = kept;
    for (size_t i = 0; i < VV_REMOTE_MOST_CONCURRENCY; i++) {
        struct slot *s = &a->slots[i];
        if (s->state == FREE || s->segment.owner != owner)
            continue;
        s->segment.owner = NULL;
        atomic_store(&s->stop, true);
        if (s->state != COMING && s->readers == 0)
            remote_ahead_release(a, s);
    }
    if (a->used == 0 && a->next == a->count)
        free_bytes(a);
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->mutex);
}

/* A thread that ends locks the mutex once more, so the mutex is destroyed
 * last. */
void vv_remote_ahead_free(struct vv_remote_fetching *a)
{
    if (!a || remote_ahead_is_of_parent(a))
        return;
    for (size_t i = 0; i < VV_REMOTE_MOST_CONCURRENCY; i++)
        atomic_store(&a->slots[i].stop, true);
    free_bytes(a);
    atomic_fetch_sub(&used_by_all, a->used);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->mutex);
    free(a);
}

/* --- Reading ----------------------------------------------------------------
 */

static bool remote_ahead_has(const struct segment *s, uint64_t offset)
{
    return s->first <= offset && offset - s->first < s->size;
}

static struct slot *remote_ahead_slot_of(
    struct vv_remote_fetching *a, uint64_t offset)
{
    for (size_t i = 0; i < VV_REMOTE_MOST_CONCURRENCY; i++) {
        struct slot *s = &a->slots[i];
        if (s->state != FREE && s->segment.owner &&
            remote_ahead_has(&s->segment, offset))
            return s;
    }
    return NULL;
}

/* Reads are nearly in the order of the plan. */
static size_t remote_ahead_find_waiting(
    const struct vv_remote_fetching *a, uint64_t offset)
{
    size_t most = (size_t)MOST_SEARCHED * a->settings->concurrency;
    for (size_t i = a->next; i < a->count && i - a->next < most; i++) {
        if (remote_ahead_has(&a->segments[i], offset))
            return i;
    }
    return SIZE_MAX;
}

/* Frees one slot that was not read for a long time. */
static void drop_stale(struct vv_remote_fetching *a)
{
    for (size_t i = 0; i < VV_REMOTE_MOST_CONCURRENCY; i++) {
        struct slot *s = &a->slots[i];
        if ((s->state == THERE || s->state == FAILED) && s->readers == 0 &&
            a->clock - s->used > IS_STALE) {
            remote_ahead_release(a, s);
            return;
        }
    }
}

/* Removes the start of a segment from the queue, because the reader fetches it
 * itself. */
static void leave_to_reader(
    struct vv_remote_fetching *a, size_t at, size_t size, uint64_t offset)
{
    struct segment *s = &a->segments[at];
    uint64_t part = size < s->size ? size : s->size;
    a->clock++;
    if (s->first != offset)
        return;
    s->first += part;
    s->size -= part;
    s->planned -= part < s->planned ? part : s->planned;
    if (s->size > 0)
        return;
    memmove(s, s + 1, (a->count - at - 1) * sizeof *s);
    a->count--;
}

/* Returns true if a pending segment was started. For a single request a thread
 * would have no benefit. */
static bool bring(
    struct vv_remote_fetching *a, size_t at, size_t size, uint64_t offset)
{
    const struct segment *s = &a->segments[at];
    bool is_alone = a->used == 0 && a->next + 1 == a->count &&
                    s->first == offset && s->size <= size;
    drop_stale(a);
    bool is_started = !is_alone && remote_ahead_start(a, at);
    if (!is_started)
        leave_to_reader(a, at, size, offset);
    else
        start_all(a);
    return is_started;
}

static int64_t remote_ahead_copy(struct vv_remote_fetching *a, struct slot *s,
    unsigned char *to, size_t size, uint64_t offset)
{
    uint64_t inside = offset - s->segment.first;
    uint64_t left = s->segment.size - inside;
    size = size < left ? size : (size_t)left;
    s->used = ++a->clock;
    s->readers++;
    pthread_mutex_unlock(&a->mutex);
    memcpy(to, s->bytes + inside, size);
    pthread_mutex_lock(&a->mutex);
    s->readers--;
    s->read += size;
    if (s->readers == 0 &&
        (!s->segment.owner || s->read >= s->segment.planned)) {
        remote_ahead_release(a, s);
        start_all(a);
        if (s->state == FREE)
            free_slot_bytes(s);
    }
    return (int64_t)size;
}

static int remote_ahead_fail(struct vv_remote_fetching *a, struct slot *s)
{
    int result = vv_remote_fail(s->number, "%s", s->why);
    remote_ahead_release(a, s);
    return result;
}

int64_t vv_remote_ahead_read(struct vv_remote_fetching *a, unsigned char *to,
    size_t size, uint64_t offset)
{
    int64_t result = 0;
    if (!a || remote_ahead_is_of_parent(a))
        return 0;
    pthread_mutex_lock(&a->mutex);
    for (;;) {
        struct slot *s = remote_ahead_slot_of(a, offset);
        if (s && s->state == COMING) {
            pthread_cond_wait(&a->changed, &a->mutex);
            continue;
        }
        if (s) {
            result = s->state == THERE
                         ? remote_ahead_copy(a, s, to, size, offset)
                         : remote_ahead_fail(a, s);
            break;
        }
        size_t at = remote_ahead_find_waiting(a, offset);
        if (at == SIZE_MAX || !bring(a, at, size, offset))
            break;
    }
    pthread_mutex_unlock(&a->mutex);
    return result;
}
