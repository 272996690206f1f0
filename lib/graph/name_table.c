/* name_table.c - Interns names in a hash table, and ranks them by sorting their
 * first eight bytes.
 *
 * Names are allocated in pools, one for every eight bytes of size. Longer
 * names, which are rare, are allocated separately.
 *
 * SPDX-License-Identifier: MIT
 */
#include "name_table.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "checksum.h"

enum { FEW = 64, UNIT = 8, MANY = 512, FETCHED_AHEAD = 16 };

struct key {
    const char *bytes;
    size_t size;
};

static bool name_table_is_name(const void *item, const void *key)
{
    const struct vv_name *name = item;
    const struct key *wanted = key;
    return name->size == wanted->size &&
           memcmp(name->bytes, wanted->bytes, wanted->size) == 0;
}

static size_t name_size(const struct vv_name *name)
{
    return offsetof(struct vv_name, bytes) + name->size + 1;
}

/* Returns the pool for a name with this total size, or NULL. */
static struct vv_pool *name_table_pool_of(
    struct vv_name_table *names, size_t size)
{
    size_t at = (size - 1) / UNIT;
    return at < VV_NAME_POOLS ? &names->pools[at] : NULL;
}

static struct vv_name *new_name(struct vv_name_table *names, size_t text_size)
{
    size_t size = offsetof(struct vv_name, bytes) + text_size + 1;
    struct vv_pool *pool = name_table_pool_of(names, size);
    return pool ? vv_pool_take(pool) : vv_allocate(names->set.allocator, size);
}

static void free_name(struct vv_name_table *names, struct vv_name *name)
{
    struct vv_pool *pool = name_table_pool_of(names, name_size(name));
    if (pool)
        vv_pool_give(pool, name);
    else
        vv_release(names->set.allocator, name, name_size(name));
}

uint64_t vv_name_hash(const struct vv_name *name)
{
    return vv_hash_of(name->bytes, name->size);
}

static uint64_t name_table_hash_of(const void *name)
{
    return vv_name_hash(name);
}

void vv_names_init(struct vv_name_table *names, const varve_allocator *a)
{
    *names = (struct vv_name_table){ .enough = FEW };
    vv_set_init(&names->set, a, name_table_hash_of);
    for (size_t i = 0; i < VV_NAME_POOLS; i++)
        vv_pool_init(&names->pools[i], a, (i + 1) * UNIT);
}

void vv_names_clear(struct vv_name_table *names)
{
    const varve_allocator *a = names->set.allocator;
    for (size_t i = 0; i < names->set.capacity; i++) {
        struct vv_name *name = vv_set_at(&names->set, i);
        if (name)
            free_name(names, name);
    }
    for (size_t i = 0; i < VV_NAME_POOLS; i++)
        vv_pool_clear(&names->pools[i]);
    vv_release(a, names->ranked, names->ranked_capacity * sizeof(void *));
    vv_set_clear(&names->set);
}

const struct vv_name *vv_names_find(
    const struct vv_name_table *names, const char *bytes, size_t size)
{
    struct key key = { bytes, size };
    return vv_set_find(
        &names->set, vv_hash_of(bytes, size), name_table_is_name, &key);
}

const struct vv_name *vv_names_intern(
    struct vv_name_table *names, const char *bytes, size_t size)
{
    struct key key = { bytes, size };
    uint64_t hash = vv_hash_of(bytes, size);
    struct vv_name *name =
        vv_set_find(&names->set, hash, name_table_is_name, &key);
    if (name)
        return name;
    if (!vv_set_reserve(&names->set, names->set.count + 1) ||
        !(name = new_name(names, size)))
        return NULL;
    name->number = (uint32_t)names->set.count;
    name->rank = 0;
    name->size = (uint16_t)size;
    memcpy(name->bytes, bytes, size);
    name->bytes[size] = '\0';
    vv_set_add(&names->set, name);
    names->is_ranked = false;
    return name;
}

/* A name and its first eight bytes as a big-endian number. Most comparisons
 * need only this number and do not access the name. */
struct sort_item {
    uint64_t prefix;
    struct vv_name *name;
};

static uint64_t prefix_of(const struct vv_name *name, uint32_t begin)
{
    uint64_t prefix = 0;
    for (uint32_t i = begin; i < begin + 8; i++) {
        unsigned char byte = i < name->size ? (unsigned char)name->bytes[i] : 0;
        prefix = prefix << 8 | byte;
    }
    return prefix;
}

static int name_table_compare(const void *left, const void *right)
{
    const struct sort_item *a = left;
    const struct sort_item *b = right;
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix ? -1 : 1;
    uint32_t common =
        a->name->size < b->name->size ? a->name->size : b->name->size;
    int order = memcmp(a->name->bytes, b->name->bytes, common);
    if (order)
        return order;
    return (a->name->size > b->name->size) - (a->name->size < b->name->size);
}

static int compare_prefixes(const void *left, const void *right)
{
    const struct sort_item *a = left;
    const struct sort_item *b = right;
    return (a->prefix > b->prefix) - (a->prefix < b->prefix);
}

