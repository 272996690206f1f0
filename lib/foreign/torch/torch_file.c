/* torch_file.c - Finds the entries of a torch.save archive by name, and checks
 * storages.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_file.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "checksum.h"
#include "crc.h"
#include "failure.h"
#include "magic_bytes.h"
#include "name.h"
#include "pickle_in.h"
#include "torch_legacy.h"
#include "torch_tar_link.h"
#include "try.h"
#include "typed_memory.h"

#define OBJECT "/data.pkl"
#define PROGRAM "/constants.pkl"

enum { LONGEST_KEY = 255 };

/* --- Entries -------------------------------------------------------------- */

struct name {
    const struct vv_zip *zip;
    const char *bytes;
    size_t size;
};

static bool torch_file_is_called(const void *item, const void *key)
{
    const struct vv_zip_entry *e = item;
    const struct name *name = key;
    return e->name_size == name->size &&
           memcmp(vv_zip_name(name->zip, e), name->bytes, name->size) == 0;
}

static const char *torch_file_path_of(const struct vv_torch_file *t)
{
    return t->zip.foreign->files[t->zip.span.file].path;
}

/* Returns true for TOP/data.pkl. */
static bool torch_file_is_object(const char *name, size_t size)
{
    return vv_text_ends_in(name, size, OBJECT) &&
           !memchr(name, '/', size + sizeof "" - sizeof OBJECT);
}

/* A TorchScript program has pickles too, but they contain no checkpoint. */
varve_status vv_torch_file_list(struct vv_torch_file *t, varve_error *error)
{
    for (size_t i = 0; i < t->zip.count; i++) {
        struct vv_zip_entry *e = &t->zip.entries[i];
        const char *name = vv_zip_name(&t->zip, e);
        if (vv_text_ends_in(name, e->name_size, PROGRAM))
            return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
                "%s: a TorchScript program (torch.jit), not a file written by "
                "torch.save",
                torch_file_path_of(t));
        if (!vv_map_add(&t->entries, vv_hash_of(name, e->name_size), e))
            return vv_fail_memory(error, "the entries of an archive");
        if (!t->object && torch_file_is_object(name, e->name_size))
            t->object = e;
    }
    return VARVE_OK;
}

/* Sets `room` to TOP/ of TOP/data.pkl, or to PART/. */
static void set_folder(
    const struct vv_torch_file *t, uint32_t part, struct vv_buffer *room)
{
    room->size = 0;
    if (!t->is_merged) {
        vv_buffer_add(room, vv_zip_name(&t->zip, t->object),
            t->object->name_size + sizeof "/" - sizeof OBJECT);
        return;
    }
    vv_buffer_add_decimal(room, part);
    vv_buffer_add8(room, '/');
}

/* Finds the entry with the name `room``folder``name`. */
static const struct vv_zip_entry *torch_file_find_entry(
    const struct vv_torch_file *t, const char *folder, const char *name,
    size_t size, struct vv_buffer *room)
{
    vv_buffer_add_string(room, folder);
    vv_buffer_add(room, name, size);
    if (room->failed)
        return NULL;
    struct name key = {
        .zip = &t->zip, .bytes = (char *)room->data, .size = room->size
    };
    return vv_map_find(&t->entries, vv_hash_of(key.bytes, key.size),
        torch_file_is_called, &key);
}

varve_status vv_torch_check_sum(const struct vv_torch_file *t,
    const struct vv_zip_entry *e, const void *bytes, varve_error *error)
{
    uint32_t found = vv_crc32(0, bytes, (size_t)e->size);
    if (e->crc == 0 || e->crc == found)
        return VARVE_OK;
    return vv_fail(error, VARVE_CORRUPT,
        "%s: bytes %" PRIu64 " to %" PRIu64 ": expected CRC-32 %08" PRIx32
        ", found %08" PRIx32,
        t->zip.foreign->files[e->file].path, e->data, e->data + e->size, e->crc,
        found);
}

