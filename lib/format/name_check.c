/* name_check.c - Checks names: valid, sorted and used. Also checks the names of
 * the edges of lists.
 *
 * SPDX-License-Identifier: MIT
 */
#include "name_check.h"

#include <inttypes.h>

#include "allocator.h"
#include "name.h"

/* Returns true if all bytes are ASCII and not NUL. Tests eight bytes at a
 * time. */
static bool name_check_is_plain(const uint8_t *bytes, uint64_t size)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t found = 0;
    uint64_t i = 0;
    for (; size - i >= 8; i += 8) {
        uint64_t word = vv_load64(bytes + i);
        found |= (word | ((word - ones) & ~word)) & (ones << 7);
    }
    for (; i < size; i++)
        found |= bytes[i] == 0 || bytes[i] >= 0x80;
    return found == 0;
}

/* A name prepared for comparisons. */
struct name {
    const uint8_t *bytes;
    size_t size;
    /* its first 8 bytes as a big-endian number, padded with 0 */
    uint64_t begin;
};

static inline struct name name_check_name_at(
    const struct vv_index *index, uint64_t at, size_t size)
{
    struct name name = { .bytes = index->names + at, .size = size };
    if (index->names_size - at >= 8) {
        name.begin = __builtin_bswap64(vv_load64(name.bytes));
        if (size < 8)
            name.begin &= ~(UINT64_MAX >> 8 * size);
    } else {
        for (size_t i = 0; i < size && i < 8; i++)
            name.begin |= (uint64_t)name.bytes[i] << (56 - 8 * i);
    }
    return name;
}

/* Compares names. They contain no NUL, so if the numbers are equal and one name
 * has at most 8 bytes, the shorter name comes first. */
static inline bool name_check_is_before(
    const struct name *a, const struct name *b)
{
    if (a->begin != b->begin)
        return a->begin < b->begin;
    if (a->size <= 8 || b->size <= 8)
        return a->size < b->size;
    if (a->size == b->size && a->size <= 16) /* the last 8 bytes */
        return __builtin_bswap64(vv_load64(a->bytes + a->size - 8)) <
               __builtin_bswap64(vv_load64(b->bytes + b->size - 8));
    size_t shorter = a->size < b->size ? a->size : b->size;
    int order = memcmp(a->bytes + 8, b->bytes + 8, shorter - 8);
    return order < 0 || (order == 0 && a->size < b->size);
}

varve_status vv_check_names(const struct vv_index_check *check)
{
    const struct vv_index *index = check->index;
    bool plain = name_check_is_plain(index->names, index->names_size);
    struct name previous = { .size = 0 }; /* precedes every name */
    uint32_t begin = 0;
    for (uint32_t i = 0; i < index->name_count; i++) {
        const uint8_t *at = index->name_ends + 4 * (size_t)i;
        uint32_t end = vv_load32(at);
        if (end <= begin || end > index->names_size)
            return vv_check_fail(check, at,
                "name %" PRIu32 ": the end must be above %" PRIu32
                " and at most %" PRIu64 ", found %" PRIu32,
                i, begin, index->names_size, end);
        struct name name = name_check_name_at(index, begin, end - begin);
        if (name.size > VARVE_MAX_NAME_SIZE ||
            (!plain && !vv_utf8_is_valid((const char *)name.bytes, name.size)))
            return vv_check_fail(check, name.bytes,
                "name %" PRIu32 ": a name must be 1 to %d bytes of UTF-8 "
                "without NUL, found %zu bytes",
                i, VARVE_MAX_NAME_SIZE, name.size);
        if (!name_check_is_before(&previous, &name))
            return vv_check_fail(check, name.bytes,
                "name %" PRIu32 ": names must be in order and unique", i);
        previous = name;
        begin = end;
    }
    if (begin != index->names_size)
        return vv_check_fail(check, index->names + begin,
            "names: expected %" PRIu32 " bytes, found %" PRIu64, begin,
            index->names_size);
    return VARVE_OK;
}

/* --- Positions ------------------------------------------------------------ */

/* A position in a list as decimal text, which is incremented. */
struct position {
    uint8_t digits[16]; /* padded with zeros */
    size_t size;
    uint64_t begin; /* like that of a name */
};

static void name_check_carry(struct position *p)
{
    size_t i = p->size;
    while (i > 0 && p->digits[i - 1] == '9')
        p->digits[--i] = '0';
    if (i > 0) {
        p->digits[i - 1]++;
    } else {
        p->digits[0] = '1';
        p->digits[p->size++] = '0';
    }
    p->begin = __builtin_bswap64(vv_load64(p->digits));
}

/* Increments a position. In nine of ten cases only the last digit changes.
 * `begin` is updated too, because loading it after a byte store would stall
 * (store forwarding). */
static void count_up(struct position *p)
{
    uint8_t *last = &p->digits[p->size - 1];
    if (*last == '9' || p->size > 8) {
        name_check_carry(p);
    } else {
        ++*last;
        p->begin += UINT64_C(1) << (64 - 8 * p->size);
    }
}

static bool name_check_is_named(
    const struct name *name, const struct position *p)
{
    return name->size == p->size && name->begin == p->begin &&
           (name->size <= 8 ||
               memcmp(name->bytes + 8, p->digits + 8, name->size - 8) == 0);
}

varve_status vv_check_positions(
    const struct vv_index_check *check, uint32_t begin, uint32_t end)
{
    const struct vv_index *index = check->index;
    struct position p = { "0", 1, (uint64_t)'0' << 56 };
    for (uint32_t i = begin; i < end; i++, count_up(&p)) {
        uint32_t number = vv_at32(index->edge_names, i);
        uint32_t at = vv_begin32(index->name_ends, number);
        struct name name = name_check_name_at(
            index, at, vv_at32(index->name_ends, number) - at);
        if (!name_check_is_named(&name, &p))
            return vv_check_fail(check, index->edge_names + 4 * (size_t)i,
                "edge %" PRIu32 ": the name must be its position %" PRIu32
                " in the list",
                i, i - begin);
    }
    return VARVE_OK;
}

/* --- Every name is used --------------------------------------------------- */

static void name_check_mark(uint8_t *used, const uint8_t *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t name = vv_at32(names, i);
        used[name / 8] |= (uint8_t)(1u << name % 8);
    }
}

varve_status vv_check_use(const struct vv_index_check *check)
{
    const struct vv_index *index = check->index;
    const varve_allocator *a = &check->context->allocator;
    size_t size = (size_t)index->name_count / 8 + 1;
    uint8_t *used = vv_allocate_zeroed(a, size);
    if (!used)
        return vv_fail_memory(check->error, "marks of names");
    name_check_mark(used, index->edge_names, index->edge_count);
    name_check_mark(used, index->slot_names, index->slot_count);
    name_check_mark(used, index->tag_names, index->tag_count);
    name_check_mark(used, index->global_names, index->global_count);
    uint32_t unused = 0;
    while (unused < index->name_count && used[unused / 8] >> unused % 8 & 1)
        unused += used[unused / 8] == UINT8_MAX ? 8 - unused % 8 : 1;
    vv_release(a, used, size);
    if (unused < index->name_count)
        return vv_check_fail(check, index->name_ends + 4 * (size_t)unused,
            "name %" PRIu32 ": the name is not used", unused);
    return VARVE_OK;
}
