/* foreign_values.c - Reads the bytes of values in place or decodes them, and
 * verifies checksums.
 *
 * SPDX-License-Identifier: MIT
 */
#include "foreign_values.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "allocator.h"
#include "crc.h"
#include "failure.h"
#include "file.h"
#include "layout.h"
#include "monitor.h"
#include "try.h"

/* --- Checksums ------------------------------------------------------------ */

/* Combines CRCs as polynomials over GF(2), with the lowest power in the highest
 * bit. */

static uint32_t polynomial_of(enum vv_sum_kind kind)
{
    return kind == VV_SUM_CRC32C ? UINT32_C(0x82f63b78) : UINT32_C(0xedb88320);
}

uint32_t vv_sum(enum vv_sum_kind kind, const void *bytes, size_t size)
{
    switch (kind) {
    case VV_SUM_CRC32C: return vv_crc32c(0, bytes, size);
    case VV_SUM_CRC32: return vv_crc32(0, bytes, size);
    case VV_SUM_NONE: break;
    }
    return 0;
}

/* Returns a * b modulo the polynomial. */
static uint32_t sum_multiply(uint32_t polynomial, uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (; a; a <<= 1) {
        if (a >> 31)
            product ^= b;
        b = b & 1 ? b >> 1 ^ polynomial : b >> 1;
    }
    return product;
}

uint32_t vv_sum_combine(
    enum vv_sum_kind kind, uint32_t a, uint32_t b, uint64_t size)
{
    uint32_t polynomial = polynomial_of(kind);
    uint32_t power = UINT32_C(1) << 23; /* x^8: appends one byte */
    for (; size; size >>= 1) {
        if (size & 1)
            a = sum_multiply(polynomial, power, a);
        power = sum_multiply(polynomial, power, power);
    }
    return a ^ b;
}

uint32_t vv_sum_stored(enum vv_sum_kind kind, uint32_t stored)
{
    return kind == VV_SUM_CRC32C ? vv_crc32c_unmask(stored) : stored;
}

const char *vv_sum_name(enum vv_sum_kind kind)
{
    return kind == VV_SUM_CRC32C ? "CRC-32C" : "CRC-32";
}

/* --- Values --------------------------------------------------------------- */

/* The checksum of a value is combined from those of its chunks, which can be
 * read in any order. */

/* A decoded value that is read in pieces. Readers process values in order, so
 * at most two are in use at a time. */
enum { CACHE_SIZE = 2 };

struct cached {
    uint32_t value;
    unsigned char *bytes; /* NULL if the entry is empty */
    size_t size;
    uint64_t read;     /* bytes read so far */
    uint64_t last_use; /* value of `clock` at the last use */
};

/* The checksums of a value's chunks; allocated when the first chunk is read. */
struct value_sums {
    _Atomic(uint32_t) summed;   /* number of chunks with a checksum, or WRONG */
    _Atomic(uint64_t) chunks[]; /* checksum of each chunk, plus IS_SUMMED */
};

struct vv_value_tables {
    struct vv_monitor *monitor; /* protects the cache and `sums` */
    struct cached cache[CACHE_SIZE];
    uint64_t clock;
    uint32_t *saved; /* saved values, sorted by offset */
    uint32_t saved_count;
    /* Checksums of values of several chunks, indexed by value. */
    _Atomic(struct value_sums *) *sums;
};

static const uint64_t IS_SUMMED = UINT64_C(1) << 32;
static const uint32_t WRONG = UINT32_MAX; /* stored in `summed` */

static const struct vv_index *foreign_values_index_of(
    const struct vv_foreign *f)
{
    return &f->parsed->index;
}

static uint64_t foreign_values_size_of(
    const struct vv_foreign *f, uint32_t value)
{
    return vv_at64(foreign_values_index_of(f)->value_sizes, value);
}

static uint64_t foreign_values_offset_of(
    const struct vv_foreign *f, uint32_t value)
{
    return vv_at64(foreign_values_index_of(f)->value_offsets, value);
}

/* --- Decoded values ------------------------------------------------------ */

static varve_status foreign_values_decode(const struct vv_foreign *f,
    uint32_t value, unsigned char *bytes, varve_error *error)
{
    return f->decode(f, f->places[value].offset, bytes,
        (size_t)foreign_values_size_of(f, value), error);
}

