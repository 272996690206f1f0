/* dirty.c - Stores for each tracked page the last look at which it was found
 * written. So each user can ask relative to its own look.
 *
 * SPDX-License-Identifier: MIT
 */
#include "dirty.h"

#include <string.h>

#include "allocator.h"
#include "system.h"

enum {
    LEAST = 256 << 10, /* copying smaller blocks is cheaper than tracking */
    /* each can split a mapping, and their number is limited */
    MOST_RANGES = 4096,
    MOST_UNASKED = 64,
    MUCH = 4, /* above this fraction of written pages a full copy is cheaper */
    MOST_REST = 64,
};

struct range {
    unsigned char *begin;
    size_t size;
    uint64_t *stamps; /* by page: the look at which it was last found written */
    uint64_t all;     /* the look at which all of it last counted as written */
    uint64_t asked;   /* the last look for which it was requested */
    size_t written;   /* number of bytes found written at this look */
    unsigned rest;    /* number of looks before it is tracked again */
    unsigned patience; /* the next value of `rest` */
    bool is_armed;
};

struct vv_dirty {
    struct vv_context context;
    unsigned users;
    int tracker;     /* negative: tracking is not available */
    int64_t process; /* the process whose memory it is */
    uint64_t moment;
    struct range *ranges; /* sorted by address, without overlap */
    size_t count;
    size_t capacity;
};

/* --- Ranges ------------------------------------------------------------- */

static size_t stamps_size(const struct range *range)
{
    return range->size / VV_PAGE_SIZE * sizeof *range->stamps;
}

