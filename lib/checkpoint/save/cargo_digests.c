/* cargo_digests.c - workers take the next few chunks as they come free.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cargo_digests.h"

#include <stdatomic.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "layout.h"
#include "worker.h"

enum {
    CHUNKS_AT_ONCE = 16,
    BYTES_PER_WORKER = 4 << 20, /* below, another thread does not pay */
};

struct summing {
    const struct vv_cargo *cargo;
    const struct vv_known *known; /* or NULL */
    const uint8_t *sizes;         /* of values */
    uint64_t *firsts; /* by value: its first chunk; at the end all of them */
    uint8_t *digests;
    struct vv_buffer bytes[VV_MAX_WORKERS]; /* of encoded values */
    atomic_uint_fast64_t next;
    atomic_int has_failed;
    atomic_uint_fast32_t other;
};

static uint64_t find_chunks(struct summing *s)
{
    size_t count = s->cargo->value_count;
    uint64_t bytes = 0;
    s->firsts[0] = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t size = vv_at64(s->sizes, i);
        s->firsts[i + 1] = s->firsts[i] + vv_chunk_count(size);
        bytes += size;
    }
    return bytes;
}

/* The value of a chunk. */
static size_t value_of(const struct summing *s, uint64_t chunk)
{
    size_t low = 0, high = s->cargo->value_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->firsts[middle] <= chunk)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static struct vv_digest sum(
    const struct summing *s, size_t value, const uint8_t *bytes, uint64_t chunk)
{
    uint64_t begin = chunk * VV_CHUNK_SIZE;
    uint64_t left = vv_at64(s->sizes, value) - begin;
    return vv_digest_of(
        bytes + begin, left < VV_CHUNK_SIZE ? (size_t)left : VV_CHUNK_SIZE);
}

static void fill(struct summing *s, size_t value, const uint8_t *bytes,
    uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        uint8_t *to_fill = s->digests + i * VV_DIGEST_SIZE;
        uint64_t chunk = i - s->firsts[value];
        const uint8_t *known =
            s->known ? s->known->digest(s->known->user, (uint32_t)value, chunk)
                     : NULL;
        if (known && !s->known->is_verified) {
            memcpy(to_fill, known, VV_DIGEST_SIZE);
            continue;
        }
        struct vv_digest digest = sum(s, value, bytes, chunk);
        memcpy(to_fill, digest.bytes, VV_DIGEST_SIZE);
        if (known && memcmp(to_fill, known, VV_DIGEST_SIZE) != 0)
            s->other = (uint32_t)value;
    }
}

static void work(void *user, unsigned worker)
{
    struct summing *s = user;
    uint64_t count = s->firsts[s->cargo->value_count];
    uint64_t at;
    size_t last = SIZE_MAX; /* whose `bytes` are: encoded once if it goes on */
    const void *bytes = NULL;
    while (!s->has_failed &&
           (at = atomic_fetch_add(&s->next, CHUNKS_AT_ONCE)) < count) {
        uint64_t end =
            count - at < CHUNKS_AT_ONCE ? count : at + CHUNKS_AT_ONCE;
        for (size_t value = value_of(s, at); at < end; value++) {
            uint64_t behind = s->firsts[value + 1];
            if (behind <= at)
                continue; /* it has no bytes */
            if (value != last)
                bytes = vv_cargo_bytes(
                    s->cargo, (uint32_t)value, &s->bytes[worker]);
            last = value;
            if (!bytes) {
                s->has_failed = 1;
                return;
            }
            fill(s, value, bytes, at, behind < end ? behind : end);
            at = behind < end ? behind : end;
        }
    }
}

static void run(struct summing *s, uint64_t bytes)
{
    const struct vv_context *context = &s->cargo->context;
    unsigned workers =
        vv_worker_count_for(context, 0, 1 + bytes / BYTES_PER_WORKER);
    for (unsigned i = 0; i < VV_MAX_WORKERS; i++)
        vv_buffer_init(&s->bytes[i], &context->allocator);
    vv_run_workers(context, workers, work, s);
    for (unsigned i = 0; i < VV_MAX_WORKERS; i++)
        vv_buffer_clear(&s->bytes[i]);
}

varve_status vv_cargo_digest(
    struct vv_cargo *cargo, struct vv_known *known, varve_error *error)
{
    const varve_allocator *a = &cargo->context.allocator;
    struct vv_index_columns *c = &cargo->columns.index;
    struct summing s = {
        .cargo = cargo,
        .known = known,
        .sizes = c->value_sizes.data,
        .other = VV_NONE,
    };
    size_t count = cargo->value_count + 1;
    bool done = false;
    c->digests.size = 0;
    s.firsts = vv_allocate_array(a, count, sizeof *s.firsts);
    if (s.firsts) {
        uint64_t bytes = find_chunks(&s);
        s.digests = vv_buffer_extend(
            &c->digests, (size_t)s.firsts[count - 1] * VV_DIGEST_SIZE);
        if (s.digests)
            run(&s, bytes);
        done = s.digests && !s.has_failed;
    }
    vv_release(a, s.firsts, count * sizeof *s.firsts);
    if (known)
        known->other = (uint32_t)s.other;
    return done ? VARVE_OK : vv_fail_memory(error, "digests");
}
