/* digest_cache.c - Keeps a list of digests; a user takes the whole list out
 * while it searches it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "digest_cache.h"

#include <string.h>

#include "allocator.h"

struct vv_known_digests *vv_sums_new(
    const varve_allocator *a, const struct vv_index *i)
{
    struct vv_known_digests *sums = vv_allocate_zeroed(a, sizeof *sums);
    size_t size = (size_t)i->digest_count * VV_DIGEST_SIZE;
    if (!sums)
        return NULL;
    sums->digests = vv_allocate(a, size + 1);
    if (!sums->digests) {
        vv_release(a, sums, sizeof *sums);
        return NULL;
    }
    if (size > 0)
        memcpy(sums->digests, i->digests, size);
    sums->count = (size_t)i->digest_count;
    sums->sizes =
        vv_digest_of(i->value_sizes, i->value_count * sizeof(uint64_t));
    return sums;
}

void vv_sums_free(const varve_allocator *a, struct vv_known_digests *sums)
{
    if (!sums)
        return;
    vv_release(a, sums->digests, sums->count * VV_DIGEST_SIZE + 1);
    vv_release(a, sums, sizeof *sums);
}

static void free_list(const varve_allocator *a, struct vv_known_digests *list)
{
    for (struct vv_known_digests *next; list; list = next) {
        next = list->next;
        vv_sums_free(a, list);
    }
}

/* Adds digests to a list, and keeps the later ones if the list already has some
 * for the same root. */
static void digest_cache_add(const varve_allocator *a,
    struct vv_known_digests **list, struct vv_known_digests *sums)
{
    struct vv_known_digests **link = list;
    while (*link && (*link)->root != sums->root)
        link = &(*link)->next;
    struct vv_known_digests *other = *link;
    if (other && other->moment > sums->moment) {
        vv_sums_free(a, sums);
        return;
    }
    sums->next = other ? other->next : NULL;
    *link = sums;
    vv_sums_free(a, other);
}

/* Puts a list back. Merges it with a list that another thread has put there
 * meanwhile. */
static void put_list(struct vv_digest_cache *indexed_pool,
    const varve_allocator *a, struct vv_known_digests *list)
{
    struct vv_known_digests *none = NULL;
    while (list &&
           !atomic_compare_exchange_strong(&indexed_pool->first, &none, list)) {
        struct vv_known_digests *others =
            atomic_exchange(&indexed_pool->first, NULL);
        for (struct vv_known_digests *next; others; others = next) {
            next = others->next;
            others->next = NULL;
            digest_cache_add(a, &list, others);
        }
        none = NULL;
    }
}

struct vv_known_digests *vv_sums_take(struct vv_digest_cache *indexed_pool,
    const varve_allocator *a, const varve_node *root, uint32_t oldest)
{
    struct vv_known_digests *list = atomic_exchange(&indexed_pool->first, NULL);
    struct vv_known_digests *found = NULL;
    for (struct vv_known_digests **link = &list, *sums;
         (sums = *link) != NULL;) {
        if (sums->moment >= oldest && sums->root != root) {
            link = &sums->next;
            continue;
        }
        *link = sums->next;
        sums->next = NULL;
        if (sums->moment >= oldest)
            found = sums;
        else
            vv_sums_free(a, sums);
    }
    put_list(indexed_pool, a, list);
    return found;
}

void vv_sums_put(struct vv_digest_cache *indexed_pool, const varve_allocator *a,
    struct vv_known_digests *sums)
{
    put_list(indexed_pool, a, sums);
}

void vv_sums_clear(
    struct vv_digest_cache *indexed_pool, const varve_allocator *a)
{
    free_list(a, atomic_exchange(&indexed_pool->first, NULL));
}
