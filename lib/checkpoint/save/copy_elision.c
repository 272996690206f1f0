/* copy_elision.c - Finds the data that an asynchronous save need not copy, as
 * its base already contains it.
 *
 * This is determined twice: before the copy and before the data is written.
 * Both results are the same if the base and its moment are the same.
 *
 * SPDX-License-Identifier: MIT
 */
#include "copy_elision.h"

#include <string.h>

#include "allocator.h"
#include "data_in.h"
#include "failure.h"
#include "index_find.h"
#include "layer_columns.h"
#include "layer_known.h"
#include "layout.h"
#include "poison.h"
#include "try.h"

struct vv_elided {
    struct vv_index index; /* index of the save plan */
    struct vv_layer_base base;
    struct vv_layer_known known;
};

/* --- Finding reusable data ------------------------------------------------ */

static varve_status copy_elision_find(struct vv_elided *s,
    const struct vv_save_plan *save_plan, const char *base, const char *path,
    varve_error *error)
{
    VV_TRY(vv_save_plan_index(save_plan, &s->index, error));
    VV_TRY(vv_layer_base_open(
        &s->base, &save_plan->context, base, path, &s->index, error));
    s->known = vv_layer_known_of(&save_plan->unchanged, &s->index, &s->base);
    return VARVE_OK;
}

varve_status vv_save_plan_find_reusable(struct vv_save_plan *save_plan,
    const char *base, const char *path, varve_error *error)
{
    const varve_allocator *a = &save_plan->context.allocator;
    if (!save_plan->unchanged.past || save_plan->options.increment.verify_clean)
        return VARVE_OK;
    save_plan->reused = vv_allocate_zeroed(a, sizeof *save_plan->reused);
    if (!save_plan->reused)
        return vv_fail_memory(error, "the checkpoint before");
    varve_status status =
        copy_elision_find(save_plan->reused, save_plan, base, path, error);
    if (status || !save_plan->reused->known.is_known)
        vv_save_plan_end_reuse(save_plan);
    return status;
}

void vv_save_plan_end_reuse(struct vv_save_plan *save_plan)
{
    vv_layer_base_close(&save_plan->reused->base);
    vv_release(&save_plan->context.allocator, save_plan->reused,
        sizeof *save_plan->reused);
    save_plan->reused = NULL;
}

/* --- What must be copied -------------------------------------------------- */

/* Returns true if the base has page digests of a chunk and most of its pages
 * are unchanged. All bytes of any other chunk are read when it is written. */
static bool has_few_changes(
    const struct vv_elided *s, uint32_t value, uint64_t chunk, bool *is_changed)
{
    size_t count = 0;
    if (!vv_layer_base_pairs(&s->base, &s->index, value) ||
        !vv_page_sums_find(&s->base.file.parsed.index,
            vv_layer_base_chunk(&s->base, value, chunk)))
        return false;
    vv_layer_known_mark(&s->known, value, chunk, is_changed);
    for (size_t i = 0; i < VV_CHUNK_PAGES; i++)
        count += is_changed[i];
    return !vv_is_mostly_new(count, VV_CHUNK_SIZE);
}

/* Calls `take` once for each run of pages that are all changed or all
 * unchanged. */
static varve_status each_of_pages(const struct vv_save_plan *save_plan,
    struct vv_elided_part part, const bool *is_changed, vv_take_part *take,
    void *user, varve_error *error)
{
    uint64_t chunk = part.begin;
    for (size_t i = 0, end; i < VV_CHUNK_PAGES; i = end) {
        end = i + 1;
        while (end < VV_CHUNK_PAGES && is_changed[end] == is_changed[i])
            end++;
        part.begin = chunk + i * VV_PAGE_ALIGNMENT;
        part.end = chunk + end * VV_PAGE_ALIGNMENT;
        part.is_reused = !is_changed[i];
        VV_TRY(take(save_plan, &part, user, error));
    }
    return VARVE_OK;
}

