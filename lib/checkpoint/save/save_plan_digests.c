/* save_plan_digests.c - Fills in the digests of a save plan: computes them, or
 * reuses those of an earlier save.
 *
 * SPDX-License-Identifier: MIT
 */
#include "save_plan_digests.h"

#include <stdatomic.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "layout.h"
#include "memory_table.h"
#include "saved_path.h"
#include "try.h"
#include "variable.h"
#include "worker.h"

/* --- Computing ------------------------------------------------------------ */

/* Computes digests on several threads, each of which takes the next few chunks
 * when it is free. */

enum {
    CHUNKS_AT_ONCE = 16,
    BYTES_PER_WORKER = 4 << 20, /* with less, another thread is not
                                   worthwhile */
};

struct digesting {
    const struct vv_save_plan *save_plan;
    const struct vv_known *known; /* or NULL */
    vv_wants_digests *wants;      /* NULL: all */
    const void *user;
    const uint8_t *sizes; /* sizes of values */
    uint64_t *firsts;     /* for each value, the number of its first chunk; the
                             last element is the number of all chunks */
    uint8_t *digests;
    struct vv_buffer bytes[VV_MAX_WORKERS]; /* encoded values, one buffer per
                                               worker */
    atomic_uint_fast64_t next;
    atomic_int has_failed; /* the worker that sets it fills in `status` and
                              `error` */
    varve_status status;
    varve_error error;
    atomic_uint_fast32_t other;
};

static uint64_t find_chunks(struct digesting *s)
{
    size_t count = s->save_plan->value_count;
    uint64_t bytes = 0;
    s->firsts[0] = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t size = vv_at64(s->sizes, i);
        s->firsts[i + 1] = s->firsts[i] + vv_chunk_count(size);
        bytes += size;
    }
    return bytes;
}

/* Returns the value that a chunk belongs to. */
static size_t save_plan_digests_value_of(
    const struct digesting *s, uint64_t chunk)
{
    size_t low = 0, high = s->save_plan->value_count;
    if (chunk < high && s->firsts[chunk] == chunk)
        return (size_t)chunk; /* the values before have one chunk each */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->firsts[middle] <= chunk)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A chunk of a value, and the address for its digest. */
struct chunk {
    size_t value;
    uint64_t number; /* index in the value */
    uint8_t *digest;
};

static varve_status save_plan_digests_look_into(const struct digesting *s,
    const struct vv_source *source, const struct chunk *chunk,
    const unsigned char **bytes, size_t *size, varve_error *error)
{
    uint64_t begin = chunk->number * VV_CHUNK_SIZE;
    uint64_t left = vv_at64(s->sizes, chunk->value) - begin;
    *size = left < VV_CHUNK_SIZE ? (size_t)left : VV_CHUNK_SIZE;
    return vv_source_piece(source, begin, *size, bytes, error);
}

/* Computes the digests of those pages that may have changed. */
static varve_status digest_pages(struct digesting *s,
    const struct vv_source *source, const struct chunk *chunk,
    const struct vv_known_pages *pages, varve_error *error)
{
    const unsigned char *bytes;
    size_t size;
    VV_TRY(save_plan_digests_look_into(s, source, chunk, &bytes, &size, error));
    memcpy(pages->now, pages->sums, VV_PAGE_SUMS_SIZE);
    for (size_t i = 0; i < VV_CHUNK_PAGES; i++) {
        uint8_t *now = pages->now + i * VV_DIGEST_SIZE;
        if (!pages->is_changed[i] && !s->known->is_verified)
            continue;
        vv_page_sums_make(
            bytes + i * VV_PAGE_ALIGNMENT, VV_PAGE_ALIGNMENT, now);
        if (!pages->is_changed[i] &&
            memcmp(now, pages->sums + i * VV_DIGEST_SIZE, VV_DIGEST_SIZE) != 0)
            s->other = (uint32_t)chunk->value;
    }
    struct vv_digest digest = vv_page_sums_digest(pages->now);
    memcpy(chunk->digest, digest.bytes, sizeof digest.bytes);
    return VARVE_OK;
}

