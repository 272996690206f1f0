/* torch_legacy.c - Parses the five pickles of a legacy file (magic number,
 * version, machine, object, keys of the storages) and lists its storages.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_legacy.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "checksum.h"
#include "failure.h"
#include "hash_table.h"
#include "pickle_in.h"
#include "torch_tensor.h"
#include "try.h"
#include "typed_memory.h"

enum { MARK, VERSION, MACHINE, OBJECT, KEYS, PICKLES };

enum { FIRST_WINDOW = 1 << 16, LARGER = 4, NEWEST = 1001, LONGEST_KEY = 255 };

/* A storage that the object uses. `width` is the size of an element in bytes.
 */
struct storage {
    const char *key;
    uint32_t size;
    uint32_t width;
};

struct legacy {
    const struct vv_foreign *foreign;
    uint32_t file;
    const char *path;
    varve_error *error;
    struct vv_buffer window; /* the first bytes of the file */
    struct vv_pickle pickles[PICKLES];
    uint64_t begins[PICKLES + 1];
    struct vv_map storages; /* struct storage, in an arena */
    struct vv_arena arena;
    struct vv_buffer entries, names; /* of the directory that is made */
};

static varve_status torch_legacy_fail_memory(const struct legacy *l)
{
    return vv_fail_memory(l->error, "the storages of a file");
}

/* --- Pickles -------------------------------------------------------------- */

static void clear_pickles(struct legacy *l)
{
    for (int i = 0; i < PICKLES; i++) {
        if (l->pickles[i].items.allocator)
            vv_pickle_clear(&l->pickles[i]);
        l->pickles[i] = (struct vv_pickle){ 0 };
    }
}

static varve_status torch_legacy_read_all(struct legacy *l)
{
    uint64_t at = 0;
    for (int i = 0; i < PICKLES; i++) {
        const struct vv_buffer rest = { .data = l->window.data + at,
            .size = l->window.size - (size_t)at,
            .allocator = l->window.allocator };
        l->begins[i] = at;
        VV_TRY(vv_pickle_read(&l->pickles[i], &rest, l->path, l->error));
        at += l->pickles[i].used;
    }
    l->begins[PICKLES] = at;
    return VARVE_OK;
}

/* The file does not contain the size of the pickles, so more of the file is
 * read each time until they are complete. */
static varve_status read_pickles(struct legacy *l)
{
    uint64_t size = l->foreign->files[l->file].size, room = FIRST_WINDOW;
    varve_status status;
    bool is_whole;
    do {
        uint64_t wanted = room < size ? room : size;
        clear_pickles(l);
        vv_buffer_clear(&l->window);
        void *bytes = wanted > SIZE_MAX
                          ? NULL
                          : vv_buffer_extend(&l->window, (size_t)wanted);
        if (!bytes)
            return torch_legacy_fail_memory(l);
        VV_TRY(vv_foreign_read(
            l->foreign, l->file, bytes, (size_t)wanted, 0, l->error));
        status = torch_legacy_read_all(l);
        room *= LARGER;
        is_whole = wanted == size;
        if (status == VARVE_TRUNCATED && !is_whole && l->error)
            *l->error = (varve_error){ 0 };
    } while (status == VARVE_TRUNCATED && !is_whole);
    return status;
}

static varve_status check_machine(const struct legacy *l)
{
    const struct vv_pickle *version = &l->pickles[VERSION];
    const struct vv_pickle *machine = &l->pickles[MACHINE];
    const struct vv_pickle_item *number =
        vv_pickle_item(version, version->root);
    if (number->kind != VV_PICKLE_INTEGER ||
        vv_pickle_integer(number) != NEWEST)
        return vv_fail(l->error, VARVE_TOO_NEW,
            "%s: the version of a legacy torch.save file must be %d", l->path,
            NEWEST);
    if (vv_pickle_look_up(machine, machine->root, "little_endian") !=
        VV_PICKLE_THE_TRUE)
        return vv_fail(l->error, VARVE_TOO_NEW,
            "%s: a legacy torch.save file can be read only if it was written "
            "on a little-endian machine",
            l->path);
    return VARVE_OK;
}

/* --- Storages ------------------------------------------------------------- */

static bool torch_legacy_is_called(const void *item, const void *key)
{
    const struct storage *a = item, *b = key;
    return a->size == b->size && memcmp(a->key, b->key, a->size) == 0;
}

/* Returns the size of an element in bytes, or 0 if the type is unknown. */
static uint32_t width_of(const struct vv_pickle *p, uint32_t class)
{
    static const struct {
        const char *name;
        uint32_t width;
    } others[] = { { "QInt8Storage", 1 }, { "QUInt8Storage", 1 },
        { "QInt32Storage", 4 }, { "QUInt4x2Storage", 1 },
        { "QUInt2x4Storage", 1 } };
    varve_dtype type = vv_torch_type(p, class);
    if (type)
        return (uint32_t)vv_dtype_file_size(type);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (vv_pickle_is_global(p, class, "torch", others[i].name))
            return others[i].width;
    }
    return 0;
}