varve_status vv_save_plan_each_part(const struct vv_save_plan *save_plan,
    uint32_t value, vv_take_part *take, void *user, varve_error *error)
{
    const struct vv_elided *s = save_plan->reused;
    bool is_changed[VV_CHUNK_PAGES];
    struct vv_elided_part part = { .value = value };
    uint64_t size = vv_at64(save_plan->columns.index.value_sizes.data, value);
    for (; part.begin < size; part.begin = part.end) {
        uint64_t left = size - part.begin, chunk = part.begin / VV_CHUNK_SIZE;
        part.end = part.begin + (left < VV_CHUNK_SIZE ? left : VV_CHUNK_SIZE);
        part.is_reused = vv_layer_known_digest(&s->known, value, chunk);
        if (!part.is_reused && has_few_changes(s, value, chunk, is_changed))
            VV_TRY(
                each_of_pages(save_plan, part, is_changed, take, user, error));
        else
            VV_TRY(take(save_plan, &part, user, error));
    }
    return VARVE_OK;
}

/* --- Data that was not copied --------------------------------------------- */

static varve_status each_reused(const struct vv_save_plan *save_plan,
    vv_take_part *take, void *user, varve_error *error)
{
    for (uint32_t i = 0; i < save_plan->value_count; i++) {
        if (save_plan->copies[i])
            VV_TRY(vv_save_plan_each_part(save_plan, i, take, user, error));
    }
    return VARVE_OK;
}

static uint8_t *copy_elision_place_of(
    const struct vv_save_plan *save_plan, const struct vv_elided_part *part)
{
    return (uint8_t *)save_plan->copies[part->value] + part->begin;
}

#ifdef VV_HAS_ASAN
static varve_status poison(const struct vv_save_plan *save_plan,
    const struct vv_elided_part *part, void *user, varve_error *error)
{
    (void)user, (void)error;
    if (part->is_reused)
        __asan_poison_memory_region(copy_elision_place_of(save_plan, part),
            (size_t)(part->end - part->begin));
    return VARVE_OK;
}

void vv_save_plan_poison(const struct vv_save_plan *save_plan)
{
    if (save_plan->reused)
        (void)each_reused(save_plan, poison, NULL, NULL);
}
#endif

/* The chunk of the base that was read last. */
struct refilling {
    const struct vv_elided *reused;
    uint8_t *bytes;
    uint32_t value;
    uint64_t chunk; /* VV_NONE: no chunk of this value */
};

static varve_status copy_elision_read_chunk(
    struct refilling *r, uint32_t value, uint64_t chunk, varve_error *error)
{
    const struct vv_opened *file = &r->reused->base.file;
    uint64_t offset;
    size_t size;
    if (r->value == value && r->chunk == chunk)
        return VARVE_OK;
    vv_opened_chunk(file, value, chunk, &offset, &size);
    VV_TRY(vv_opened_read(file, offset, r->bytes, size, error));
    VV_TRY(vv_opened_check(file, value, chunk, r->bytes, NULL, error));
    r->value = value;
    r->chunk = chunk;
    return VARVE_OK;
}

/* Fills in a part that was not copied from the base. A part is within one
 * chunk. */
static varve_status copy_elision_refill(const struct vv_save_plan *save_plan,
    const struct vv_elided_part *part, void *user, varve_error *error)
{
    struct refilling *r = user;
    size_t size = (size_t)(part->end - part->begin);
    if (!part->is_reused)
        return VARVE_OK;
    VV_TRY(copy_elision_read_chunk(
        r, part->value, part->begin / VV_CHUNK_SIZE, error));
    __asan_unpoison_memory_region(copy_elision_place_of(save_plan, part), size);
    memcpy(copy_elision_place_of(save_plan, part),
        r->bytes + part->begin % VV_CHUNK_SIZE, size);
    return VARVE_OK;
}

static bool is_found(
    const struct vv_elided *s, const struct vv_layer_known *known)
{
    return known->is_known &&
           vv_digest_equal(&vv_data_in_place(&known->base->file)->digest,
               &vv_data_in_place(&s->base.file)->digest);
}

varve_status vv_save_plan_fill_reused(struct vv_save_plan *save_plan,
    const struct vv_layer_known *known, varve_error *error)
{
    const varve_allocator *a = &save_plan->context.allocator;
    struct refilling r = { .reused = save_plan->reused, .value = VV_NONE };
    if (is_found(save_plan->reused, known))
        return VARVE_OK;
    r.bytes = vv_allocate(a, VV_CHUNK_SIZE);
    if (!r.bytes)
        return vv_fail_memory(error, "a chunk of the base checkpoint");
    varve_status status =
        each_reused(save_plan, copy_elision_refill, &r, error);
    vv_release(a, r.bytes, VV_CHUNK_SIZE);
    if (!status)
        vv_save_plan_end_reuse(save_plan);
    return status;
}
