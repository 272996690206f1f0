/* save_plan_write.c - Writes the values and the index of a save plan, also in
 * another format, and publishes the file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "save_plan_write.h"

#include "allocator.h"
#include "data_out.h"
#include "failure.h"
#include "formats.h"
#include "index.h"
#include "index_out.h"
#include "layout.h"
#include "publish.h"
#include "save_plan_incremental.h"
#include "saved_path.h"
#include "try.h"

/* --- Other formats -------------------------------------------------------- */

/* Passes the columns of a save plan to the writer of another format. */

struct foreign_writer {
    const struct vv_save_plan *save_plan;
    const struct vv_target *target;
    struct vv_buffer path;  /* path of the value being written */
    struct vv_buffer bytes; /* scratch for values that must be encoded */
    bool *given; /* for each value: it was requested by the writer; NULL: no
                    value is pending */
    uint64_t done;
    uint64_t total;
};

static varve_status save_plan_foreign_report(
    struct foreign_writer *f, uint32_t node, varve_error *error)
{
    const varve_write_options *o = &f->save_plan->options;
    if (!o->progress)
        return VARVE_OK;
    if (f->save_plan->wants_paths)
        vv_saved_path(f->target->paths, node, &f->path);
    if (o->progress(o->progress_user, f->done, f->total,
            vv_buffer_string(&f->path)) != 0)
        return vv_fail(error, VARVE_CANCELLED, "cancelled after %llu bytes",
            (unsigned long long)f->done);
    return VARVE_OK;
}

static varve_status save_plan_foreign_give_value(
    void *user, uint32_t value, struct vv_source *source, varve_error *error)
{
    struct foreign_writer *f = user;
    const struct vv_index *index = f->target->index;
    if (f->given)
        f->given[value] = true;
    VV_TRY(
        save_plan_foreign_report(f, vv_at32(index->value_nodes, value), error));
    VV_TRY(vv_save_plan_source(f->save_plan, value, &f->bytes, source, error));
    f->done += vv_at64(index->value_sizes, value);
    return VARVE_OK;
}

/* Fails if a pending value is not in the files, so that they are not
 * published. */
static varve_status save_plan_foreign_check_pending(
    void *user, varve_error *error)
{
    struct foreign_writer *f = user;
    const struct vv_buffer *pending = &f->save_plan->pending;
    const uint32_t *values = (const uint32_t *)(const void *)pending->data;
    for (size_t i = 0; i < pending->size / sizeof *values; i++) {
        if (f->given[values[i]])
            continue;
        vv_saved_path(f->target->paths,
            vv_at32(f->target->index->value_nodes, values[i]), &f->path);
        return vv_fail(error, VARVE_MISUSE,
            "%s: \"%.300s\" is pending, and the format %s cannot store pending "
            "values: create its variable before the save, drop it with "
            "varve_drop_pending, or set the write option `pending` to "
            "VARVE_PENDING_OMIT",
            f->target->path, vv_buffer_string(&f->path),
            varve_format_name(f->save_plan->options.format));
    }
    return VARVE_OK;
}

static const unsigned char *save_plan_foreign_give_kept(
    const void *user, uint32_t node, size_t *size)
{
    const struct foreign_writer *f = user;
    *size = f->save_plan->kept[node].size;
    return f->save_plan->kept[node].bytes;
}

static varve_status save_plan_foreign_write_with(
    struct foreign_writer *f, struct vv_target *target, varve_error *error)
{
    const struct vv_index *index = target->index;
    const varve_allocator *a = &f->save_plan->context.allocator;
    struct vv_value_table table = { 0 };
    struct vv_saved_paths paths = { 0 };
    VV_TRY(vv_value_table_make(&table, a, index, error));
    vv_value_table_fill(&table, index);
    varve_status status = vv_saved_paths_begin(&paths, a, index, 0, error);
    target->table = &table;
    target->paths = &paths;
    for (uint32_t i = 0; i < index->value_count; i++)
        f->total += vv_at64(index->value_sizes, i);
    if (!status)
        status = vv_target_write(target, f->save_plan->options.format, error);
    vv_saved_paths_end(&paths);
    vv_value_table_clear(&table, a);
    return status;
}

varve_status vv_save_plan_write_foreign(struct vv_save_plan *save_plan,
    const char *path, int flags, varve_error *error)
{
    struct vv_index index;
    VV_TRY(vv_save_plan_index(save_plan, &index, error));
    struct foreign_writer f = { .save_plan = save_plan };
    struct vv_target target = {
        .context = &save_plan->context,
        .path = path,
        .index = &index,
        .flags = flags,
        .shard_size = save_plan->options.foreign.shard_size,
        .global_names = save_plan->options.foreign.global_names,
        .value = save_plan_foreign_give_value,
        .user = &f,
        .finish =
            save_plan->pending.size ? save_plan_foreign_check_pending : NULL,
        .kept = save_plan_foreign_give_kept,
        .loss = save_plan->options.foreign.loss,
        .loss_user = save_plan->options.foreign.loss_user,
    };
    f.target = &target;
    vv_buffer_init(&f.path, &save_plan->context.allocator);
    vv_buffer_init(&f.bytes, &save_plan->context.allocator);
    const varve_allocator *a = &save_plan->context.allocator;
    if (target.finish)
        f.given = vv_allocate_zeroed(a, save_plan->value_count);
    varve_status status =
        target.finish && !f.given
            ? vv_fail_memory(error, "file sizes")
            : save_plan_foreign_write_with(&f, &target, error);
    vv_release(a, f.given, save_plan->value_count);
    vv_buffer_clear(&f.path);
    vv_buffer_clear(&f.bytes);
    return status;
}

