/* layers_in.c - Opens layers, and finds a range of the data in them.
 *
 * Their names are made from their nonces, so an index cannot refer to files
 * outside the folder.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layers_in.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "paged_columns.h"
#include "try.h"

/* --- Decompression states ------------------------------------------------- */

struct vv_unpacker *vv_unpackers_take(
    struct vv_unpackers *unpackers, const struct vv_context *context)
{
    for (unsigned i = 0; i < VV_MAX_WORKERS; i++) {
        struct vv_unpacker *found = atomic_exchange(&unpackers->idle[i], NULL);
        if (found)
            return found;
    }
    return vv_unpacker_new(context);
}

void vv_unpackers_give(
    struct vv_unpackers *unpackers, struct vv_unpacker *unpacker)
{
    for (unsigned i = 0; i < VV_MAX_WORKERS && unpacker; i++)
        unpacker = atomic_exchange(&unpackers->idle[i], unpacker);
    vv_unpacker_free(unpacker);
}

void vv_unpackers_clear(struct vv_unpackers *unpackers)
{
    for (unsigned i = 0; i < VV_MAX_WORKERS; i++)
        vv_unpacker_free(atomic_exchange(&unpackers->idle[i], NULL));
}

/* --- Layers: names -------------------------------------------------------- */

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

static char *layers_in_make_path(const struct vv_context *context,
    const char *checkpoint, const uint8_t *nonce)
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

static varve_status layers_in_fail_other(
    const char *path, const char *what, varve_error *error)
{
    return vv_fail(error, VARVE_CORRUPT,
        "%s: wrong %s: this is not the data file that the checkpoint uses",
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

static varve_status layers_in_check_layer(const struct vv_context *context,
    struct vv_layer *layer, const uint8_t *nonce, uint64_t size,
    varve_error *error)
{
    uint8_t bytes[VV_HEADER_SIZE];
    VV_TRY(vv_file_read(
        context, layer->file, layer->path, bytes, sizeof bytes, 0, error));
    if (!is_header(bytes, nonce))
        return layers_in_fail_other(layer->path, "header", error);
    VV_TRY(vv_file_read(context, layer->file, layer->path, bytes, sizeof bytes,
        size - VV_FOOTER_SIZE, error));
    if (!is_footer(bytes, nonce, size))
        return layers_in_fail_other(layer->path, "footer", error);
    layer->is_unsynced = vv_load32(bytes + 24) != 0;
    return VARVE_OK;
}

static const uint8_t *nonce_of(const struct vv_index *index, uint32_t i)
{
    return index->layer_nonces + (size_t)i * VV_NONCE_SIZE;
}

static varve_status open_file_of(struct vv_layer *layer,
    const struct vv_context *context, const char *path, uint64_t *size,
    varve_error *error)
{
    VV_TRY(vv_file_check_directory(context, path, layer->path, error));
    return vv_file_open(context, layer->path, &layer->file, size, error);
}

static varve_status open_layer(const struct vv_context *context,
    const char *path, const struct vv_index *index, uint32_t i,
    struct vv_layer *layer, varve_error *error)
{
    const uint8_t *nonce = nonce_of(index, i);
    uint64_t expected = vv_at64(index->layer_sizes, i), size;
    varve_status status = open_file_of(layer, context, path, &size, error);
    if (status == VARVE_IS_DIRECTORY || status == VARVE_NOT_A_CHECKPOINT)
        return layers_in_fail_other(
            layer->path, "file", error); /* a FIFO or a device */
    VV_TRY(status);
    if (size < expected)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: expected %" PRIu64 " bytes, found %" PRIu64, layer->path,
            expected, size);
    if (size > expected)
        return layers_in_fail_other(layer->path, "size", error);
    return layers_in_check_layer(context, layer, nonce, expected, error);
}

/* Fails with a message that contains the names of missing files, as far as they
 * fit, and a remedy. */
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
        "%s: of its %" PRIu32 " data file%s, %" PRIu32
        " %s missing: %s; copy them here too, or merge the checkpoint into "
        "one file with `varve repack` where they are",
        path, layers->count, vv_plural_s(layers->count), missing,
        missing == 1 ? "is" : "are", names);
}

/* Returns true if the status means that the file is missing, not a layer, or
 * unreadable. */
