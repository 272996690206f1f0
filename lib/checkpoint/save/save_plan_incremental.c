/* save_plan_incremental.c - Writes an incremental checkpoint: computes the
 * digests of all values, writes the values that differ from the base, then the
 * index.
 *
 * Values are compared by their digests. If a chunk of a large value differs,
 * only the pages that differ are written (layer_pages). Small values are
 * handled in groups of up to VV_PAGED_SIZE bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "save_plan_incremental.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "index.h"
#include "layer_base.h"
#include "layer_out.h"
#include "layer_pages.h"
#include "publish.h"
#include "save_plan_copy.h"
#include "save_plan_digests.h"
#include "saved_path.h"
#include "try.h"

enum {
    TOGETHER = VV_PAGED_SIZE,
};

struct layering {
    struct vv_save_plan *save_plan;
    struct vv_index index; /* as it will be, without layers */
    struct vv_value_table table;
    struct vv_layer_base base;
    struct vv_layer_out out;
    struct vv_buffer scratch;
    struct vv_saved_paths paths;  /* only if a callback needs paths */
    struct vv_path_cursor cursor; /* at first at the root, node 0 */
    struct vv_buffer path;
    struct vv_layer_pages pages;
    struct vv_layer_known known;
    uint64_t behind; /* offset in the base's data of the end of the previous
                        value; 0: that value is new or has another size */
};

static uint64_t save_plan_incremental_size_of(
    const struct layering *l, uint32_t value)
{
    return vv_at64(l->index.value_sizes, value);
}

static uint64_t save_plan_incremental_offset_of(
    const struct layering *l, uint32_t value)
{
    return vv_at64(l->index.value_offsets, value);
}

static uint64_t older_offset(const struct layering *l, uint32_t value)
{
    return vv_layer_base_offset(&l->base, value);
}

static unsigned save_plan_incremental_planes_of(
    const struct layering *l, uint32_t value)
{
    return vv_pack_planes((varve_dtype)l->index.value_dtypes[value]);
}

static bool pairs(const struct layering *l, uint32_t value)
{
    return l->base.is_alike || vv_layer_base_pairs(&l->base, &l->index, value);
}

/* Returns true if some chunks of a value have the same digests in the base.
 * vv_layer_base_pairs must be true for the value. */
static bool save_plan_incremental_is_same(
    const struct layering *l, uint32_t value, uint64_t chunk, uint64_t count)
{
    uint64_t here = vv_first_digest(&l->index, &l->table, value) + chunk;
    return memcmp(l->index.digests + here * VV_DIGEST_SIZE,
               vv_layer_base_digests(&l->base, value, chunk),
               (size_t)count * VV_DIGEST_SIZE) == 0;
}

static varve_status save_plan_incremental_report(
    struct layering *l, uint32_t value, varve_error *error)
{
    const varve_write_options *o = &l->save_plan->options;
    if (!o->progress)
        return VARVE_OK;
    if (l->save_plan->wants_paths)
        vv_saved_path_next(&l->paths, &l->cursor,
            vv_at32(l->index.value_nodes, value), &l->path);
    if (o->progress(o->progress_user, l->out.at,
            l->save_plan->columns.index.total, vv_buffer_string(&l->path)))
        return vv_fail(error, VARVE_CANCELLED, "%s: cancelled", l->out.path);
    return VARVE_OK;
}

/* --- Padding -------------------------------------------------------------- */

/* Writes the padding before `begin`. `older` is the offset in the base of the
 * value that follows; 0: it is not in the base. */
static varve_status save_plan_incremental_pad(
    struct layering *l, uint64_t begin, uint64_t older, varve_error *error)
{
    uint64_t size = begin - l->out.at;
    if (size > 0 && older > 0 && l->behind > 0 && older - l->behind == size)
        return vv_layer_out_old(&l->out, l->behind, NULL, size, 0, error);
    if (size > 0 && older == 0 && l->out.at == VV_HEADER_SIZE)
        return vv_layer_out_new(&l->out, NULL, size, 0, error);
    return vv_layer_out_zeros(&l->out, size, error);
}

/* Sets `behind` for the padding after a value. It is 0 after new data, so that
 * the padding does not keep an old layer in use. */