/* Returns the first range that ends after an address. */
static size_t dirty_find(const struct vv_dirty *d, const unsigned char *address)
{
    size_t low = 0, high = d->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct range *range = &d->ranges[middle];
        if (range->begin + range->size <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Omits the range if there is no memory. */
static void insert(
    struct vv_dirty *d, size_t place, unsigned char *dirty_begin, size_t size)
{
    const varve_allocator *a = &d->context.allocator;
    struct range range = { .begin = dirty_begin, .size = size, .patience = 1 };
    range.asked = d->moment + 1;
    if (d->count >= MOST_RANGES ||
        !vv_grow_array(a, &d->ranges, &d->capacity, d->count, sizeof range))
        return;
    range.stamps = vv_allocate_zeroed(a, stamps_size(&range));
    if (!range.stamps)
        return;
    memmove(&d->ranges[place + 1], &d->ranges[place],
        (d->count - place) * sizeof range);
    d->ranges[place] = range;
    d->count++;
}

static void remove_range(struct vv_dirty *d, size_t place)
{
    struct range *range = &d->ranges[place];
    vv_release(&d->context.allocator, range->stamps, stamps_size(range));
    d->count--;
    memmove(range, range + 1, (d->count - place) * sizeof *range);
}

static void untrack(struct vv_dirty *d, const struct range *range)
{
    const struct vv_system *s = d->context.system;
    s->untrack(s->state, d->tracker, range->begin, range->size);
}

/* --- Users -------------------------------------------------------------- */

static int64_t dirty_this_process(const struct vv_dirty *d)
{
    const struct vv_system *s = d->context.system;
    return s->process(s->state, NULL, 0);
}

static void dirty_begin(struct vv_dirty *d)
{
    const struct vv_system *s = d->context.system;
    d->process = dirty_this_process(d);
    d->tracker = s->open_tracker(s->state);
}

/* Frees everything. A child process has inherited its parent's descriptor,
 * which refers to the parent's memory. */
static void dirty_end(struct vv_dirty *d)
{
    const struct vv_system *s = d->context.system;
    bool is_ours = d->process == dirty_this_process(d);
    while (d->count) {
        if (is_ours)
            untrack(d, &d->ranges[d->count - 1]);
        remove_range(d, d->count - 1);
    }
    if (d->tracker >= 0)
        s->close(s->state, d->tracker);
}

struct vv_dirty *vv_dirty_new(const struct vv_context *context)
{
    struct vv_dirty *d = vv_allocate_zeroed(&context->allocator, sizeof *d);
    if (!d)
        return NULL;
    d->context = *context;
    d->users = 1;
    dirty_begin(d);
    return d;
}

struct vv_dirty *vv_dirty_share(struct vv_dirty *d)
{
    d->users++;
    return d;
}

void vv_dirty_free(struct vv_dirty *d)
{
    if (!d || --d->users)
        return;
    const varve_allocator a = d->context.allocator;
    dirty_end(d);
    vv_release(&a, d->ranges, d->capacity * sizeof *d->ranges);
    vv_release(&a, d, sizeof *d);
}

/* --- Checking pages ----------------------------------------------------- */

/* Omits pages that are only partly requested. If a part is already in other
 * ranges, adds ranges only for the remainder. */
void vv_dirty_request(struct vv_dirty *d, const void *bytes, size_t size)
{
    size_t before = -(uintptr_t)bytes % VV_PAGE_SIZE;
    if (d->tracker < 0 || size < LEAST)
        return;
    unsigned char *at = (unsigned char *)(uintptr_t)bytes + before;
    unsigned char *dirty_end =
        at + (size - before) / VV_PAGE_SIZE * VV_PAGE_SIZE;
    for (size_t i = dirty_find(d, at); at < dirty_end; i++) {
        if (i == d->count || d->ranges[i].begin > at) {
            unsigned char *next =
                i == d->count || d->ranges[i].begin > dirty_end
                    ? dirty_end
                    : d->ranges[i].begin;
            size_t count = d->count;
            insert(d, i, at, (size_t)(next - at));
            at = next;
            i -= d->count == count;
            continue;
        }
        d->ranges[i].asked = d->moment + 1;
        at = d->ranges[i].begin + d->ranges[i].size;
    }
}

struct looking {
    struct range *range;
    uint64_t moment;
};

static void stamp(void *user, void *address, size_t size)
{
    const struct looking *l = user;
    struct range *range = l->range;
    size_t page =
        (size_t)((unsigned char *)address - range->begin) / VV_PAGE_SIZE;
    range->written += size;
    for (size_t i = 0; i < size / VV_PAGE_SIZE; i++)
        range->stamps[page + i] = l->moment;
}

static int arm(const struct vv_dirty *d, struct looking *l)
{
    const struct vv_system *s = d->context.system;
    return s->arm(
        s->state, d->tracker, l->range->begin, l->range->size, stamp, l);
}

/* Stops tracking a range for `rest` looks. Its state is unknown until it is
 * armed again. */
static void lay_off(
    const struct vv_dirty *d, struct range *range, unsigned rest)
{
    range->all = d->moment;
    range->is_armed = false;
    range->rest = rest;
}

static void start_over(const struct vv_dirty *d, struct range *range)
{
    const struct vv_system *s = d->context.system;
    struct looking l = { range, d->moment };
    lay_off(d, range, 0);
    if (s->track(s->state, d->tracker, range->begin, range->size) < 0 ||
        arm(d, &l) < 0)
        range->rest = MOST_REST;
    else
        range->is_armed = true;
}

/* Checks a tracked range. A thread may write between the two calls, so the
 * pages reported while arming are recorded too. If nothing was written,
 * everything is still armed. */
static void dirty_look_again(
    const struct vv_dirty *d, struct range *range, bool is_glance)
{
    const struct vv_system *s = d->context.system;
    struct looking l = { range, d->moment };
    range->written = 0;
    if (s->each_written(
            s->state, d->tracker, range->begin, range->size, stamp, &l) < 0) {
        lay_off(d, range, MOST_REST);
    } else if (range->written > range->size / MUCH) {
        lay_off(d, range, range->patience);
        if (range->patience < MOST_REST)
            range->patience *= 4;
    } else if (!is_glance && range->written > 0 && arm(d, &l) < 0) {
        lay_off(d, range, MOST_REST);
    } else {
        range->patience = 1;
    }
}

static void dirty_look_at(
    const struct vv_dirty *d, struct range *range, bool is_glance)
{
    if (range->rest)
        lay_off(d, range, range->rest - 1);
    else if (range->is_armed)
        dirty_look_again(d, range, is_glance);
    else
        start_over(d, range);
}

static uint64_t dirty_look(struct vv_dirty *d, bool is_glance)
{
    d->moment++;
    if (d->process != dirty_this_process(d)) {
        dirty_end(d);
        dirty_begin(d);
    }
    for (size_t i = d->count; i-- > 0;) {
        if (d->ranges[i].asked == d->moment) {
            dirty_look_at(d, &d->ranges[i], is_glance);
        } else if (d->ranges[i].asked + MOST_UNASKED < d->moment) {
            untrack(d, &d->ranges[i]);
            remove_range(d, i);
        }
    }
    return d->moment;
}

uint64_t vv_dirty_look(struct vv_dirty *d)
{
    return dirty_look(d, false);
}

uint64_t vv_dirty_glance(struct vv_dirty *d)
{
    return dirty_look(d, true);
}

/* --- Results ------------------------------------------------------------ */

/* Returns the length of a run within a range. A range that was not checked at
 * this look counts as written. */
static size_t run_in(const struct vv_dirty *d, const struct range *range,
    uint64_t since, size_t at, size_t size, bool *is_written)
{
    size_t end = at + size < range->size ? at + size : range->size;
    *is_written = true;
    if (range->all > since || range->asked != d->moment)
        return end - at;
    size_t page = at / VV_PAGE_SIZE;
    *is_written = range->stamps[page] > since;
    while (page * VV_PAGE_SIZE < end &&
           (range->stamps[page] > since) == *is_written)
        page++;
    return page * VV_PAGE_SIZE < end ? page * VV_PAGE_SIZE - at : end - at;
}

size_t vv_dirty_run(const struct vv_dirty *d, uint64_t since, const void *bytes,
    size_t size, bool *is_written)
{
    const unsigned char *at = bytes;
    size_t i = dirty_find(d, at);
    if (i < d->count && d->ranges[i].begin <= at)
        return run_in(d, &d->ranges[i], since,
            (size_t)(at - d->ranges[i].begin), size, is_written);
    *is_written = true;
    if (i == d->count || (size_t)(d->ranges[i].begin - at) > size)
        return size;
    return (size_t)(d->ranges[i].begin - at);
}