static bool layers_in_is_lost(varve_status status)
{
    return status == VARVE_NOT_FOUND || status == VARVE_IS_DIRECTORY ||
           status == VARVE_NOT_A_CHECKPOINT || status == VARVE_IO;
}

/* Opens the layers that exist. Digests of values decide later whether their
 * contents are intact. */
static varve_status open_what_is_left(struct vv_layers *layers,
    const struct vv_context *context, const char *path, varve_error *error)
{
    for (uint32_t i = 0; i < layers->count; i++) {
        struct vv_layer *layer = &layers->all[i];
        varve_error reason = { 0 };
        uint64_t size;
        varve_status status =
            open_file_of(layer, context, path, &size, &reason);
        if (status && !layers_in_is_lost(status)) {
            if (error)
                *error = reason;
            return status;
        }
        layers->lost += status != VARVE_OK;
    }
    return VARVE_OK;
}

static varve_status layers_in_open_all(struct vv_layers *layers,
    const struct vv_context *context, const char *path,
    const struct vv_index *index, varve_error *error)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < layers->count; i++) {
        varve_error reason = { 0 };
        varve_status status =
            open_layer(context, path, index, i, &layers->all[i], &reason);
        missing += status == VARVE_NOT_FOUND;
        if (status && status != VARVE_NOT_FOUND) {
            if (error)
                *error = reason;
            return status;
        }
    }
    return missing ? fail_missing(layers, path, missing, error) : VARVE_OK;
}

static varve_status open_inside(struct vv_layer *layer,
    const struct vv_context *context, const char *path, int file,
    varve_error *error)
{
    layer->path = vv_copy_string(&context->allocator, path);
    if (!layer->path)
        return vv_fail_memory(error, "the path of a layer");
    layer->file = file;
    layer->is_inside = true;
    return VARVE_OK;
}

static varve_status layers_in_make_paths(struct vv_layers *layers,
    const struct vv_context *context, const char *path,
    const struct vv_index *index, varve_error *error)
{
    for (uint32_t i = 0; i < layers->count; i++) {
        struct vv_layer *layer = &layers->all[i];
        layer->path = layers_in_make_path(context, path, nonce_of(index, i));
        if (!layer->path)
            return vv_fail_memory(error, "the path of a layer");
    }
    return VARVE_OK;
}

static varve_status make_unpackers(struct vv_layers *layers,
    const struct vv_context *context, const struct vv_index *index,
    varve_error *error)
{
    if (index->packed_count == 0)
        return VARVE_OK;
    layers->unpackers =
        vv_allocate_zeroed(&context->allocator, sizeof *layers->unpackers);
    return layers->unpackers ? VARVE_OK : vv_fail_memory(error, "unpacking");
}

varve_status vv_layers_open(struct vv_layers *layers,
    const struct vv_context *context, const char *path, int file,
    const struct vv_index *index, varve_error *error)
{
    *layers = (struct vv_layers){ 0 };
    layers->all = vv_allocate_zeroed(
        &context->allocator, index->layer_count * sizeof *layers->all);
    if (!layers->all)
        return vv_fail_memory(error, "the layers of a checkpoint");
    layers->count = index->layer_count;
    for (uint32_t i = 0; i < layers->count; i++)
        layers->all[i].file = -1;
    varve_status status = make_unpackers(layers, context, index, error);
    if (!status && vv_layer_is_inside(index))
        status = open_inside(&layers->all[0], context, path, file, error);
    else if (!status && !(status = layers_in_make_paths(
                              layers, context, path, index, error)))
        status = context->salvages
                     ? open_what_is_left(layers, context, path, error)
                     : layers_in_open_all(layers, context, path, index, error);
    if (status)
        vv_layers_close(layers, context);
    return status;
}

void vv_layers_rest(const struct vv_layers *layers)
{
    if (layers->unpackers)
        vv_unpackers_clear(layers->unpackers);
}

void vv_layers_close(struct vv_layers *layers, const struct vv_context *context)
{
    vv_layers_rest(layers);
    vv_release(
        &context->allocator, layers->unpackers, sizeof *layers->unpackers);
    for (uint32_t i = 0; i < layers->count; i++) {
        if (!layers->all[i].is_inside)
            vv_file_close(context, layers->all[i].file);
        vv_release_string(&context->allocator, layers->all[i].path);
    }
    vv_release(
        &context->allocator, layers->all, layers->count * sizeof *layers->all);
    *layers = (struct vv_layers){ 0 };
}