static void empty(const struct vv_foreign *f, struct cached *cached)
{
    vv_release(&f->context->allocator, cached->bytes, cached->size);
    *cached = (struct cached){ 0 };
}

static struct cached *find_cached(struct vv_value_tables *t, uint32_t value)
{
    struct cached *oldest = &t->cache[0];
    for (size_t i = 0; i < CACHE_SIZE; i++) {
        struct cached *cached = &t->cache[i];
        if (cached->bytes && cached->value == value)
            return cached;
        if (cached->last_use < oldest->last_use)
            oldest = cached;
    }
    return oldest;
}

/* The caller must be inside the monitor. */
static varve_status fill_cached(const struct vv_foreign *f,
    struct cached *cached, uint32_t value, varve_error *error)
{
    empty(f, cached);
    cached->size = (size_t)foreign_values_size_of(f, value);
    cached->value = value;
    cached->bytes = vv_allocate(&f->context->allocator, cached->size);
    if (!cached->bytes)
        return vv_fail_memory(error, "a value");
    varve_status status = foreign_values_decode(f, value, cached->bytes, error);
    if (status)
        empty(f, cached);
    return status;
}

static varve_status read_decoded(const struct vv_foreign *f, uint32_t value,
    uint64_t at, unsigned char *bytes, size_t size, varve_error *error)
{
    struct vv_value_tables *t = f->tables;
    const struct vv_place *place = &f->places[value];
    if (size == foreign_values_size_of(f, value))
        return foreign_values_decode(f, value, bytes, error);
    if (place->has_parts)
        return f->decode_part(f, place->offset, at, bytes, size, error);
    vv_monitor_enter(t->monitor);
    struct cached *cached = find_cached(t, value);
    varve_status status = VARVE_OK;
    if (!cached->bytes || cached->value != value)
        status = fill_cached(f, cached, value, error);
    if (!status) {
        memcpy(bytes, cached->bytes + at, size);
        cached->last_use = ++t->clock;
        cached->read += size;
        if (cached->read >= cached->size)
            empty(f, cached);
    }
    vv_monitor_leave(t->monitor);
    return status;
}

/* --- Reading -------------------------------------------------------------- */

