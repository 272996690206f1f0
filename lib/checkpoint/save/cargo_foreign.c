/* cargo_foreign.c - the columns of a cargo handed to another format.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cargo_foreign.h"

#include "checkpoint_out.h"
#include "failure.h"
#include "saved_path.h"
#include "target.h"
#include "try.h"
#include "value_table.h"

struct foreign_writer {
    const struct vv_cargo *cargo;
    const struct vv_target *target;
    struct vv_buffer path;  /* of the value being written */
    struct vv_buffer bytes; /* of a value that has to be encoded */
    uint64_t done;
    uint64_t total;
};

static varve_status report(
    struct foreign_writer *f, uint32_t node, varve_error *error)
{
    const varve_write_options *o = &f->cargo->options;
    if (!o->progress)
        return VARVE_OK;
    if (f->cargo->wants_paths)
        vv_saved_path(f->target->paths, node, &f->path);
    if (o->progress(o->progress_user, f->done, f->total,
            vv_buffer_string(&f->path)) != 0)
        return vv_fail(error, VARVE_CANCELLED, "cancelled after %llu bytes",
            (unsigned long long)f->done);
    return VARVE_OK;
}

static varve_status give_value(
    void *user, uint32_t value, struct vv_source *source, varve_error *error)
{
    struct foreign_writer *f = user;
    const struct vv_index *index = f->target->index;
    VV_TRY(report(f, vv_at32(index->value_nodes, value), error));
    VV_TRY(vv_cargo_source(f->cargo, value, &f->bytes, source, error));
    f->done += vv_at64(index->value_sizes, value);
    return VARVE_OK;
}

static const unsigned char *give_kept(
    const void *user, uint32_t node, size_t *size)
{
    const struct foreign_writer *f = user;
    *size = f->cargo->kept[node].size;
    return f->cargo->kept[node].bytes;
}

static varve_status write_with(
    struct foreign_writer *f, struct vv_target *target, varve_error *error)
{
    const struct vv_index *index = target->index;
    const varve_allocator *a = &f->cargo->context.allocator;
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
        status = vv_target_write(target, f->cargo->options.format, error);
    vv_saved_paths_end(&paths);
    vv_value_table_clear(&table, a);
    return status;
}

varve_status vv_cargo_write_foreign(
    struct vv_cargo *cargo, const char *path, int flags, varve_error *error)
{
    struct vv_index index;
    VV_TRY(vv_cargo_index(cargo, &index, error));
    struct foreign_writer f = { .cargo = cargo };
    struct vv_target target = {
        .context = &cargo->context,
        .path = path,
        .index = &index,
        .flags = flags,
        .shard_size = cargo->options.foreign.shard_size,
        .global_names = cargo->options.foreign.global_names,
        .value = give_value,
        .user = &f,
        .kept = give_kept,
        .loss = cargo->options.foreign.loss,
        .loss_user = cargo->options.foreign.loss_user,
    };
    f.target = &target;
    vv_buffer_init(&f.path, &cargo->context.allocator);
    vv_buffer_init(&f.bytes, &cargo->context.allocator);
    varve_status status = write_with(&f, &target, error);
    vv_buffer_clear(&f.path);
    vv_buffer_clear(&f.bytes);
    return status;
}
