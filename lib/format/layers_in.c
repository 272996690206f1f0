/* layers_in.c - opening layers, and finding a range of the data in them.
 *
 * Their names are made of their nonces, so that no index can lead out of the
 * folder.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layers_in.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "file.h"
#include "layout.h"
#include "try.h"

/* --- Names ---------------------------------------------------------------- */

static const char digits[] = "0123456789abcdef";

void vv_layer_name(const uint8_t *nonce, char name[VV_LAYER_NAME_SIZE])
{
    for (size_t i = 0; i < VV_NONCE_SIZE; i++) {
        *name++ = digits[nonce[i] >> 4];
        *name++ = digits[nonce[i] & 15];
    }
    memcpy(name, VV_LAYER_ENDING, sizeof VV_LAYER_ENDING);
}

bool vv_layer_parse_name(const char *name, uint8_t *nonce)
{
    if (strspn(name, digits) != (size_t)2 * VV_NONCE_SIZE ||
        strcmp(name + 2 * VV_NONCE_SIZE, VV_LAYER_ENDING) != 0)
        return false;
    for (size_t i = 0; i < VV_NONCE_SIZE; i++, name += 2)
        nonce[i] = (uint8_t)((strchr(digits, name[0]) - digits) << 4 |
                             (strchr(digits, name[1]) - digits));
    return true;
}

void vv_layer_folder(struct vv_buffer *path, const char *checkpoint)
{
    const char *slash = strrchr(checkpoint, '/');
    vv_buffer_add(
        path, checkpoint, slash ? (size_t)(slash - checkpoint) + 1 : 0);
    vv_buffer_add_string(path, VV_LAYER_FOLDER);
}

static char *make_path(const struct vv_context *context, const char *checkpoint,
    const uint8_t *nonce)
{
    char name[VV_LAYER_NAME_SIZE];
    struct vv_buffer path;
    vv_buffer_init(&path, &context->allocator);
    vv_layer_folder(&path, checkpoint);
    vv_buffer_add8(&path, '/');
    vv_layer_name(nonce, name);
    vv_buffer_add_string(&path, name);
    const char *text = vv_buffer_string(&path);
    char *copy = path.failed ? NULL : vv_copy_string(&context->allocator, text);
    vv_buffer_clear(&path);
    return copy;
}

/* --- Opening -------------------------------------------------------------- */

static varve_status fail_other(
    const char *path, const char *what, varve_error *error)
{
    return vv_fail(error, VARVE_CORRUPT,
        "%s: expected the %s of the layer that the checkpoint names, found "
        "another",
        path, what);
}

static bool is_header(const uint8_t *header, const uint8_t *nonce)
{
    static const uint8_t zeros[24];
    return memcmp(header, VV_LAYER_MAGIC, 8) == 0 &&
           vv_load32(header + 8) == VV_FORMAT_VERSION &&
           vv_load32(header + 12) == 0 &&
           memcmp(header + 16, nonce, VV_NONCE_SIZE) == 0 &&
           memcmp(header + 32, zeros, sizeof zeros) == 0 &&
           vv_load64(header + 56) == vv_hash_of(header, 56);
}

static bool is_footer(
    const uint8_t *footer, const uint8_t *nonce, uint64_t size)
{
    static const uint8_t zeros[20];
    return memcmp(footer, nonce, VV_NONCE_SIZE) == 0 &&
           vv_load64(footer + 16) == size && vv_load32(footer + 24) <= 1 &&
           memcmp(footer + 28, zeros, sizeof zeros) == 0 &&
           vv_load64(footer + 48) == vv_hash_of(footer, 48) &&
           memcmp(footer + 56, VV_LAYER_END_MAGIC, 8) == 0;
}

