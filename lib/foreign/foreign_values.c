/* foreign_values.c - bytes from where they lie, or freshly cooked; sums of
 * pieces that come in any order, put together when the last has come.
 *
 * SPDX-License-Identifier: MIT
 */
#include "foreign_values.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "allocator.h"
#include "failure.h"
#include "file.h"
#include "layout.h"
#include "monitor.h"
#include "sum.h"
#include "try.h"

/* A cooked value of which pieces are wanted. Readers go through values in
 * order, so that at most two are of interest at a time. */
enum { DISHES = 2 };

struct dish {
    uint32_t value;
    unsigned char *bytes; /* NULL: empty */
    size_t size;
    uint64_t served; /* bytes of it handed out */
    uint64_t date;   /* when last */
};

struct vv_kitchen {
    struct vv_monitor *monitor; /* for the dishes */
    struct dish dishes[DISHES];
    uint64_t clock;
    uint32_t *saved; /* values that are saved, in order of their offsets */
    uint32_t saved_count;
    /* Sums of values of several chunks: by chunk (numbered as digests are) the
     * sum, plus SEEN; by value how many have been seen. */
    _Atomic(uint64_t) *sums;
    _Atomic(uint32_t) *seen;
};

static const uint64_t SEEN = UINT64_C(1) << 32;
static const uint32_t WRONG = UINT32_MAX; /* seen to be so; stays so */

static const struct vv_index *index_of(const struct vv_foreign *f)
{
    return &f->parsed->index;
}

static uint64_t size_of(const struct vv_foreign *f, uint32_t value)
{
    return vv_at64(index_of(f)->value_sizes, value);
}

static uint64_t offset_of(const struct vv_foreign *f, uint32_t value)
{
    return vv_at64(index_of(f)->value_offsets, value);
}

/* --- Cooked values -------------------------------------------------------- */

static varve_status cook(const struct vv_foreign *f, uint32_t value,
    unsigned char *bytes, varve_error *error)
{
    return f->cook(
        f, f->places[value].offset, bytes, (size_t)size_of(f, value), error);
}

static void empty(const struct vv_foreign *f, struct dish *dish)
{
    vv_release(&f->context->allocator, dish->bytes, dish->size);
    *dish = (struct dish){ 0 };
}

static struct dish *find_dish(struct vv_kitchen *k, uint32_t value)
{
    struct dish *oldest = &k->dishes[0];
    for (size_t i = 0; i < DISHES; i++) {
        struct dish *dish = &k->dishes[i];
        if (dish->bytes && dish->value == value)
            return dish;
        if (dish->date < oldest->date)
            oldest = dish;
    }
    return oldest;
}

/* From inside the monitor. */
static varve_status fill_dish(const struct vv_foreign *f, struct dish *dish,
    uint32_t value, varve_error *error)
{
    empty(f, dish);
    dish->size = (size_t)size_of(f, value);
    dish->value = value;
    dish->bytes = vv_allocate(&f->context->allocator, dish->size);
    if (!dish->bytes)
        return vv_fail_memory(error, "a value");
    varve_status status = cook(f, value, dish->bytes, error);
    if (status)
        empty(f, dish);
    return status;
}

static varve_status serve(const struct vv_foreign *f, uint32_t value,
    uint64_t at, unsigned char *bytes, size_t size, varve_error *error)
{
    struct vv_kitchen *k = f->kitchen;
    if (size == size_of(f, value))
        return cook(f, value, bytes, error);
    vv_monitor_enter(k->monitor);
    struct dish *dish = find_dish(k, value);
    varve_status status = VARVE_OK;
    if (!dish->bytes || dish->value != value)
        status = fill_dish(f, dish, value, error);
    if (!status) {
        memcpy(bytes, dish->bytes + at, size);
        dish->date = ++k->clock;
        dish->served += size;
        if (dish->served >= dish->size)
            empty(f, dish);
    }
    vv_monitor_leave(k->monitor);
    return status;
}

/* --- Reading -------------------------------------------------------------- */