/* Reads all of an uncompressed entry. */
static varve_status torch_file_read_entry(const struct vv_torch_file *t,
    const struct vv_zip_entry *e, struct vv_buffer *to, varve_error *error)
{
    const struct vv_foreign *f = t->zip.foreign;
    if (e->method != VV_ZIP_STORED)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: \"%.*s\": the entry is compressed (torch.save stores entries "
            "uncompressed)",
            torch_file_path_of(t), (int)e->name_size, vv_zip_name(&t->zip, e));
    if (e->size > SIZE_MAX)
        return vv_fail_memory(error, "an entry of an archive");
    vv_buffer_reserve(to, (size_t)e->size);
    void *bytes = vv_buffer_extend(to, (size_t)e->size);
    if (to->failed)
        return vv_fail_memory(error, "an entry of an archive");
    VV_TRY(vv_foreign_read(f, e->file, bytes, (size_t)e->size, e->data, error));
    return vv_torch_check_sum(t, e, bytes, error);
}

/* --- Opening -------------------------------------------------------------- */

/* Sets the byte order; it is little-endian if the archive has no entry for it.
 */
static varve_status torch_file_read_order(
    struct vv_torch_file *t, varve_error *error)
{
    struct vv_buffer room, order;
    vv_buffer_init(&room, t->pickle.allocator);
    vv_buffer_init(&order, t->pickle.allocator);
    set_folder(t, 0, &room);
    const struct vv_zip_entry *e =
        torch_file_find_entry(t, "byteorder", "", 0, &room);
    varve_status status =
        room.failed ? vv_fail_memory(error, "a name") : VARVE_OK;
    if (e && !status)
        status = torch_file_read_entry(t, e, &order, error);
    t->is_big_endian =
        order.size == 3 && memcmp(order.data, "big", order.size) == 0;
    if (e && !status && !t->is_big_endian &&
        (order.size != 6 || memcmp(order.data, "little", order.size) != 0))
        status = vv_fail(error, VARVE_CORRUPT,
            "%s: \"byteorder\" is neither \"little\" nor \"big\"",
            torch_file_path_of(t));
    vv_buffer_clear(&room);
    vv_buffer_clear(&order);
    return status;
}

/* A legacy file cannot be a part of another file. */
static varve_status torch_file_read_directory(struct vv_torch_file *t,
    const struct vv_foreign *foreign, struct vv_zip_span span,
    varve_error *error)
{
    unsigned char head[VV_TORCH_TAR_HEAD];
    size_t size = span.size < sizeof head ? (size_t)span.size : sizeof head;
    VV_TRY(vv_foreign_read(foreign, span.file, head, size, span.begin, error));
    bool is_all = span.size == foreign->files[span.file].size;
    if (is_all && vv_torch_is_tar(head, size))
        return vv_torch_tar_read(&t->tar, &t->zip, foreign, span.file, error);
    return is_all && vv_torch_is_legacy(head, size)
               ? vv_torch_read_legacy(&t->zip, foreign, span.file, error)
               : vv_zip_read(&t->zip, foreign, span, error);
}

void vv_torch_file_init(struct vv_torch_file *t, const varve_allocator *a)
{
    *t = (struct vv_torch_file){ 0 };
    vv_map_init(&t->entries, a);
    vv_arena_init(&t->names, a);
    vv_torch_tar_init(&t->tar, a);
    for (size_t i = 0; i < VV_TORCH_BUFFERS; i++)
        vv_buffer_init(&t->buffers[i], a);
}

void vv_torch_file_clear(struct vv_torch_file *t)
{
    vv_zip_clear(&t->zip);
    vv_map_clear(&t->entries);
    vv_arena_clear(&t->names);
    vv_torch_tar_clear(&t->tar);
    for (size_t i = 0; i < VV_TORCH_BUFFERS; i++)
        vv_buffer_clear(&t->buffers[i]);
}

varve_status vv_torch_file_read(struct vv_torch_file *t,
    const struct vv_foreign *foreign, struct vv_zip_span span,
    varve_error *error)
{
    VV_TRY(torch_file_read_directory(t, foreign, span, error));
    VV_TRY(vv_torch_file_list(t, error));
    if (!t->object)
        return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
            "%s: the archive has no \"data.pkl\"", torch_file_path_of(t));
    VV_TRY(torch_file_read_order(t, error));
    VV_TRY(torch_file_read_entry(t, t->object, &t->pickle, error));
    vv_torch_tar_add_texts(&t->tar, &t->pickle);
    return t->pickle.failed ? vv_fail_memory(error, "a pickle") : VARVE_OK;
}

