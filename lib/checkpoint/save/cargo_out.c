/* cargo_out.c - values, index, publish.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cargo_out.h"

#include "cargo_foreign.h"
#include "cargo_layered.h"
#include "data_out.h"
#include "failure.h"
#include "index_out.h"
#include "layout.h"
#include "publish.h"
#include "saved_path.h"
#include "try.h"

struct writer {
    struct vv_cargo *cargo;
    struct vv_data_out out;
    struct vv_buffer bytes;      /* of a value that has to be encoded */
    struct vv_index index;       /* without digests: for the paths */
    struct vv_saved_paths paths; /* where somebody wants to see them */
    struct vv_buffer path;       /* of the value being written */
};

static varve_status find_paths(struct writer *w, varve_error *error)
{
    if (!w->cargo->wants_paths)
        return VARVE_OK;
    VV_TRY(vv_cargo_index(w->cargo, &w->index, error));
    return vv_saved_paths_begin(
        &w->paths, &w->cargo->context.allocator, &w->index, 0, error);
}

static const char *path_of(struct writer *w, uint32_t value)
{
    if (!w->paths.index)
        return "";
    vv_saved_path(&w->paths, vv_at32(w->index.value_nodes, value), &w->path);
    return vv_buffer_string(&w->path);
}

static varve_status write_value(
    struct writer *w, uint32_t value, varve_error *error)
{
    struct vv_index_columns *c = &w->cargo->columns.index;
    struct vv_source source;
    VV_TRY(vv_cargo_source(w->cargo, value, &w->bytes, &source, error));
    uint64_t offset; /* as the columns have it */
    return vv_data_out_value(&w->out, &source,
        vv_at64(c->value_sizes.data, value), path_of(w, value), &offset,
        &c->digests, error);
}

/* A value that is not saved has the offset 0. */
static varve_status write_values(struct writer *w, varve_error *error)
{
    struct vv_index_columns *c = &w->cargo->columns.index;
    c->digests.size = 0;
    for (size_t i = 0; i < w->cargo->value_count; i++) {
        if (vv_at64(c->value_offsets.data, i) != 0)
            VV_TRY(write_value(w, (uint32_t)i, error));
    }
    return VARVE_OK;
}

static varve_status write_all(
    struct writer *w, int file, const char *path, varve_error *error)
{
    struct vv_cargo *cargo = w->cargo;
    struct vv_index index;
    VV_TRY(vv_data_out_begin(&w->out, &cargo->context, file, path,
        cargo->columns.index.total, error));
    w->out.progress = cargo->options.progress;
    w->out.progress_user = cargo->options.progress_user;
    w->out.no_write_back = cargo->options.no_sync;
    VV_TRY(write_values(w, error));
    VV_TRY(vv_cargo_index(cargo, &index, error));
    return vv_data_out_end(&w->out, &index, error);
}

static varve_status write_into(
    struct vv_cargo *cargo, int file, const char *path, varve_error *error)
{
    struct writer w = { .cargo = cargo };
    vv_buffer_init(&w.bytes, &cargo->context.allocator);
    vv_buffer_init(&w.path, &cargo->context.allocator);
    varve_status status = find_paths(&w, error);
    if (!status)
        status = write_all(&w, file, path, error);
    vv_data_out_clear(&w.out);
    vv_saved_paths_end(&w.paths);
    vv_buffer_clear(&w.path);
    vv_buffer_clear(&w.bytes);
    return status;
}

static varve_status write_layered(
    struct vv_cargo *cargo, const char *path, int flags, varve_error *error)
{
#ifdef VV_HAVE_LAYERS
    return vv_cargo_write_layered(cargo, path, flags, error);
#else
    (void)flags;
    return vv_fail(error, VARVE_TOO_NEW,
        "%s: expected a save that this build has, found %s: build Varve with "
        "-Dlayers=enabled",
        path, cargo->options.layered ? "one in layers" : "one that compresses");
#endif
}

varve_status vv_cargo_write(
    struct vv_cargo *cargo, const char *path, varve_error *error)
{
    struct vv_publication p;
    const varve_write_options *o = &cargo->options;
    int flags = (o->no_sync ? VV_PUBLISH_NO_SYNC : 0) |
                (o->no_replace ? VV_PUBLISH_NO_REPLACE : 0);
    if (o->format != VARVE_FORMAT_VARVE)
        return vv_cargo_write_foreign(cargo, path, flags, error);
    if ((o->layered || o->compress) &&
        cargo->columns.index.total > VV_HEADER_SIZE)
        return write_layered(cargo, path, flags, error);
    VV_TRY(vv_publish_begin(&p, &cargo->context, path, flags, error));
    varve_status status = write_into(cargo, p.file, path, error);
    return vv_publish_end(&p, status, error);
}