static void save_plan_incremental_pass(
    struct layering *l, uint32_t value, bool is_old)
{
    if (!pairs(l, value) ||
        (save_plan_incremental_size_of(l, value) > 0 && !is_old))
        l->behind = 0;
    else if (save_plan_incremental_size_of(l, value) > 0)
        l->behind =
            older_offset(l, value) + save_plan_incremental_size_of(l, value);
}

/* --- Large values --------------------------------------------------------- */

static varve_status save_plan_incremental_write_chunk(struct layering *l,
    uint32_t value, uint64_t at, const uint8_t *bytes, varve_error *error)
{
    uint64_t chunk = at / VV_CHUNK_SIZE,
             left = save_plan_incremental_size_of(l, value) - at;
    struct vv_layer_chunk c = {
        .number = vv_first_digest(&l->index, &l->table, value) + chunk,
        .size = left < VV_CHUNK_SIZE ? left : VV_CHUNK_SIZE,
        .planes = save_plan_incremental_planes_of(l, value)
    };
    if (!pairs(l, value))
        return vv_layer_out_new(&l->out, bytes, c.size, c.planes, error);
    c.before = vv_layer_base_chunk(&l->base, value, chunk);
    c.offset = older_offset(l, value) + at;
    return save_plan_incremental_is_same(l, value, chunk, 1)
               ? vv_layer_pages_keep(&l->pages, &c, bytes, error)
               : vv_layer_pages_write(&l->pages, &c, bytes, error);
}

static varve_status write_large(
    struct layering *l, uint32_t value, varve_error *error)
{
    struct vv_source source;
    uint64_t all = save_plan_incremental_size_of(l, value), size;
    VV_TRY(
        vv_save_plan_source(l->save_plan, value, &l->scratch, &source, error));
    l->out.bytes_stay = source.bytes && source.bytes != l->scratch.data;
    bool begins_old =
        pairs(l, value) && save_plan_incremental_is_same(l, value, 0, 1);
    VV_TRY(
        save_plan_incremental_pad(l, save_plan_incremental_offset_of(l, value),
            begins_old ? older_offset(l, value) : 0, error));
    for (uint64_t at = 0; at < all; at += size) {
        const uint8_t *bytes;
        size = all - at < VV_CHUNK_SIZE ? all - at : VV_CHUNK_SIZE;
        VV_TRY(vv_source_piece(&source, at, (size_t)size, &bytes, error));
        VV_TRY(save_plan_incremental_write_chunk(l, value, at, bytes, error));
        VV_TRY(save_plan_incremental_report(l, value, error));
    }
    save_plan_incremental_pass(l, value,
        pairs(l, value) && save_plan_incremental_is_same(
                               l, value, (all - 1) / VV_CHUNK_SIZE, 1));
    return VARVE_OK;
}

/* --- Small values --------------------------------------------------------- */

/* Returns the end of the group of small values that begins with `first`. */
static uint32_t end_of_group(const struct layering *l, uint32_t first)
{
    uint32_t value = first + 1;
    for (; value < l->index.value_count; value++) {
        uint64_t size = save_plan_incremental_size_of(l, value);
        if (size >= VV_PAGED_SIZE ||
            (size > 0 && save_plan_incremental_offset_of(l, value) + size -
                                 save_plan_incremental_offset_of(l, first) >
                             TOGETHER))
            break;
    }
    return value;
}

/* Returns the size of a group if the base has all of its values, with the same
 * padding between them; otherwise 0. The first value is not empty. Each value
 * that is not empty has one digest. */
static uint64_t size_of_same_group(
    const struct layering *l, uint32_t first, uint32_t end)
{
    uint64_t here = save_plan_incremental_offset_of(l, first), there, size = 0;
    uint64_t count = 0;
    if (!pairs(l, first))
        return 0;
    there = older_offset(l, first);
    for (uint32_t i = first; i < end; i++) {
        if (!pairs(l, i))
            return 0;
        if (save_plan_incremental_size_of(l, i) == 0)
            continue;
        size = save_plan_incremental_offset_of(l, i) - here;
        if (!l->base.is_alike && older_offset(l, i) - there != size)
            return 0;
        size += save_plan_incremental_size_of(l, i);
        count++;
    }
    return save_plan_incremental_is_same(l, first, 0, count) &&
                   vv_layer_base_keeps(&l->base, there, size)
               ? size
               : 0;
}