varve_status vv_torch_file_pickle(
    struct vv_torch_file *t, struct vv_pickle *pickle, varve_error *error)
{
    struct vv_buffer where;
    vv_buffer_init(&where, t->pickle.allocator);
    vv_zip_where(&t->zip, t->object, &where);
    *pickle = (struct vv_pickle){ 0 };
    varve_status status = where.failed ? vv_fail_memory(error, "a name")
                                       : vv_pickle_read(pickle, &t->pickle,
                                             vv_buffer_string(&where), error);
    if (!status)
        status =
            vv_torch_tar_link(&t->tar, pickle, vv_buffer_string(&where), error);
    vv_buffer_clear(&where);
    return status;
}

static void torch_file_free_state(struct vv_foreign *foreign)
{
    vv_torch_file_clear(foreign->state);
    vv_release(&foreign->context->allocator, foreign->state,
        sizeof(struct vv_torch_file));
    foreign->state = NULL;
}

struct vv_torch_file *vv_torch_file_new(struct vv_foreign *foreign)
{
    const varve_allocator *a = &foreign->context->allocator;
    struct vv_torch_file *t = vv_allocate(a, sizeof *t);
    if (!t)
        return NULL;
    vv_torch_file_init(t, a);
    foreign->state = t;
    foreign->free = torch_file_free_state;
    return t;
}

/* --- Storages ------------------------------------------------------------- */

static varve_status torch_file_check_size(const struct vv_torch_tensor *t,
    const struct vv_zip_entry *e, const char *where, varve_error *error)
{
    uint64_t bytes, extent, used;
    if (!vv_size_of(t->count, vv_dtype_file_size(t->of), &bytes) ||
        bytes > e->size)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: the storage must have %" PRIu64
            " elements, but has only %" PRIu64 " bytes",
            where, t->count, e->size);
    if (!vv_torch_extent(t, &extent) ||
        !vv_size_of(extent, vv_dtype_file_size(t->type.dtype), &used) ||
        used > bytes)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: the tensor extends beyond its storage of %" PRIu64 " bytes",
            where, bytes);
    return VARVE_OK;
}

static varve_status check_storage(const struct vv_pickle *p,
    const struct vv_torch_tensor *t, const struct vv_zip_entry *entry,
    const char *where, varve_error *error)
{
    const struct vv_pickle_item *key = vv_pickle_item(p, t->key);
    if (!entry)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: the archive has no storage \"data/%.*s\"", where,
            (int)(key->b < LONGEST_KEY ? key->b : LONGEST_KEY),
            vv_pickle_bytes(p, key));
    if (entry->method != VV_ZIP_STORED)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: the storage is compressed (torch.save stores entries "
            "uncompressed)",
            where);
    return torch_file_check_size(t, entry, where, error);
}

varve_status vv_torch_storage(const struct vv_torch_file *file,
    const struct vv_pickle *p, const struct vv_torch_tensor *t,
    const struct vv_torch_where *where, const struct vv_zip_entry **entry)
{
    const struct vv_pickle_item *key = vv_pickle_item(p, t->key);
    struct vv_buffer room;
    vv_buffer_init(&room, file->pickle.allocator);
    set_folder(file, t->part, &room);
    *entry = key->b > LONGEST_KEY ? NULL
                                  : torch_file_find_entry(file, "data/",
                                        vv_pickle_bytes(p, key), key->b, &room);
    varve_status status = room.failed ? vv_fail_memory(where->error, "a name")
                                      : check_storage(p, t, *entry, NULL, NULL);
    if (status && !room.failed) {
        room.size = 0;
        where->name(where->user, &room);
        status =
            check_storage(p, t, *entry, vv_buffer_string(&room), where->error);
    }
    vv_buffer_clear(&room);
    return status;
}