/* Returns the index in `saved` of the first value that ends after an offset. */
static uint32_t first_behind(const struct vv_foreign *f, uint64_t offset)
{
    const struct vv_value_tables *t = f->tables;
    uint32_t low = 0, high = t->saved_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t value = t->saved[middle];
        if (foreign_values_offset_of(f, value) +
                foreign_values_size_of(f, value) <=
            offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static varve_status foreign_values_read_value(const struct vv_foreign *f,
    uint32_t value, uint64_t at, unsigned char *bytes, size_t size,
    varve_error *error)
{
    const struct vv_place *place = &f->places[value];
    if (place->file == VV_DECODED)
        return read_decoded(f, value, at, bytes, size, error);
    return vv_foreign_read(
        f, place->file, bytes, size, place->offset + at, error);
}

/* The bytes between values are zero. */
static varve_status foreign_values_read_values(const struct vv_opened *o,
    uint64_t offset, void *bytes, size_t size, varve_error *error)
{
    const struct vv_foreign *f = o->state;
    const struct vv_value_tables *t = f->tables;
    unsigned char *to = bytes;
    uint64_t end = offset + size;
    for (uint32_t i = first_behind(f, offset);
         i < t->saved_count && offset < end; i++) {
        uint32_t value = t->saved[i];
        uint64_t begin = foreign_values_offset_of(f, value);
        uint64_t stop = begin + foreign_values_size_of(f, value);
        if (begin >= end)
            break;
        if (begin > offset) {
            memset(to, 0, (size_t)(begin - offset));
            to += begin - offset;
            offset = begin;
        }
        size_t part = (size_t)((stop < end ? stop : end) - offset);
        if (part > 0)
            VV_TRY(foreign_values_read_value(
                f, value, offset - begin, to, part, error));
        to += part;
        offset += part;
    }
    memset(to, 0, (size_t)(end - offset));
    return VARVE_OK;
}

/* Decoded values are not announced: their bytes are read by the decoder. */
static void foreign_values_plan(const struct vv_opened *o, const void *owner,
    uint64_t offset, uint64_t size)
{
    const struct vv_foreign *f = o->state;
    const struct vv_value_tables *t = f->tables;
    const struct vv_system *system = f->context->system;
    uint64_t end = offset + size;
    for (uint32_t i = first_behind(f, offset); i < t->saved_count; i++) {
        uint32_t value = t->saved[i];
        uint64_t begin = foreign_values_offset_of(f, value);
        uint64_t stop = begin + foreign_values_size_of(f, value);
        const struct vv_place *place = &f->places[value];
        if (begin >= end)
            break;
        uint64_t from = begin > offset ? begin : offset;
        stop = stop < end ? stop : end;
        if (stop > from && place->file != VV_DECODED &&
            f->files[place->file].file >= 0)
            system->plan(system->state, f->files[place->file].file, owner,
                place->offset + (from - begin), stop - from);
    }
}

static bool foreign_values_locate(
    const struct vv_opened *o, uint32_t value, int *file, uint64_t *offset)
{
    const struct vv_foreign *f = o->state;
    const struct vv_place *place = &f->places[value];
    if (place->file == VV_DECODED || f->files[place->file].file < 0)
        return false;
    *file = f->files[place->file].file;
    *offset = place->offset;
    return true;
}

static const char *foreign_values_place_of(
    const struct vv_opened *o, uint32_t value, uint64_t *offset)
{
    const struct vv_foreign *f = o->state;
    const struct vv_place *place = &f->places[value];
    if (place->file == VV_DECODED)
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
        place->offset, place->offset + foreign_values_size_of(f, value),
        vv_sum_name(place->sum_kind),
        vv_sum_stored(place->sum_kind, place->sum), found);
}

static size_t sums_size(const struct vv_foreign *f, uint32_t value)
{
    return sizeof(struct value_sums) +
           (size_t)vv_chunk_count(foreign_values_size_of(f, value)) *
               sizeof(uint64_t);
}

/* Returns the table for a value, or NULL if memory runs out. It is allocated
 * when the first chunk is read, because a small file can declare very large
 * values. */
static struct value_sums *sums_of(const struct vv_foreign *f, uint32_t value)
{
    struct vv_value_tables *t = f->tables;
    struct value_sums *sums = atomic_load(&t->sums[value]);
    if (sums)
        return sums;
    vv_monitor_enter(t->monitor);
    sums = atomic_load(&t->sums[value]);
    if (!sums)
        sums = vv_allocate_zeroed(&f->context->allocator, sums_size(f, value));
    atomic_store(&t->sums[value], sums);
    vv_monitor_leave(t->monitor);
    return sums;
}

static uint32_t put_together(const struct vv_foreign *f, uint32_t value,
    struct value_sums *sums, uint64_t chunks)
{
    const struct vv_place *place = &f->places[value];
    uint64_t left = foreign_values_size_of(f, value);
    uint32_t sum = 0;
    for (uint64_t c = 0; c < chunks; c++) {
        uint64_t part = left < VV_CHUNK_SIZE ? left : VV_CHUNK_SIZE;
        sum = vv_sum_combine(
            place->sum_kind, sum, (uint32_t)sums->chunks[c], part);
        left -= part;
    }
    return sum;
}

/* Checks one of several chunks. A chunk that was read before must not have
 * changed. */
static varve_status foreign_values_check_piece(const struct vv_foreign *f,
    uint32_t value, uint64_t chunk, uint32_t sum, const char *what,
    varve_error *error)
{
    struct value_sums *sums = sums_of(f, value);
    const struct vv_place *place = &f->places[value];
    uint64_t chunks = vv_chunk_count(foreign_values_size_of(f, value));
    uint64_t known = 0;
    if (!sums)
        return vv_fail_memory(error, "the checksums of a value");
    if (atomic_compare_exchange_strong(
            &sums->chunks[chunk], &known, IS_SUMMED | sum)) {
        if (atomic_fetch_add(&sums->summed, 1) + 1 < chunks)
            return VARVE_OK;
    } else if ((uint32_t)known != sum) {
        return vv_fail(error, VARVE_CORRUPT,
            "%s: %s%schunk %" PRIu64 " at offset %" PRIu64
            " has changed: expected %s %08" PRIx32
            " as before, found %08" PRIx32,
            f->files[place->file].path, what ? what : "", what ? ": " : "",
            chunk, place->offset + chunk * VV_CHUNK_SIZE,
            vv_sum_name(place->sum_kind), (uint32_t)known, sum);
    } else if (sums->summed != WRONG) {
        return VARVE_OK;
    }
    uint32_t found = put_together(f, value, sums, chunks);
    if (found == vv_sum_stored(place->sum_kind, place->sum))
        return VARVE_OK;
    sums->summed = WRONG;
    return fail_sum(f, value, found, what, error);
}

static varve_status foreign_values_check_chunk(const struct vv_opened *o,
    uint32_t value, uint64_t chunk, const void *bytes, const char *what,
    varve_error *error)
{
    const struct vv_foreign *f = o->state;
    const struct vv_place *place = &f->places[value];
    uint64_t size = foreign_values_size_of(f, value);
    if (place->file == VV_DECODED || place->sum_kind == VV_SUM_NONE)
        return VARVE_OK;
    uint64_t left = size - chunk * VV_CHUNK_SIZE;
    uint32_t sum = vv_sum(place->sum_kind, bytes,
        left < VV_CHUNK_SIZE ? (size_t)left : VV_CHUNK_SIZE);
    if (size > VV_CHUNK_SIZE)
        return foreign_values_check_piece(f, value, chunk, sum, what, error);
    if (sum != vv_sum_stored(place->sum_kind, place->sum))
        return fail_sum(f, value, sum, what, error);
    return VARVE_OK;
}

/* Decoded values are verified by their decoder. */
static bool sums_whole(const struct vv_opened *o, uint32_t value)
{
    const struct vv_foreign *f = o->state;
    const struct vv_place *place = &f->places[value];
    return place->file != VV_DECODED && place->sum_kind != VV_SUM_NONE;
}

/* --- Lifetime ------------------------------------------------------------- */

static bool has_large_sums(const struct vv_foreign *f)
{
    for (uint32_t i = 0; i < foreign_values_index_of(f)->value_count; i++) {
        if (f->places[i].sum_kind != VV_SUM_NONE &&
            foreign_values_size_of(f, i) > VV_CHUNK_SIZE)
            return true;
    }
    return false;
}

static bool foreign_values_make_tables(
    struct vv_foreign *f, struct vv_value_tables *t)
{
    const varve_allocator *a = &f->context->allocator;
    const struct vv_index *index = foreign_values_index_of(f);
    uint32_t count = index->value_count;
    t->monitor = vv_monitor_new(a);
    if (count > 0)
        t->saved = vv_allocate_array(a, count, sizeof *t->saved);
    if (!t->monitor || (!t->saved && count > 0))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (vv_index_is_saved(index, i))
            t->saved[t->saved_count++] = i;
    }
    if (!has_large_sums(f))
        return true;
    t->sums = vv_allocate_zeroed(a, count * sizeof *t->sums);
    return t->sums != NULL;
}