static varve_status check_layer(const struct vv_context *context,
    struct vv_layer *layer, const uint8_t *nonce, uint64_t size,
    varve_error *error)
{
    uint8_t bytes[VV_HEADER_SIZE];
    VV_TRY(vv_file_read(
        context, layer->file, layer->path, bytes, sizeof bytes, 0, error));
    if (!is_header(bytes, nonce))
        return fail_other(layer->path, "header", error);
    VV_TRY(vv_file_read(context, layer->file, layer->path, bytes, sizeof bytes,
        size - VV_FOOTER_SIZE, error));
    if (!is_footer(bytes, nonce, size))
        return fail_other(layer->path, "footer", error);
    layer->is_unsynced = vv_load32(bytes + 24) != 0;
    return VARVE_OK;
}

static const uint8_t *nonce_of(const struct vv_index *index, uint32_t i)
{
    return index->layer_nonces + (size_t)i * VV_NONCE_SIZE;
}

static varve_status open_layer(const struct vv_context *context,
    const struct vv_index *index, uint32_t i, struct vv_layer *layer,
    varve_error *error)
{
    const uint8_t *nonce = nonce_of(index, i);
    uint64_t expected = vv_at64(index->layer_sizes, i), size;
    VV_TRY(vv_file_open(context, layer->path, &layer->file, &size, error));
    if (size < expected)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: expected %" PRIu64 " bytes, found %" PRIu64, layer->path,
            expected, size);
    if (size > expected)
        return fail_other(layer->path, "size", error);
    return check_layer(context, layer, nonce, expected, error);
}

/* Names what is missing, as far as there is room, and says what to do. */
static varve_status fail_missing(const struct vv_layers *layers,
    const char *path, uint32_t missing, varve_error *error)
{
    char names[512];
    size_t used = 0;
    for (uint32_t i = 0; i < layers->count; i++) {
        const struct vv_layer *layer = &layers->all[i];
        size_t size = strlen(layer->path);
        if (layer->file >= 0 || used + size + 3 > sizeof names)
            continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
            used ? ", " : "", layer->path);
    }
    names[used] = '\0';
    return vv_fail(error, VARVE_TRUNCATED,
        "%s: expected its %" PRIu32 " layers beside it, found %" PRIu32
        " missing: %s; copy them there too, or make one file of it by `varve "
        "repack` where they are",
        path, layers->count, missing, names);
}

/* Whether what is called like a layer is none, or cannot be read. */
static bool is_lost(varve_status status)
{
    return status == VARVE_NOT_FOUND || status == VARVE_IS_DIRECTORY ||
           status == VARVE_NOT_A_CHECKPOINT || status == VARVE_IO;
}

/* One that is there is as good as the values in it. */
static varve_status open_what_is_left(struct vv_layers *layers,
    const struct vv_context *context, varve_error *error)
{
    for (uint32_t i = 0; i < layers->count; i++) {
        struct vv_layer *layer = &layers->all[i];
        varve_error reason = { 0 };
        uint64_t size;
        varve_status status =
            vv_file_open(context, layer->path, &layer->file, &size, &reason);
        if (status && !is_lost(status)) {
            if (error)
                *error = reason;
            return status;
        }
        layers->lost += status != VARVE_OK;
    }
    return VARVE_OK;
}

static varve_status open_all(struct vv_layers *layers,
    const struct vv_context *context, const char *path,
    const struct vv_index *index, varve_error *error)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < layers->count; i++) {
        varve_error reason = { 0 };
        varve_status status =
            open_layer(context, index, i, &layers->all[i], &reason);
        missing += status == VARVE_NOT_FOUND;
        if (status && status != VARVE_NOT_FOUND) {
            if (error)
                *error = reason;
            return status;
        }
    }
    return missing ? fail_missing(layers, path, missing, error) : VARVE_OK;
}

static varve_status make_paths(struct vv_layers *layers,
    const struct vv_context *context, const char *path,
    const struct vv_index *index, varve_error *error)
{
    for (uint32_t i = 0; i < layers->count; i++) {
        struct vv_layer *layer = &layers->all[i];
        layer->path = make_path(context, path, nonce_of(index, i));
        if (!layer->path)
            return vv_fail_memory(error, "the path of a layer");
    }
    return VARVE_OK;
}