/* --- Varve's own format --------------------------------------------------- */

/* Writes the values and the index of a save plan, and publishes the file. */

struct writer {
    struct vv_save_plan *save_plan;
    struct vv_data_out out;
    struct vv_buffer bytes;       /* scratch for values that must be encoded */
    struct vv_index index;        /* without digests, for the paths */
    struct vv_saved_paths paths;  /* only if a callback needs paths */
    struct vv_path_cursor cursor; /* at first at the root, node 0 */
    struct vv_buffer path;        /* path of the value being written */
};

static varve_status find_paths(struct writer *w, varve_error *error)
{
    if (!w->save_plan->wants_paths)
        return VARVE_OK;
    VV_TRY(vv_save_plan_index(w->save_plan, &w->index, error));
    return vv_saved_paths_begin(
        &w->paths, &w->save_plan->context.allocator, &w->index, 0, error);
}

static const char *save_plan_write_path_of(struct writer *w, uint32_t value)
{
    if (!w->paths.index)
        return "";
    vv_saved_path_next(
        &w->paths, &w->cursor, vv_at32(w->index.value_nodes, value), &w->path);
    return vv_buffer_string(&w->path);
}

static varve_status save_plan_write_value(
    struct writer *w, uint32_t value, varve_error *error)
{
    struct vv_index_columns *c = &w->save_plan->columns.index;
    struct vv_source source;
    VV_TRY(vv_save_plan_source(w->save_plan, value, &w->bytes, &source, error));
    uint64_t offset; /* the columns have it already */
    return vv_data_out_value(&w->out, &source,
        vv_at64(c->value_sizes.data, value), save_plan_write_path_of(w, value),
        &offset, &c->digests, error);
}

/* The offset of a value that is not saved is 0. */
static varve_status save_plan_write_values(struct writer *w, varve_error *error)
{
    struct vv_index_columns *c = &w->save_plan->columns.index;
    c->digests.size = 0;
    /* Most values have one digest. */
    vv_buffer_reserve(&c->digests, VV_DIGEST_SIZE * w->save_plan->value_count);
    for (size_t i = 0; i < w->save_plan->value_count; i++) {
        if (vv_at64(c->value_offsets.data, i) == 0)
            continue;
        const uint64_t size = vv_at64(c->value_sizes.data, i);
        const void *small = size < VV_ALIGNMENT && !w->out.progress
                                ? vv_save_plan_in_place(w->save_plan, i)
                                : NULL;
        if (small)
            VV_TRY(vv_data_out_small(
                &w->out, small, (size_t)size, &c->digests, error));
        else
            VV_TRY(save_plan_write_value(w, (uint32_t)i, error));
    }
    return VARVE_OK;
}

static varve_status save_plan_write_all(
    struct writer *w, int file, const char *path, varve_error *error)
{
    struct vv_save_plan *save_plan = w->save_plan;
    struct vv_index index;
    VV_TRY(vv_data_out_begin(&w->out, &save_plan->context, file, path,
        save_plan->columns.index.total, error));
    w->out.progress = save_plan->options.progress;
    w->out.progress_user = save_plan->options.progress_user;
    w->out.no_write_back = save_plan->options.no_sync;
    VV_TRY(save_plan_write_values(w, error));
    VV_TRY(vv_save_plan_index(save_plan, &index, error));
    return vv_data_out_end(&w->out, &index, error);
}

static varve_status write_into(struct vv_save_plan *save_plan, int file,
    const char *path, varve_error *error)
{
    struct writer w = { .save_plan = save_plan };
    vv_buffer_init(&w.bytes, &save_plan->context.allocator);
    vv_buffer_init(&w.path, &save_plan->context.allocator);
    vv_buffer_init(&w.cursor.path, &save_plan->context.allocator);
    varve_status status = find_paths(&w, error);
    if (!status)
        status = save_plan_write_all(&w, file, path, error);
    vv_data_out_clear(&w.out);
    vv_saved_paths_end(&w.paths);
    vv_buffer_clear(&w.path);
    vv_buffer_clear(&w.cursor.path);
    vv_buffer_clear(&w.bytes);
    return status;
}

varve_status vv_save_plan_write(
    struct vv_save_plan *save_plan, const char *path, varve_error *error)
{
    struct vv_publication p;
    const varve_write_options *o = &save_plan->options;
    int flags = (o->no_sync ? VV_PUBLISH_NO_SYNC : 0) |
                (o->no_replace ? VV_PUBLISH_NO_REPLACE : 0) |
                (save_plan->is_swept ? VV_PUBLISH_NO_SWEEP : 0);
    if (o->format != VARVE_FORMAT_VARVE)
        return vv_save_plan_write_foreign(save_plan, path, flags, error);
    if ((o->incremental || o->compress) &&
        save_plan->columns.index.total > VV_HEADER_SIZE)
        return vv_save_plan_write_incremental(save_plan, path, flags, error);
    VV_TRY(vv_publish_begin(&p, &save_plan->context, path, flags, error));
    varve_status status = write_into(save_plan, p.file, path, error);
    return vv_publish_end(&p, status, error);
}