varve_status vv_foreign_begin(struct vv_foreign *f,
    const struct vv_parsed_index *parsed, varve_error *error)
{
    f->parsed = parsed;
    f->tables = vv_allocate_zeroed(&f->context->allocator, sizeof *f->tables);
    if (!f->tables || !foreign_values_make_tables(f, f->tables))
        return vv_fail_memory(error, "tables of values");
    return VARVE_OK;
}

static void foreign_values_free_tables(struct vv_foreign *f)
{
    const varve_allocator *a = &f->context->allocator;
    struct vv_value_tables *t = f->tables;
    if (!t)
        return;
    const struct vv_index *index = foreign_values_index_of(f);
    for (size_t i = 0; i < CACHE_SIZE; i++)
        empty(f, &t->cache[i]);
    vv_monitor_free(a, t->monitor);
    vv_release(a, t->saved, index->value_count * sizeof *t->saved);
    for (uint32_t i = 0; t->sums && i < index->value_count; i++)
        vv_release(a, atomic_load(&t->sums[i]), sums_size(f, i));
    vv_release(a, (void *)t->sums, index->value_count * sizeof *t->sums);
    vv_release(a, t, sizeof *t);
}

void vv_foreign_free(struct vv_foreign *f)
{
    const varve_allocator a = f->context->allocator;
    foreign_values_free_tables(f);
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
    .read = foreign_values_read_values,
    .check = foreign_values_check_chunk,
    .locate = foreign_values_locate,
    .place = foreign_values_place_of,
    .plan = foreign_values_plan,
    .sums_whole = sums_whole,
    .close = close_files,
};