static varve_status digest_whole(struct digesting *s,
    const struct vv_source *source, const struct chunk *chunk,
    const uint8_t *known, varve_error *error)
{
    const unsigned char *bytes;
    size_t size;
    VV_TRY(save_plan_digests_look_into(s, source, chunk, &bytes, &size, error));
    struct vv_digest digest = vv_digest_of(bytes, size);
    memcpy(chunk->digest, digest.bytes, sizeof digest.bytes);
    if (known && memcmp(digest.bytes, known, VV_DIGEST_SIZE) != 0)
        s->other = (uint32_t)chunk->value;
    return VARVE_OK;
}

static uint64_t save_plan_digests_number_of(
    const struct digesting *s, const struct chunk *chunk)
{
    return (uint64_t)(chunk->digest - s->digests) / VV_DIGEST_SIZE;
}

/* Computes the digest of a value of one chunk that can be used in place, unless
 * it is known. Returns false for other values. */
static bool digest_in_place(struct digesting *s, size_t value)
{
    const struct vv_known *k = s->known;
    const uint64_t size = vv_at64(s->sizes, value), number = s->firsts[value];
    const void *bytes = size < VV_CHUNK_SIZE
                            ? vv_save_plan_in_place(s->save_plan, value)
                            : NULL;
    if (!bytes || (k && size >= k->least &&
                      k->digest(k->user, (uint32_t)value, 0, number)))
        return false;
    const struct vv_digest digest = vv_digest_of(bytes, (size_t)size);
    memcpy(s->digests + number * VV_DIGEST_SIZE, digest.bytes,
        sizeof digest.bytes);
    return true;
}

static varve_status save_plan_digests_make(struct digesting *s,
    const struct vv_source *source, const struct chunk *chunk,
    varve_error *error)
{
    const struct vv_known *k = s->known;
    uint32_t value = (uint32_t)chunk->value;
    struct vv_known_pages pages = { .sums = NULL };
    const uint8_t *known = k ? k->digest(k->user, value, chunk->number,
                                   save_plan_digests_number_of(s, chunk))
                             : NULL;
    if (known && !k->is_verified) {
        memcpy(chunk->digest, known, VV_DIGEST_SIZE);
        return VARVE_OK;
    }
    if (k && k->pages(k->user, value, chunk->number, &pages))
        return digest_pages(s, source, chunk, &pages, error);
    return digest_whole(s, source, chunk, known, error);
}

static varve_status save_plan_digests_fill(struct digesting *s, size_t value,
    const struct vv_source *source, uint64_t from, uint64_t to,
    varve_error *error)
{
    for (uint64_t i = from; i < to; i++) {
        const struct chunk chunk = { .value = value,
            .number = i - s->firsts[value],
            .digest = s->digests + i * VV_DIGEST_SIZE };
        VV_TRY(save_plan_digests_make(s, source, &chunk, error));
    }
    return VARVE_OK;
}

static void save_plan_digests_fail(
    struct digesting *s, varve_status status, const varve_error *error)
{
    if (atomic_exchange(&s->has_failed, 1) == 0) {
        s->status = status;
        s->error = *error;
    }
}

static bool save_plan_digests_is_far(const struct digesting *s, size_t value)
{
    const varve_node *node = s->save_plan->accessed.size > 0
                                 ? vv_save_plan_copies_in(s->save_plan, value)
                                 : NULL;
    return node && vv_is_far(&node->variable->tensor);
}

/* The value that a worker has read last. A value that must be encoded is
 * encoded only once while the worker continues with it. */
struct look {
    struct vv_buffer *scratch;
    size_t value;
    struct vv_source source;
};

static varve_status save_plan_digests_look_at(const struct digesting *s,
    size_t value, struct look *look, varve_error *error)
{
    if (value == look->value)
        return VARVE_OK;
    look->value = value;
    return vv_save_plan_source(
        s->save_plan, (uint32_t)value, look->scratch, &look->source, error);
}

static bool save_plan_digests_is_wanted(const struct digesting *s, size_t value)
{
    return !s->wants || s->wants(s->user, value);
}

/* Computes the digests of the chunks from `at` to `end` - 1, except those of
 * out-of-line (far) values. */
static varve_status digest_some(struct digesting *s, uint64_t at, uint64_t end,
    struct look *look, varve_error *error)
{
    for (size_t value = save_plan_digests_value_of(s, at); at < end; value++) {
        uint64_t behind = s->firsts[value + 1];
        if (behind <= at)
            continue; /* an empty value */
        uint64_t limit = behind < end ? behind : end;
        if (!save_plan_digests_is_far(s, value) &&
            save_plan_digests_is_wanted(s, value) &&
            !digest_in_place(s, value)) {
            VV_TRY(save_plan_digests_look_at(s, value, look, error));
            VV_TRY(save_plan_digests_fill(
                s, value, &look->source, at, limit, error));
        }
        at = limit;
    }
    return VARVE_OK;
}