/* --- Places --------------------------------------------------------------- */

uint64_t vv_place_number(const struct vv_index *index, enum vv_index_key key,
    const uint8_t *column, size_t size, uint32_t place)
{
    uint8_t bytes[8] = { 0 };
    if (vv_is_in_file(index, key))
        vv_paged_get(index, key, (uint64_t)size * place, bytes, size);
    else
        memcpy(bytes, column + size * place, size);
    return vv_load64(bytes);
}

static uint64_t begin_of(const struct vv_index *index, uint32_t place)
{
    return vv_place_number(
        index, VV_KEY_PLACE_BEGINS, index->place_begins, 8, place);
}

/* Finds the block of places that contains a byte of the data: *low to *high -
 * 1. */
static void layers_in_find_block(const struct vv_index *index, uint64_t offset,
    uint32_t *low, uint32_t *high)
{
    const uint64_t *firsts = index->far->place_firsts;
    uint32_t first = 0, end = index->place_count / VV_FAR_PLACES + 1;
    if (index->place_count % VV_FAR_PLACES == 0)
        end--;
    while (end - first > 1) {
        uint32_t middle = first + (end - first) / 2;
        if (firsts[middle] <= offset)
            first = middle;
        else
            end = middle;
    }
    *low = first * VV_FAR_PLACES;
    if (*high - *low > VV_FAR_PLACES)
        *high = *low + VV_FAR_PLACES;
}

