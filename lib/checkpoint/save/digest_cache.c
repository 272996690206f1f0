/* digest_cache.c - Keeps digests from one save to the next, to find what has
 * not changed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "digest_cache.h"

#include <string.h>

#include "allocator.h"
#include "checksum.h"

/* --- Values --------------------------------------------------------------- */

/* Keeps a list of digests; a user takes the whole list out while it searches
 * it. */

struct vv_known_digests *vv_known_digests_new(
    const varve_allocator *a, const struct vv_index *i)
{
    struct vv_known_digests *known = vv_allocate_zeroed(a, sizeof *known);
    size_t size = (size_t)i->digest_count * VV_DIGEST_SIZE;
    if (!known)
        return NULL;
    known->digests = vv_allocate(a, size + 1);
    if (!known->digests) {
        vv_release(a, known, sizeof *known);
        return NULL;
    }
    if (size > 0)
        memcpy(known->digests, i->digests, size);
    known->count = (size_t)i->digest_count;
    known->sizes =
        vv_digest_of(i->value_sizes, i->value_count * sizeof(uint64_t));
    return known;
}

void vv_known_digests_free(
    const varve_allocator *a, struct vv_known_digests *known)
{
    if (!known)
        return;
    vv_release(a, known->digests, known->count * VV_DIGEST_SIZE + 1);
    vv_release(a, known, sizeof *known);
}

static void free_list(const varve_allocator *a, struct vv_known_digests *list)
{
    for (struct vv_known_digests *next; list; list = next) {
        next = list->next;
        vv_known_digests_free(a, list);
    }
}

/* Adds digests to a list, and keeps the later ones if the list already has some
 * for the same root. */
static void digest_cache_add(const varve_allocator *a,
    struct vv_known_digests **list, struct vv_known_digests *known)
{
    struct vv_known_digests **link = list;
    while (*link && (*link)->root != known->root)
        link = &(*link)->next;
    struct vv_known_digests *other = *link;
    if (other && other->moment > known->moment) {
        vv_known_digests_free(a, known);
        return;
    }
    known->next = other ? other->next : NULL;
    *link = known;
    vv_known_digests_free(a, other);
}

/* Puts a list back. Merges it with a list that another thread has put there
 * meanwhile. */
static void put_list(struct vv_digest_cache *cache, const varve_allocator *a,
    struct vv_known_digests *list)
{
    struct vv_known_digests *none = NULL;
    while (
        list && !atomic_compare_exchange_strong(&cache->first, &none, list)) {
        struct vv_known_digests *others = atomic_exchange(&cache->first, NULL);
        for (struct vv_known_digests *next; others; others = next) {
            next = others->next;
            others->next = NULL;
            digest_cache_add(a, &list, others);
        }
        none = NULL;
    }
}

struct vv_known_digests *vv_digest_cache_take(struct vv_digest_cache *cache,
    const varve_allocator *a, const varve_node *root, uint32_t oldest)
{
    struct vv_known_digests *list = atomic_exchange(&cache->first, NULL);
    struct vv_known_digests *found = NULL;
    for (struct vv_known_digests **link = &list, *known;
         (known = *link) != NULL;) {
        if (known->moment >= oldest && known->root != root) {
            link = &known->next;
            continue;
        }
        *link = known->next;
        known->next = NULL;
        if (known->moment >= oldest)
            found = known;
        else
            vv_known_digests_free(a, known);
    }
    put_list(cache, a, list);
    return found;
}

void vv_digest_cache_put(struct vv_digest_cache *cache,
    const varve_allocator *a, struct vv_known_digests *known)
{
    put_list(cache, a, known);
}

void vv_digest_cache_clear(
    struct vv_digest_cache *cache, const varve_allocator *a)
{
    free_list(a, atomic_exchange(&cache->first, NULL));
}

/* --- Ends of values ------------------------------------------------------- */

/* Keeps a list of digests, each with the moment since which it has been the
 * same. */

struct end {
    const uint8_t *bytes;
    size_t size;
    struct vv_digest digest;
    uint32_t since;
};

void vv_value_ends_init(
    struct vv_value_ends *ends, const varve_allocator *allocator)
{
    vv_buffer_init(&ends->all, allocator);
    ends->next = 0;
}

void vv_value_ends_clear(struct vv_value_ends *ends)
{
    vv_buffer_clear(&ends->all);
}

void vv_value_ends_forget(struct vv_value_ends *ends)
{
    vv_emptied(&ends->all);
}

/* Removes the entries that the last pass did not reach. So each entry was
 * checked in every pass since it was added. */
void vv_value_ends_begin(struct vv_value_ends *ends)
{
    size_t asked = ends->next * sizeof(struct end);
    if (asked < ends->all.size)
        ends->all.size = asked;
    ends->next = 0;
}

/* Returns the next entry. Returns NULL if out of memory; then the bytes count
 * as changed. */
static struct end *next_end(struct vv_value_ends *ends)
{
    size_t at = ends->next++ * sizeof(struct end);
    struct vv_buffer *all = &ends->all;
    if (at < all->size)
        return (struct end *)(void *)(all->data + at);
    struct end *end = vv_buffer_extend(all, sizeof *end);
    if (end)
        *end = (struct end){ .size = 0 };
    else
        vv_value_ends_forget(ends);
    return end;
}

uint32_t vv_value_ends_since(struct vv_value_ends *ends, const uint8_t *bytes,
    size_t size, uint32_t moment)
{
    struct end *end = next_end(ends);
    struct end now = { .bytes = bytes,
        .size = size,
        .digest = vv_digest_of(bytes, size),
        .since = moment };
    if (!end)
        return moment;
    if (end->bytes == bytes && end->size == size &&
        vv_digest_equal(&end->digest, &now.digest))
        return end->since;
    *end = now;
    return moment;
}