/* The number among those saved of the first that ends behind an offset. */
static uint32_t first_behind(const struct vv_foreign *f, uint64_t offset)
{
    const struct vv_kitchen *k = f->kitchen;
    uint32_t low = 0, high = k->saved_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t value = k->saved[middle];
        if (offset_of(f, value) + size_of(f, value) <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static varve_status read_value(const struct vv_foreign *f, uint32_t value,
    uint64_t at, unsigned char *bytes, size_t size, varve_error *error)
{
    const struct vv_place *place = &f->places[value];
    if (place->file == VV_COOKED)
        return serve(f, value, at, bytes, size, error);
    return vv_foreign_read(
        f, place->file, bytes, size, place->offset + at, error);
}

/* What lies between values is zero. */
static varve_status read_values(const struct vv_opened *o, uint64_t offset,
    void *bytes, size_t size, varve_error *error)
{
    const struct vv_foreign *f = o->state;
    const struct vv_kitchen *k = f->kitchen;
    unsigned char *to = bytes;
    uint64_t end = offset + size;
    for (uint32_t i = first_behind(f, offset);
         i < k->saved_count && offset < end; i++) {
        uint32_t value = k->saved[i];
        uint64_t begin = offset_of(f, value);
        uint64_t stop = begin + size_of(f, value);
        if (begin >= end)
            break;
        if (begin > offset) {
            memset(to, 0, (size_t)(begin - offset));
            to += begin - offset;
            offset = begin;
        }
        size_t part = (size_t)((stop < end ? stop : end) - offset);
        if (part > 0)
            VV_TRY(read_value(f, value, offset - begin, to, part, error));
        to += part;
        offset += part;
    }
    memset(to, 0, (size_t)(end - offset));
    return VARVE_OK;
}

static bool locate(
    const struct vv_opened *o, uint32_t value, int *file, uint64_t *offset)
{
    const struct vv_foreign *f = o->state;
    const struct vv_place *place = &f->places[value];
    if (place->file == VV_COOKED || f->files[place->file].file < 0)
        return false;
    *file = f->files[place->file].file;
    *offset = place->offset;
    return true;
}

static const char *place_of(
    const struct vv_opened *o, uint32_t value, uint64_t *offset)
{
    const struct vv_foreign *f = o->state;
    const struct vv_place *place = &f->places[value];
    if (place->file == VV_COOKED)
        return NULL;
    *offset = place->offset;
    return f->files[place->file].path;
}

/* --- Checking ------------------------------------------------------------- */

static varve_status fail_sum(const struct vv_foreign *f, uint32_t value,
    uint32_t found, const char *what, varve_error *error)
{
    const struct vv_place *place = &f->places[value];
    return vv_fail(error, VARVE_CORRUPT,
        "%s: %s%sbytes %" PRIu64 " to %" PRIu64 ": expected %s %08" PRIx32
        ", found %08" PRIx32,
        f->files[place->file].path, what ? what : "", what ? ": " : "",
        place->offset, place->offset + size_of(f, value),
        vv_sum_name(place->sum_kind),
        vv_sum_stored(place->sum_kind, place->sum), found);
}

static uint32_t put_together(
    const struct vv_foreign *f, uint32_t value, uint64_t first, uint64_t chunks)
{
    const struct vv_place *place = &f->places[value];
    uint64_t left = size_of(f, value);
    uint32_t sum = 0;
    for (uint64_t c = 0; c < chunks; c++) {
        uint64_t part = left < VV_CHUNK_SIZE ? left : VV_CHUNK_SIZE;
        sum = vv_sum_combine(
            place->sum_kind, sum, (uint32_t)f->kitchen->sums[first + c], part);
        left -= part;
    }
    return sum;
}

/* One of several chunks. A piece that was there before must not have
 * changed. */
static varve_status check_piece(const struct vv_foreign *f, uint32_t value,
    uint64_t chunk, uint32_t sum, const char *what, varve_error *error)
{
    struct vv_kitchen *k = f->kitchen;
    const struct vv_place *place = &f->places[value];
    uint64_t chunks = vv_chunk_count(size_of(f, value));
    uint64_t first = vv_first_digest(index_of(f), &f->parsed->table, value);
    uint64_t known = 0;
    if (atomic_compare_exchange_strong(
            &k->sums[first + chunk], &known, SEEN | sum)) {
        if (atomic_fetch_add(&k->seen[value], 1) + 1 < chunks)
            return VARVE_OK;
    } else if ((uint32_t)known != sum) {
        return vv_fail(error, VARVE_CORRUPT,
            "%s: %s%schunk %" PRIu64 " at offset %" PRIu64
            ": expected %s %08" PRIx32 " as before, found %08" PRIx32,
            f->files[place->file].path, what ? what : "", what ? ": " : "",
            chunk, place->offset + chunk * VV_CHUNK_SIZE,
            vv_sum_name(place->sum_kind), (uint32_t)known, sum);
    } else if (k->seen[value] != WRONG) {
        return VARVE_OK;
    }
    uint32_t found = put_together(f, value, first, chunks);
    if (found == vv_sum_stored(place->sum_kind, place->sum))
        return VARVE_OK;
    k->seen[value] = WRONG;
    return fail_sum(f, value, found, what, error);
}

static varve_status check_chunk(const struct vv_opened *o, uint32_t value,
    uint64_t chunk, const void *bytes, const char *what, varve_error *error)
{
    const struct vv_foreign *f = o->state;
    const struct vv_place *place = &f->places[value];
    uint64_t size = size_of(f, value);
    if (place->file == VV_COOKED || place->sum_kind == VV_SUM_NONE)
        return VARVE_OK;
    uint64_t left = size - chunk * VV_CHUNK_SIZE;
    uint32_t sum = vv_sum(place->sum_kind, bytes,
        left < VV_CHUNK_SIZE ? (size_t)left : VV_CHUNK_SIZE);
    if (size > VV_CHUNK_SIZE)
        return check_piece(f, value, chunk, sum, what, error);
    if (sum != vv_sum_stored(place->sum_kind, place->sum))
        return fail_sum(f, value, sum, what, error);
    return VARVE_OK;
}

/* --- Life ----------------------------------------------------------------- */

static bool has_large_sums(const struct vv_foreign *f)
{
    for (uint32_t i = 0; i < index_of(f)->value_count; i++) {
        if (f->places[i].sum_kind != VV_SUM_NONE &&
            size_of(f, i) > VV_CHUNK_SIZE)
            return true;
    }
    return false;
}

static bool make_tables(struct vv_foreign *f, struct vv_kitchen *k)
{
    const varve_allocator *a = &f->context->allocator;
    const struct vv_index *index = index_of(f);
    uint32_t count = index->value_count;
    k->monitor = vv_monitor_new(a);
    if (count > 0)
        k->saved = vv_allocate_array(a, count, sizeof *k->saved);
    if (!k->monitor || (!k->saved && count > 0))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (vv_index_is_saved(index, i))
            k->saved[k->saved_count++] = i;
    }
    if (!has_large_sums(f))
        return true;
    k->sums =
        vv_allocate_zeroed(a, (size_t)index->digest_count * sizeof *k->sums);
    k->seen = vv_allocate_zeroed(a, count * sizeof *k->seen);
    return k->sums && k->seen;
}

varve_status vv_foreign_begin(struct vv_foreign *f,
    const struct vv_parsed_index *parsed, varve_error *error)
{
    f->parsed = parsed;
    f->kitchen = vv_allocate_zeroed(&f->context->allocator, sizeof *f->kitchen);
    if (!f->kitchen || !make_tables(f, f->kitchen))
        return vv_fail_memory(error, "tables of values");
    return VARVE_OK;
}

static void free_kitchen(struct vv_foreign *f)
{
    const varve_allocator *a = &f->context->allocator;
    struct vv_kitchen *k = f->kitchen;
    if (!k)
        return;
    const struct vv_index *index = index_of(f);
    for (size_t i = 0; i < DISHES; i++)
        empty(f, &k->dishes[i]);
    vv_monitor_free(a, k->monitor);
    vv_release(a, k->saved, index->value_count * sizeof *k->saved);
    vv_release(
        a, (void *)k->sums, (size_t)index->digest_count * sizeof *k->sums);
    vv_release(a, (void *)k->seen, index->value_count * sizeof *k->seen);
    vv_release(a, k, sizeof *k);
}

void vv_foreign_free(struct vv_foreign *f)
{
    const varve_allocator a = f->context->allocator;
    free_kitchen(f);
    if (f->free)
        f->free(f);
    for (size_t i = 0; i < f->file_count; i++) {
        vv_file_close(f->context, f->files[i].file);
        vv_release_string(&a, f->files[i].path);
    }
    vv_release(&a, f->files, f->file_capacity * sizeof *f->files);
    vv_kept_clear(&f->kept);
    vv_release(&a, f->places, f->place_count * sizeof *f->places);
    vv_release(&a, f, sizeof *f);
}

static void close_files(struct vv_opened *o)
{
    vv_foreign_free(o->state);
}

const struct vv_backing vv_foreign_backing = {
    .read = read_values,
    .check = check_chunk,
    .locate = locate,
    .place = place_of,
    .close = close_files,
};
