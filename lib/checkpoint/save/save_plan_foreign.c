/* save_plan_foreign.c - Passes the columns of a save plan to the writer of
 * another format.
 *
 * SPDX-License-Identifier: MIT
 */
#include "save_plan_foreign.h"

#include "allocator.h"
#include "failure.h"
#include "formats.h"
#include "index.h"
#include "saved_path.h"
#include "try.h"

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