static varve_status write_small(
    struct layering *l, uint32_t value, varve_error *error)
{
    const uint8_t *bytes;
    struct vv_source source;
    l->out.bytes_stay = false;
    VV_TRY(save_plan_incremental_pad(
        l, save_plan_incremental_offset_of(l, value), 0, error));
    VV_TRY(
        vv_save_plan_source(l->save_plan, value, &l->scratch, &source, error));
    VV_TRY(vv_source_piece(&source, 0,
        (size_t)save_plan_incremental_size_of(l, value), &bytes, error));
    return vv_layer_out_new(&l->out, bytes,
        save_plan_incremental_size_of(l, value),
        save_plan_incremental_planes_of(l, value), error);
}

static varve_status write_group(
    struct layering *l, uint32_t first, uint32_t end, varve_error *error)
{
    const uint64_t size = size_of_same_group(l, first, end);
    if (size > 0) {
        const uint64_t older = older_offset(l, first);
        VV_TRY(save_plan_incremental_pad(
            l, save_plan_incremental_offset_of(l, first), older, error));
        VV_TRY(vv_layer_out_old(&l->out, older, NULL, size, 0, error));
        l->behind = older + size;
        return save_plan_incremental_report(l, first, error);
    }
    for (uint32_t i = first; i < end; i++) {
        if (save_plan_incremental_size_of(l, i) > 0)
            VV_TRY(write_small(l, i, error));
        save_plan_incremental_pass(l, i, false);
    }
    return save_plan_incremental_report(l, first, error);
}

/* --- All ------------------------------------------------------------------ */

static varve_status save_plan_incremental_write_values(
    struct layering *l, varve_error *error)
{
    uint64_t end = vv_align_up(l->save_plan->columns.index.total, VV_ALIGNMENT);
    uint32_t next;
    l->behind = VV_HEADER_SIZE;
    for (uint32_t value = 0; value < l->index.value_count; value = next) {
        next = value + 1;
        if (save_plan_incremental_size_of(l, value) >= VV_PAGED_SIZE) {
            VV_TRY(write_large(l, value, error));
        } else if (save_plan_incremental_size_of(l, value) > 0) {
            next = end_of_group(l, value);
            VV_TRY(write_group(l, value, next, error));
        } else {
            save_plan_incremental_pass(l, value, true);
        }
    }
    return save_plan_incremental_pad(
        l, end, l->base.is_there ? l->base.file.data_end : 0, error);
}

static varve_status save_plan_incremental_write_index(
    struct layering *l, const struct vv_publication *p, varve_error *error)
{
    struct vv_index index;
    VV_TRY(vv_save_plan_index(l->save_plan, &index, error));
    if (l->out.is_inside)
        return vv_data_out_end(&l->out.data, &index, error);
    return vv_data_out_bare(
        &l->save_plan->context, p->file, p->path, &index, error);
}

static const uint8_t *known_digest(
    const void *user, uint32_t value, uint64_t chunk, uint64_t number)
{
    const struct layering *l = user;
    (void)number;
    return vv_layer_known_digest(&l->known, value, chunk);
}

static bool find_pages(const void *user, uint32_t value, uint64_t chunk,
    struct vv_known_pages *pages)
{
    const struct layering *l = user;
    if (l->base.file.parsed.index.paged_count == 0 || !pairs(l, value) ||
        !vv_layer_pages_find(
            &l->pages, vv_layer_base_chunk(&l->base, value, chunk), pages))
        return false;
    vv_layer_known_mark(&l->known, value, chunk, pages->is_changed);
    return true;
}

static varve_status save_plan_incremental_sum(
    struct layering *l, varve_error *error)
{
    struct vv_known known = {
        .digest = known_digest,
        .pages = find_pages,
        .user = l,
        .least = VV_PAGED_SIZE,
        .is_verified = l->save_plan->options.increment.verify_clean,
        .other = VV_NONE,
    };
    l->known = vv_layer_known_of(&l->save_plan->unchanged, &l->index, &l->base);
    if (l->save_plan->reused)
        VV_TRY(vv_save_plan_fill_reused(l->save_plan, &l->known, error));
    VV_TRY(vv_layer_pages_begin(
        &l->pages, l->save_plan, &l->base, &l->out, error));
    VV_TRY(vv_save_plan_digest(
        l->save_plan, l->base.is_there ? &known : NULL, error));
    VV_TRY(vv_save_plan_index(l->save_plan, &l->index, error));
    return known.other == VV_NONE ? VARVE_OK
                                  : vv_fail_untouched(l->save_plan, known.other,
                                        l->base.file.path, error);
}