static void save_plan_digests_work(void *user, unsigned worker)
{
    struct digesting *s = user;
    uint64_t count = s->firsts[s->save_plan->value_count];
    uint64_t at;
    varve_error error = { 0 }; /* large, so not once for each step */
    struct look look = { .scratch = &s->bytes[worker], .value = SIZE_MAX };
    while (!s->has_failed &&
           (at = atomic_fetch_add(&s->next, CHUNKS_AT_ONCE)) < count) {
        uint64_t end =
            count - at < CHUNKS_AT_ONCE ? count : at + CHUNKS_AT_ONCE;
        varve_status status = digest_some(s, at, end, &look, &error);
        if (status)
            save_plan_digests_fail(s, status, &error);
    }
}

/* Computes the digests of out-of-line (far) values. Called on the thread of the
 * graph. */
static varve_status digest_far(struct digesting *s, varve_error *error)
{
    struct vv_source source;
    size_t count = s->save_plan->accessed.size ? s->save_plan->value_count : 0;
    for (size_t i = 0; i < count; i++) {
        if (!save_plan_digests_is_far(s, i) ||
            !save_plan_digests_is_wanted(s, i))
            continue;
        VV_TRY(vv_save_plan_source(
            s->save_plan, (uint32_t)i, &s->bytes[0], &source, error));
        VV_TRY(save_plan_digests_fill(
            s, i, &source, s->firsts[i], s->firsts[i + 1], error));
    }
    return VARVE_OK;
}

static varve_status save_plan_digests_run(
    struct digesting *s, uint64_t bytes, varve_error *error)
{
    const struct vv_context *context = &s->save_plan->context;
    unsigned workers =
        vv_worker_count_for(context, 0, 1 + bytes / BYTES_PER_WORKER);
    for (unsigned i = 0; i < VV_MAX_WORKERS; i++)
        vv_buffer_init(&s->bytes[i], &context->allocator);
    vv_run_workers(context, workers, save_plan_digests_work, s);
    varve_status status = s->has_failed ? s->status : digest_far(s, error);
    if (s->has_failed && error)
        *error = s->error;
    for (unsigned i = 0; i < VV_MAX_WORKERS; i++)
        vv_buffer_clear(&s->bytes[i]);
    return status;
}

/* Makes the column large enough, if it is not. */
static uint8_t *save_plan_digests_reserve(
    struct vv_buffer *digests, size_t size)
{
    if (digests->size == size && size > 0)
        return digests->data;
    digests->size = 0;
    vv_buffer_reserve(digests, size);
    return vv_buffer_extend(digests, size);
}

static varve_status save_plan_digests_make_all(
    struct digesting *s, struct vv_save_plan *save_plan, varve_error *error)
{
    const varve_allocator *a = &save_plan->context.allocator;
    struct vv_index_columns *c = &save_plan->columns.index;
    size_t count = save_plan->value_count + 1;
    s->save_plan = save_plan;
    s->sizes = c->value_sizes.data;
    s->firsts = vv_allocate_array(a, count, sizeof *s->firsts);
    uint64_t bytes = s->firsts ? find_chunks(s) : 0;
    if (s->firsts)
        s->digests = save_plan_digests_reserve(
            &c->digests, (size_t)s->firsts[count - 1] * VV_DIGEST_SIZE);
    varve_status status = s->digests ? save_plan_digests_run(s, bytes, error)
                                     : vv_fail_memory(error, "digests");
    vv_release(a, s->firsts, count * sizeof *s->firsts);
    return status;
}

varve_status vv_save_plan_digest_some(struct vv_save_plan *save_plan,
    struct vv_known *known, vv_wants_digests *wants, const void *user,
    varve_error *error)
{
    struct digesting s = {
        .known = known, .wants = wants, .user = user, .other = VV_NONE
    };
    varve_status status = save_plan_digests_make_all(&s, save_plan, error);
    if (known)
        known->other = (uint32_t)s.other;
    return status;
}

