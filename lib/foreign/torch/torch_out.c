/* torch_out.c - the entries of the archive (torch/serialization.py, `_save`).
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_out.h"

#include <stdio.h>
#include <string.h>

#include "dtype.h"
#include "torch_tree.h"
#include "try.h"
#include "zip_out.h"

/* The directory that all entries are in; torch takes any. */
#define TOP "archive"

struct writing {
    const struct vv_target *target;
    struct vv_torch_tree tree;
    struct vv_zip_out zip;
};

static varve_status begin_entry(
    struct writing *w, const char *name, uint64_t size, varve_error *error)
{
    return vv_zip_out_begin(&w->zip, name, strlen(name), size, error);
}

static varve_status write_entry(struct writing *w, const char *name,
    const void *bytes, size_t size, varve_error *error)
{
    VV_TRY(begin_entry(w, name, size, error));
    VV_TRY(vv_zip_out_write(&w->zip, bytes, size, error));
    return vv_zip_out_end(&w->zip, error);
}

static varve_status write_storage(
    struct writing *w, uint32_t key, uint32_t value, varve_error *error)
{
    const struct vv_target *target = w->target;
    varve_tensor type = vv_index_tensor(target->index, target->table, value);
    uint64_t size = varve_tensor_count(&type) * vv_dtype_file_size(type.dtype);
    struct vv_source source;
    char name[sizeof TOP "/data/4294967295"];
    size_t part;
    snprintf(name, sizeof name, TOP "/data/%u", (unsigned)key);
    VV_TRY(target->value(target->user, value, &source, error));
    VV_TRY(begin_entry(w, name, size, error));
    for (uint64_t at = 0; at < size; at += part) {
        const unsigned char *bytes;
        part = vv_source_part(&source, size - at);
        VV_TRY(vv_source_piece(&source, at, part, &bytes, error));
        VV_TRY(vv_zip_out_write(&w->zip, bytes, part, error));
    }
    return vv_zip_out_end(&w->zip, error);
}

static varve_status write_all(struct writing *w, varve_error *error)
{
    const struct vv_buffer *pickle = &w->tree.pickle.bytes;
    const uint32_t *values =
        (const uint32_t *)(const void *)w->tree.storages.data;
    size_t count = w->tree.storages.size / sizeof *values;
    VV_TRY(write_entry(w, TOP "/data.pkl", pickle->data, pickle->size, error));
    VV_TRY(write_entry(w, TOP "/byteorder", "little", 6, error));
    for (size_t i = 0; i < count; i++)
        VV_TRY(write_storage(w, (uint32_t)i, values[i], error));
    VV_TRY(write_entry(w, TOP "/version", "3\n", 2, error));
    return vv_zip_out_finish(&w->zip, error);
}

static varve_status write_target(
    const struct vv_target *target, varve_error *error)
{
    struct writing w = { .target = target };
    struct vv_publication p;
    vv_target_lose_graph(target, true, NULL);
    vv_target_lose_rest(target);
    varve_status status = vv_torch_tree_make(&w.tree, target, error);
    if (!status)
        status = vv_publish_begin(
            &p, target->context, target->path, target->flags, error);
    if (!status) {
        vv_zip_out_init(&w.zip, target->context, p.file, target->path);
        status = vv_publish_end(&p, write_all(&w, error), error);
        vv_zip_out_clear(&w.zip);
    }
    vv_torch_tree_clear(&w.tree);
    return status;
}

const struct vv_target_format vv_torch_target = { .format = VARVE_FORMAT_TORCH,
    .write = write_target };
