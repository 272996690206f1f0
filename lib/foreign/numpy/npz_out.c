/* npz_out.c - Writes one entry for each value, in the order of the nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npz_out.h"

#include <string.h>

#include "failure.h"
#include "npy_out.h"
#include "store.h"
#include "name_set.h"
#include "try.h"
#include "zip_out.h"

#define SUFFIX ".npy"

struct writing {
    const struct vv_target *target;
    struct vv_zip_out zip;
    struct vv_buffer name;
    struct vv_taken taken;
};

static varve_status npz_out_take_name(struct writing *w, varve_error *error)
{
    const char *name = (const char *)w->name.data;
    bool is_new;
    if (!vv_taken_add(&w->taken, name, w->name.size, &is_new))
        return vv_fail_memory(error, "a name");
    return is_new ? VARVE_OK
                  : vv_fail(error, VARVE_DUPLICATE,
                        "%s: two values are named \"%.*s\"", w->target->path,
                        (int)(w->name.size - strlen(SUFFIX)), name);
}

/* Sets w->name. Sets *is_held to false if the name is too long for an entry. */
static varve_status name_value(
    struct writing *w, uint32_t node, bool *is_held, varve_error *error)
{
    vv_target_key(w->target, node, &w->name);
    if (w->name.size == 0)
        vv_buffer_add_string(&w->name, "arr_0"); /* the root itself */
    vv_buffer_add_string(&w->name, SUFFIX);
    if (w->name.failed)
        return vv_fail_memory(error, "a name");
    *is_held = w->name.size <= VV_ZIP_LONGEST_NAME;
    if (!*is_held) {
        vv_target_report_lost(w->target, node,
            "its value: its name is too long for a zip archive");
        return VARVE_OK;
    }
    return npz_out_take_name(w, error);
}

static varve_status npz_out_write_on(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    struct writing *w = user;
    return vv_zip_out_write(&w->zip, bytes, size, error);
}

static varve_status write_entry(
    struct writing *w, const struct vv_npy_out *out, varve_error *error)
{
    struct vv_npy_sink sink = { .user = w, .write = npz_out_write_on };
    uint64_t size;
    if (__builtin_add_overflow(out->size, out->header.size, &size))
        return vv_fail(error, VARVE_LIMIT, "%s: a value has 2^64 bytes or more",
            w->target->path);
    VV_TRY(vv_zip_out_begin(
        &w->zip, (const char *)w->name.data, w->name.size, size, error));
    VV_TRY(vv_npy_out_write(out, &sink, error));
    return vv_zip_out_end(&w->zip, error);
}

static varve_status npz_out_write_value(
    struct writing *w, uint32_t value, varve_error *error)
{
    struct vv_npy_out out;
    bool is_held = false;
    uint32_t node = vv_at32(w->target->index->value_nodes, value);
    VV_TRY(name_value(w, node, &is_held, error));
    if (!is_held)
        return VARVE_OK;
    varve_status status =
        vv_npy_out_begin(&out, w->target, value, &is_held, error);
    if (!status && is_held)
        status = write_entry(w, &out, error);
    vv_npy_out_end(&out);
    return status;
}

static varve_status npz_out_write_values(struct writing *w, varve_error *error)
{
    for (uint32_t i = 0; i < w->target->index->value_count; i++) {
        if (vv_npy_is_written(w->target, i))
            VV_TRY(npz_out_write_value(w, i, error));
    }
    return vv_zip_out_finish(&w->zip, error);
}

static varve_status npz_out_write_target(
    const struct vv_target *target, varve_error *error)
{
    const varve_allocator *a = &target->context->allocator;
    struct writing w = { .target = target };
    struct vv_publication p;
    vv_npy_report_lost_rest(target);
    VV_TRY(vv_store_refuse_any(target->path, VV_STORE_IN_ORDER, error));
    VV_TRY(vv_publish_begin(
        &p, target->context, target->path, target->flags, error));
    vv_zip_out_init(&w.zip, target->context, p.file, target->path);
    vv_buffer_init(&w.name, a);
    vv_taken_init(&w.taken, a);
    varve_status status = npz_out_write_values(&w, error);
    vv_zip_out_clear(&w.zip);
    vv_buffer_clear(&w.name);
    vv_taken_clear(&w.taken);
    status = vv_target_finish(target, status, error);
    return vv_publish_end(&p, status, error);
}

const struct vv_target_format vv_npz_target = { .format = VARVE_FORMAT_NPZ,
    .write = npz_out_write_target };