static varve_status save_plan_incremental_begin_out(struct layering *l,
    const struct vv_publication *p, int flags, varve_error *error)
{
    const struct vv_save_plan *save_plan = l->save_plan;
    int level = save_plan->options.compress;
    struct vv_index_columns *columns = &l->save_plan->columns.index;
    if (save_plan->options.incremental) {
        VV_TRY(vv_layer_out_begin(&l->out, &save_plan->context, p->path, flags,
            level, columns, error));
        l->out.like = vv_publish_access(p);
        return VARVE_OK;
    }
    return vv_layer_out_begin_inside(&l->out, &save_plan->context, p->path,
        p->file, flags, level, columns, error);
}

static varve_status open_base(
    struct layering *l, const char *path, varve_error *error)
{
    const struct vv_save_plan *save_plan = l->save_plan;
    const char *base = save_plan->options.increment.base
                           ? save_plan->options.increment.base
                           : path;
    if (!save_plan->options.incremental)
        return VARVE_OK;
    VV_TRY(vv_layer_base_open(
        &l->base, &save_plan->context, base, path, &l->index, error));
    return vv_layer_out_set_base(&l->out, &l->base, error);
}

static varve_status save_plan_incremental_prepare(struct layering *l,
    const struct vv_publication *p, int flags, varve_error *error)
{
    struct vv_save_plan *save_plan = l->save_plan;
    const varve_allocator *a = &save_plan->context.allocator;
    VV_TRY(save_plan_incremental_begin_out(l, p, flags, error));
    save_plan->columns.index.digests.size = 0;
    VV_TRY(vv_save_plan_index(save_plan, &l->index, error));
    VV_TRY(vv_value_table_make(&l->table, a, &l->index, error));
    VV_TRY(open_base(l, p->path, error));
    if (l->base.is_alike)
        vv_value_table_copy(&l->table, &l->base.file.parsed.table);
    else
        vv_value_table_fill(&l->table, &l->index);
    VV_TRY(save_plan_incremental_sum(l, error));
    if (!save_plan->wants_paths)
        return VARVE_OK;
    return vv_saved_paths_begin(&l->paths, a, &l->index, 0, error);
}

static varve_status save_plan_incremental_write_all(
    struct layering *l, struct vv_publication *p, int flags, varve_error *error)
{
    VV_TRY(save_plan_incremental_prepare(l, p, flags, error));
    VV_TRY(save_plan_incremental_write_values(l, error));
    vv_layer_pages_finish(&l->pages);
    VV_TRY(vv_layer_out_end(&l->out, error));
    VV_TRY(save_plan_incremental_write_index(l, p, error));
    return vv_layer_out_publish(&l->out, p, error);
}

varve_status vv_save_plan_write_incremental(struct vv_save_plan *save_plan,
    const char *path, int flags, varve_error *error)
{
    struct layering l = { .save_plan = save_plan };
    struct vv_publication p;
    const varve_allocator *a = &save_plan->context.allocator;
    VV_TRY(vv_publish_begin(&p, &save_plan->context, path,
        flags | (save_plan->options.incremental ? VV_PUBLISH_NO_LINK : 0),
        error));
    vv_buffer_init(&l.scratch, a);
    vv_buffer_init(&l.path, a);
    vv_buffer_init(&l.cursor.path, a);
    varve_status status = save_plan_incremental_write_all(&l, &p, flags, error);
    status = vv_publish_end(&p, status, error);
    if (!status || status == VARVE_UNKNOWN_OUTCOME)
        vv_unchanged_note(&save_plan->unchanged, &l.index);
    vv_layer_out_clear(&l.out, !status || status == VARVE_UNKNOWN_OUTCOME);
    vv_layer_base_close(&l.base);
    vv_value_table_clear(&l.table, a);
    vv_saved_paths_end(&l.paths);
    vv_layer_pages_end(&l.pages);
    vv_buffer_clear(&l.path);
    vv_buffer_clear(&l.cursor.path);
    vv_buffer_clear(&l.scratch);
    return status;
}