static void sort_by_byte(const struct sort_item *from, struct sort_item *to,
    size_t count, unsigned shift)
{
    size_t places[256] = { 0 };
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        places[from[i].prefix >> shift & 255]++;
    for (size_t byte = 0; byte < 256; byte++) {
        size_t next = sum + places[byte];
        places[byte] = sum;
        sum = next;
    }
    for (size_t i = 0; i < count; i++)
        to[places[from[i].prefix >> shift & 255]++] = from[i];
}

/* Sorts many items byte by byte, from the last byte to the first, and skips
 * bytes that are equal in all of them. `scratch` has room for `count` items, or
 * is NULL. */
static void sort_prefixes(
    struct sort_item *items, struct sort_item *scratch, size_t count)
{
    struct sort_item *from = items, *to = scratch;
    uint64_t differ = 0;
    if (!scratch || count < MANY) {
        qsort(items, count, sizeof *items, compare_prefixes);
        return;
    }
    for (size_t i = 0; i < count; i++)
        differ |= items[i].prefix ^ items->prefix;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 255))
            continue;
        sort_by_byte(from, to, count, shift);
        struct sort_item *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

/* Returns how many items at the start have the same prefix. */
static size_t alike(const struct sort_item *items, size_t count)
{
    size_t end = 1;
    while (end < count && items[end].prefix == items->prefix)
        end++;
    return end;
}

/* Sorts by the first eight bytes, then items with equal bytes by the next
 * eight. So each name, which is anywhere in memory, is read once for each step.
 */
static void name_table_sort(
    struct sort_item *items, struct sort_item *scratch, size_t count)
{
    sort_prefixes(items, scratch, count);
    for (size_t at = 0, size; at < count; at += size) {
        size = alike(&items[at], count - at);
        if (size == 1)
            continue;
        for (size_t i = at; i < at + size; i++)
            items[i].prefix = prefix_of(items[i].name, 8);
        sort_prefixes(&items[at], scratch, size);
        for (size_t i = at, same; i < at + size; i += same) {
            same = alike(&items[i], at + size - i);
            if (same > 1)
                qsort(&items[i], same, sizeof *items, name_table_compare);
        }
    }
}

bool vv_names_rank(struct vv_name_table *names)
{
    const varve_allocator *a = names->set.allocator;
    size_t count = names->set.count;
    if (names->is_ranked || count == 0)
        return true;
    struct sort_item *items = vv_allocate_array(a, count, sizeof *items);
    struct vv_name **ranked = vv_allocate_array(a, count, sizeof *ranked);
    if (!items || !ranked) {
        vv_release(a, items, count * sizeof *items);
        vv_release(a, ranked, count * sizeof *ranked);
        return false;
    }
    size_t filled = 0;
    for (size_t i = 0; i < names->set.capacity; i++) {
        struct vv_name *name = vv_set_at(&names->set, i);
        if (i + FETCHED_AHEAD < names->set.capacity)
            __builtin_prefetch(vv_set_at(&names->set, i + FETCHED_AHEAD));
        if (name)
            items[filled++] = (struct sort_item){ prefix_of(name, 0), name };
    }
    struct sort_item *scratch =
        count < MANY ? NULL : vv_allocate_array(a, count, sizeof *scratch);
    name_table_sort(items, scratch, count);
    vv_release(a, scratch, count * sizeof *scratch);
    for (size_t i = 0; i < count; i++) {
        ranked[i] = items[i].name;
        ranked[i]->rank = (uint32_t)i;
    }
    vv_release(a, items, count * sizeof *items);
    vv_release(a, names->ranked, names->ranked_capacity * sizeof *ranked);
    names->ranked = ranked;
    names->ranked_capacity = count;
    names->is_ranked = true;
    return true;
}

/* --- Sweeping ----------------------------------------------------------- */

static void forget_ranks(struct vv_name_table *names)
{
    vv_release(names->set.allocator, names->ranked,
        names->ranked_capacity * sizeof *names->ranked);
    names->ranked = NULL;
    names->ranked_capacity = 0;
    names->is_ranked = false;
}

void vv_names_sweep_begin(struct vv_name_table *names)
{
    forget_ranks(names);
    for (size_t i = 0; i < names->set.capacity; i++) {
        struct vv_name *name = vv_set_at(&names->set, i);
        if (name)
            name->rank = 0;
    }
}

/* Removing a name from the set may move another one to its place, which is
 * examined next. */
void vv_names_sweep_end(struct vv_name_table *names, size_t work)
{
    struct vv_set *set = &names->set;
    uint32_t number = 0;
    for (size_t i = 0; i < set->capacity; i++) {
        struct vv_name *name = vv_set_at(set, i);
        while (name && name->rank == 0) {
            vv_set_remove(set, name);
            free_name(names, name);
            name = vv_set_at(set, i);
        }
    }
    for (size_t i = 0; i < set->capacity; i++) {
        struct vv_name *name = vv_set_at(set, i);
        if (name)
            name->number = number++;
    }
    names->enough = FEW + 2 * set->count + work;
}