/* Records a storage, unless its key occurred before. */
static varve_status note_storage(
    struct legacy *l, const struct vv_pickle *p, uint32_t id)
{
    const struct vv_pickle_item *key =
        vv_pickle_item(p, vv_pickle_nth(p, id, 2));
    if (!vv_pickle_is_text(p, vv_pickle_nth(p, id, 0), "storage") ||
        key->kind != VV_PICKLE_TEXT || key->b > LONGEST_KEY)
        return VARVE_OK;
    struct storage s = { .key = vv_pickle_bytes(p, key),
        .size = key->b,
        .width = width_of(p, vv_pickle_nth(p, id, 1)) };
    uint64_t hash = vv_hash_of(s.key, s.size);
    if (vv_map_find(&l->storages, hash, torch_legacy_is_called, &s))
        return VARVE_OK;
    struct storage *kept = vv_arena_take(&l->arena, sizeof *kept);
    if (!kept || !vv_map_add(&l->storages, hash, kept))
        return torch_legacy_fail_memory(l);
    *kept = s;
    return VARVE_OK;
}

static varve_status note_storages(struct legacy *l)
{
    const struct vv_pickle *p = &l->pickles[OBJECT];
    for (uint32_t i = 0; i < vv_pickle_count(p); i++) {
        if (vv_pickle_item(p, i)->kind == VV_PICKLE_OUTSIDE)
            VV_TRY(note_storage(l, p, vv_pickle_item(p, i)->a));
    }
    return VARVE_OK;
}

/* --- The directory -------------------------------------------------------- */

static varve_status torch_legacy_add_entry(struct legacy *l, const char *folder,
    const struct storage *s, uint64_t data, uint64_t size)
{
    struct vv_zip_entry e = { .offset = data,
        .data = data,
        .packed = size,
        .size = size,
        .name = l->names.size,
        .method = VV_ZIP_STORED,
        .file = l->file };
    vv_buffer_add_string(&l->names, folder);
    vv_buffer_add(&l->names, s->key, s->size);
    e.name_size = (uint16_t)(l->names.size - e.name);
    vv_buffer_add(&l->entries, &e, sizeof e);
    return l->names.failed || l->entries.failed ? torch_legacy_fail_memory(l)
                                                : VARVE_OK;
}

/* Adds a storage, which is a count followed by the elements. */
static varve_status torch_legacy_add_storage(
    struct legacy *l, const struct storage *s, uint64_t *at)
{
    unsigned char head[8] = { 0 };
    uint64_t size = 0, end = l->foreign->files[l->file].size;
    VV_TRY(
        vv_foreign_read(l->foreign, l->file, head, sizeof head, *at, l->error));
    *at += sizeof head;
    if (s->width == 0)
        return vv_fail(l->error, VARVE_TOO_NEW,
            "%s: storage \"%.*s\": the element type is not supported", l->path,
            (int)s->size, s->key);
    if (!vv_size_of(vv_load64(head), s->width, &size) || size > end - *at)
        return vv_fail(l->error, VARVE_TRUNCATED,
            "%s: storage \"%.*s\" at offset %" PRIu64 ": %" PRIu64
            " elements do not fit into the remaining %" PRIu64 " bytes",
            l->path, (int)s->size, s->key, *at, vv_load64(head), end - *at);
    VV_TRY(torch_legacy_add_entry(l, "/data/", s, *at, size));
    *at += size;
    return VARVE_OK;
}

static varve_status add_storages(struct legacy *l)
{
    const struct vv_pickle *p = &l->pickles[KEYS];
    uint64_t at = l->begins[PICKLES];
    const struct vv_pickle_item *list = vv_pickle_item(p, p->root);
    uint32_t link = list->kind == VV_PICKLE_LIST ? list->first : 0;
    for (; link; link = vv_pickle_link(p, link).next) {
        const struct vv_pickle_item *key =
            vv_pickle_item(p, vv_pickle_link(p, link).item);
        struct storage s = { .key = vv_pickle_bytes(p, key), .size = key->b };
        const struct storage *known = NULL;
        if (key->kind == VV_PICKLE_TEXT && s.size <= LONGEST_KEY)
            known = vv_map_find(&l->storages, vv_hash_of(s.key, s.size),
                torch_legacy_is_called, &s);
        if (!known)
            return vv_fail(l->error, VARVE_CORRUPT,
                "%s: the list of storages has a key that the object does not "
                "use",
                l->path);
        VV_TRY(torch_legacy_add_storage(l, known, &at));
    }
    return VARVE_OK;
}

static varve_status torch_legacy_make_directory(struct legacy *l)
{
    static const struct storage none = { .key = "" };
    VV_TRY(read_pickles(l));
    VV_TRY(check_machine(l));
    VV_TRY(note_storages(l));
    VV_TRY(torch_legacy_add_entry(l, "/data.pkl", &none, l->begins[OBJECT],
        l->begins[KEYS] - l->begins[OBJECT]));
    return add_storages(l);
}

varve_status vv_torch_read_legacy(struct vv_zip *zip,
    const struct vv_foreign *foreign, uint32_t file, varve_error *error)
{
    const varve_allocator *a = &foreign->context->allocator;
    struct legacy l = { .foreign = foreign,
        .file = file,
        .path = foreign->files[file].path,
        .error = error };
    *zip = (struct vv_zip){ .foreign = foreign,
        .span = vv_zip_whole(foreign, file) };
    vv_buffer_init(&l.window, a);
    vv_buffer_init(&l.entries, a);
    vv_buffer_init(&l.names, a);
    vv_map_init(&l.storages, a);
    vv_arena_init(&l.arena, a);
    varve_status status = torch_legacy_make_directory(&l);
    if (!status && !vv_zip_take(zip, &l.entries, &l.names))
        status = torch_legacy_fail_memory(&l);
    clear_pickles(&l);
    vv_arena_clear(&l.arena);
    vv_map_clear(&l.storages);
    vv_buffer_clear(&l.names);
    vv_buffer_clear(&l.entries);
    vv_buffer_clear(&l.window);
    return status;
}