varve_status vv_save_plan_digest(
    struct vv_save_plan *save_plan, struct vv_known *known, varve_error *error)
{
    return vv_save_plan_digest_some(save_plan, known, NULL, NULL, error);
}

/* --- Reusing -------------------------------------------------------------- */

/* Finds the digests of chunks that are unchanged since a save of this process
 * computed them. */

/* --- Finding digests ------------------------------------------------------ */

static const uint8_t *recall_find(
    const struct vv_save_plan *save_plan, const struct vv_known_chunk *c)
{
    const struct vv_known_digests *known = save_plan->unchanged.known;
    const uint8_t *sizes = save_plan->columns.index.value_sizes.data;
    uint64_t at = c->chunk * VV_CHUNK_SIZE;
    uint64_t left = known ? vv_at64(sizes, c->value) - at : 0;
    const struct vv_span span = { .value = c->value,
        .at = at,
        .size = left < VV_CHUNK_SIZE ? left : VV_CHUNK_SIZE };
    if (!known || !vv_is_unchanged(&save_plan->unchanged, &span, known->moment))
        return NULL;
    return known->digests + c->number * VV_DIGEST_SIZE;
}

bool vv_is_recalled(
    const struct vv_save_plan *save_plan, const struct vv_known_chunk *c)
{
    return recall_find(save_plan, c) != NULL;
}

static const uint8_t *known_before(
    const void *user, uint32_t value, uint64_t chunk, uint64_t number)
{
    return recall_find(user, &(struct vv_known_chunk){ value, chunk, number });
}

/* Page digests are part of an index, which only rank 0 has. */
static bool has_no_pages(const void *user, uint32_t value, uint64_t chunk,
    struct vv_known_pages *pages)
{
    (void)user, (void)value, (void)chunk, (void)pages;
    return false;
}

varve_status vv_recall_digests(struct vv_save_plan *save_plan,
    vv_wants_digests *wants, const void *user, varve_error *error)
{
    struct vv_known known = {
        .digest = known_before,
        .pages = has_no_pages,
        .user = save_plan,
        .is_verified = save_plan->options.increment.verify_clean,
        .other = VV_NONE,
    };
    vv_unchanged_take(
        &save_plan->unchanged, save_plan->columns.index.value_sizes.data);
    VV_TRY(vv_save_plan_digest_some(save_plan, &known, wants, user, error));
    return known.other == VV_NONE ? VARVE_OK
                                  : vv_fail_untouched(save_plan, known.other,
                                        "the save before", error);
}

/* --- After the save ------------------------------------------------------- */

varve_status vv_recall_check(const struct vv_save_plan *save_plan,
    const struct vv_known_chunk *c, const void *bytes, size_t size,
    varve_error *error)
{
    const struct vv_digest digest = vv_digest_of(bytes, size);
    const uint8_t *expected =
        save_plan->columns.index.digests.data + c->number * VV_DIGEST_SIZE;
    return memcmp(digest.bytes, expected, VV_DIGEST_SIZE) == 0
               ? VARVE_OK
               : vv_fail_untouched(
                     save_plan, c->value, "the save before", error);
}

void vv_recall_keep(struct vv_save_plan *save_plan)
{
    struct vv_index index;
    if (save_plan->unchanged.past &&
        !vv_save_plan_index(save_plan, &index, NULL))
        vv_unchanged_keep(&save_plan->unchanged, &index);
}

void vv_recall_drop(struct vv_save_plan *save_plan)
{
    vv_unchanged_drop(&save_plan->unchanged);
}

varve_status vv_fail_untouched(const struct vv_save_plan *save_plan,
    uint32_t value, const char *where, varve_error *error)
{
    struct vv_index index;
    struct vv_saved_paths paths;
    struct vv_buffer path;
    VV_TRY(vv_save_plan_index(save_plan, &index, error));
    VV_TRY(vv_saved_paths_begin(
        &paths, &save_plan->context.allocator, &index, 0, error));
    vv_buffer_init(&path, &save_plan->context.allocator);
    vv_saved_path(&paths, vv_at32(index.value_nodes, value), &path);
    vv_saved_paths_end(&paths);
    varve_status status = vv_fail(error, VARVE_MISUSE,
        "%s: the value differs from that in %s, but was not marked dirty",
        vv_buffer_string(&path), where);
    vv_buffer_clear(&path);
    return status;
}