varve_status vv_layers_open(struct vv_layers *layers,
    const struct vv_context *context, const char *path,
    const struct vv_index *index, bool is_salvage, varve_error *error)
{
    *layers = (struct vv_layers){ 0 };
    layers->all = vv_allocate_zeroed(
        &context->allocator, index->layer_count * sizeof *layers->all);
    if (!layers->all)
        return vv_fail_memory(error, "the layers of a checkpoint");
    layers->count = index->layer_count;
    for (uint32_t i = 0; i < layers->count; i++)
        layers->all[i].file = -1;
    varve_status status = make_paths(layers, context, path, index, error);
    if (!status && is_salvage)
        status = open_what_is_left(layers, context, error);
    else if (!status)
        status = open_all(layers, context, path, index, error);
    if (status)
        vv_layers_close(layers, context);
    return status;
}

void vv_layers_close(struct vv_layers *layers, const struct vv_context *context)
{
    for (uint32_t i = 0; i < layers->count; i++) {
        vv_file_close(context, layers->all[i].file);
        vv_release_string(&context->allocator, layers->all[i].path);
    }
    vv_release(
        &context->allocator, layers->all, layers->count * sizeof *layers->all);
    *layers = (struct vv_layers){ 0 };
}

/* --- Places --------------------------------------------------------------- */

uint32_t vv_place_of(const struct vv_index *index, uint64_t offset)
{
    uint32_t low = 0, high = index->place_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (vv_at64(index->place_begins, middle) <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t vv_place_end(
    const struct vv_index *index, uint32_t place, uint64_t data_end)
{
    return place + 1 < index->place_count
               ? vv_at64(index->place_begins, place + 1)
               : data_end;
}

/* NULL: zeros. */
static const struct vv_layer *layer_of(const struct vv_layers *layers,
    const struct vv_index *index, uint32_t place)
{
    uint32_t layer = vv_at32(index->place_layers, place);
    return layer == VV_NONE ? NULL : &layers->all[layer];
}

static uint64_t at_in(
    const struct vv_index *index, uint32_t place, uint64_t offset)
{
    return vv_at64(index->place_offsets, place) +
           (offset - vv_at64(index->place_begins, place));
}

static varve_status read_layer(const struct vv_context *context,
    const struct vv_layer *layer, uint64_t offset, void *bytes, size_t size,
    varve_error *error)
{
    if (layer->file < 0)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: expected a layer of the checkpoint, found none", layer->path);
    return vv_file_read(
        context, layer->file, layer->path, bytes, size, offset, error);
}

varve_status vv_layers_read(const struct vv_layers *layers,
    const struct vv_context *context, const struct vv_index *index,
    uint64_t offset, void *bytes, size_t size, varve_error *error)
{
    unsigned char *to = bytes;
    for (uint32_t i = vv_place_of(index, offset); size > 0; i++) {
        const struct vv_layer *layer = layer_of(layers, index, i);
        uint64_t left = vv_place_end(index, i, UINT64_MAX) - offset;
        size_t part = left < size ? (size_t)left : size;
        if (layer)
            VV_TRY(read_layer(
                context, layer, at_in(index, i, offset), to, part, error));
        else
            memset(to, 0, part);
        to += part;
        offset += part;
        size -= part;
    }
    return VARVE_OK;
}

const struct vv_layer *vv_layers_find(const struct vv_layers *layers,
    const struct vv_index *index, uint64_t offset, uint64_t size, uint64_t *at)
{
    uint32_t i = vv_place_of(index, offset);
    if (size > vv_place_end(index, i, UINT64_MAX) - offset)
        return NULL;
    *at = at_in(index, i, offset);
    return layer_of(layers, index, i);
}
