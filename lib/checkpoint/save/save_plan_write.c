/* save_plan_write.c - Writes the values and the index of a save plan, and
 * publishes the file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "save_plan_write.h"

#include "save_plan_foreign.h"
#include "save_plan_incremental.h"
#include "data_out.h"
#include "failure.h"
#include "index_out.h"
#include "layout.h"
#include "publish.h"
#include "saved_path.h"
#include "try.h"

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