uint32_t vv_place_of(const struct vv_index *index, uint64_t offset)
{
    uint32_t low = 0, high = index->place_count;
    if (vv_is_in_file(index, VV_KEY_PLACE_BEGINS))
        layers_in_find_block(index, offset, &low, &high);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (begin_of(index, middle) <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t vv_place_end(
    const struct vv_index *index, uint32_t place, uint64_t data_end)
{
    return place + 1 < index->place_count ? begin_of(index, place + 1)
                                          : data_end;
}

static void set_pack(
    const struct vv_index *index, uint32_t place, struct vv_layer_place *at)
{
    at->pack.size = (uint32_t)vv_place_number(
        index, VV_KEY_PLACE_PACKED, index->place_packed, 4, place);
    at->pack.plain = (uint32_t)vv_place_number(
        index, VV_KEY_PLACE_PLAIN, index->place_plain, 4, place);
    at->pack.planes = (uint8_t)vv_place_number(
        index, VV_KEY_PLACE_PLANES, index->place_planes, 1, place);
    at->skip = (uint32_t)vv_place_number(
        index, VV_KEY_PLACE_SKIPS, index->place_skips, 4, place);
}

struct vv_layer_place vv_layer_place_at(
    const struct vv_index *index, uint32_t place, uint64_t offset)
{
    uint64_t begin = begin_of(index, place);
    struct vv_layer_place at = {
        .layer = (uint32_t)vv_place_number(
            index, VV_KEY_PLACE_LAYERS, index->place_layers, 4, place),
        .offset = vv_place_number(
            index, VV_KEY_PLACE_OFFSETS, index->place_offsets, 8, place),
    };
    if (index->packed_count)
        set_pack(index, place, &at);
    if (at.pack.size)
        at.skip += (uint32_t)(offset - begin);
    else if (at.layer != VV_NONE)
        at.offset += offset - begin;
    return at;
}

/* The frame that was decompressed last, kept if only a part of it was needed:
 * the next parts may be in it too. */
struct unpacked {
    uint8_t *bytes;
    struct vv_layer_place place;
};

struct range_reading {
    const struct vv_layers *layers;
    const struct vv_context *context;
    struct vv_unpacker *unpacker; /* NULL until a compressed frame is read */
    struct unpacked held;
};

static bool is_same_pack(const struct vv_pack *one, const struct vv_pack *other)
{
    return one->size == other->size && one->plain == other->plain &&
           one->planes == other->planes;
}

static varve_status layers_in_unpack(struct range_reading *r,
    const struct vv_layer_place *place, void *bytes, varve_error *error)
{
    const struct vv_layer *layer = &r->layers->all[place->layer];
    if (!r->unpacker)
        r->unpacker = vv_unpackers_take(r->layers->unpackers, r->context);
    if (!r->unpacker)
        return vv_fail_memory(error, "decompressing a chunk");
    return vv_unpack(r->unpacker, layer->file, layer->path, place->offset,
        &place->pack, bytes, error);
}

static varve_status layers_in_hold(struct range_reading *r,
    const struct vv_layer_place *place, varve_error *error)
{
    struct unpacked *held = &r->held;
    if (held->bytes && held->place.layer == place->layer &&
        held->place.offset == place->offset &&
        is_same_pack(&held->place.pack, &place->pack))
        return VARVE_OK;
    vv_release(&r->context->allocator, held->bytes, held->place.pack.plain);
    held->place = *place;
    held->bytes = vv_allocate(&r->context->allocator, place->pack.plain);
    if (!held->bytes)
        return vv_fail_memory(error, "decompressing a chunk");
    varve_status status = layers_in_unpack(r, place, held->bytes, error);
    if (status) {
        vv_release(&r->context->allocator, held->bytes, place->pack.plain);
        held->bytes = NULL;
    }
    return status;
}

static varve_status layers_in_read_part(struct range_reading *r,
    const struct vv_layer_place *place, void *bytes, size_t size,
    varve_error *error)
{
    if (place->layer == VV_NONE) {
        memset(bytes, 0, size);
        return VARVE_OK;
    }
    const struct vv_layer *layer = &r->layers->all[place->layer];
    if (layer->file < 0)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: a data file of the checkpoint is missing", layer->path);
    if (place->pack.size == 0)
        return vv_file_read(r->context, layer->file, layer->path, bytes, size,
            place->offset, error);
    if (size == place->pack.plain)
        return layers_in_unpack(r, place, bytes, error);
    VV_TRY(layers_in_hold(r, place, error));
    memcpy(bytes, r->held.bytes + place->skip, size);
    return VARVE_OK;
}

varve_status vv_layers_read(const struct vv_layers *layers,
    const struct vv_context *context, const struct vv_index *index,
    uint64_t offset, void *bytes, size_t size, varve_error *error)
{
    struct range_reading r = { .layers = layers, .context = context };
    unsigned char *to = bytes;
    varve_status status = VARVE_OK;
    for (uint32_t i = vv_place_of(index, offset); size > 0 && !status; i++) {
        struct vv_layer_place place = vv_layer_place_at(index, i, offset);
        uint64_t left = vv_place_end(index, i, UINT64_MAX) - offset;
        size_t part = left < size ? (size_t)left : size;
        status = vv_index_failure(index, error);
        if (!status)
            status = layers_in_read_part(&r, &place, to, part, error);
        to += part;
        offset += part;
        size -= part;
    }
    vv_release(&context->allocator, r.held.bytes, r.held.place.pack.plain);
    if (r.unpacker)
        vv_unpackers_give(layers->unpackers, r.unpacker);
    return status;
}

void vv_layers_plan(const struct vv_layers *layers,
    const struct vv_context *context, const struct vv_index *index, int file,
    const void *owner, uint64_t offset, uint64_t size)
{
    const struct vv_system *system = context->system;
    /* offset of the last frame, because each frame is read once */
    uint64_t last = UINT64_MAX;
    if (layers->count == 0)
        system->plan(system->state, file, owner, offset, size);
    if (layers->count == 0)
        return;
    for (uint32_t i = vv_place_of(index, offset); size > 0; i++) {
        struct vv_layer_place place = vv_layer_place_at(index, i, offset);
        uint64_t left = vv_place_end(index, i, UINT64_MAX) - offset;
        uint64_t part = left < size ? left : size;
        if (vv_index_has_failed(index))
            return;
        file = place.layer == VV_NONE ? -1 : layers->all[place.layer].file;
        if (file >= 0 && !(place.pack.size && place.offset == last))
            system->plan(system->state, file, owner, place.offset,
                place.pack.size ? place.pack.size : part);
        last = place.pack.size ? place.offset : UINT64_MAX;
        offset += part;
        size -= part;
    }
}

const struct vv_layer *vv_layers_find(const struct vv_layers *layers,
    const struct vv_index *index, uint64_t offset, uint64_t size, uint64_t *at)
{
    uint32_t i = vv_place_of(index, offset);
    struct vv_layer_place place = vv_layer_place_at(index, i, offset);
    if (place.pack.size || size > vv_place_end(index, i, UINT64_MAX) - offset ||
        vv_index_has_failed(index))
        return NULL;
    *at = place.offset;
    return place.layer == VV_NONE ? NULL : &layers->all[place.layer];
}
