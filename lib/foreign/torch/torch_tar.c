/* torch_tar.c - Reads the members of the tar archives of torch.save before
 * torch 0.1.10 (torch/serialization.py: legacy_load).
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_tar.h"

#include <inttypes.h>
#include <string.h>

#include "bytes.h"
#include "failure.h"
#include "name.h"
#include "pickle_in.h"
#include "tar_in.h"
#include "torch_tensor.h"
#include "try.h"
#include "typed_memory.h"

enum { SYS_INFO, PICKLE, TENSORS, STORAGES, MEMBERS };

enum {
    FIRST_WINDOW = 4096,
    LARGER = 4,
    MOST_RANK = 1 << 16,
    RANK_SIZE = 8, /* 4 bytes of the rank and 4 that are ignored */
};

/* Keys are addresses, which are below 2^63. */
static const uint64_t made_keys = UINT64_C(1) << 63;

/* A member that contains pickles and raw bytes. */
struct stream {
    const struct vv_foreign *foreign;
    uint32_t file;
    varve_error *error;
    struct vv_buffer text;
    const char *where; /* begins messages: PATH: "MEMBER" */
    uint64_t at, end;  /* in the file */
    struct vv_buffer window;
    uint64_t begin; /* of the window */
    struct vv_pickle pickle;
    bool has_pickle;
};

struct reading {
    struct vv_torch_tar *tar;
    const struct vv_foreign *foreign;
    uint32_t file;
    const char *path;
    varve_error *error;
    struct vv_tar_member members[MEMBERS];
    struct vv_torch_tar_storage *last;
    struct vv_buffer entries, names; /* of the directory */
};

/* --- Tables --------------------------------------------------------------- */

void vv_torch_tar_init(struct vv_torch_tar *t, const varve_allocator *a)
{
    *t = (struct vv_torch_tar){ 0 };
    vv_arena_init(&t->arena, a);
    vv_map_init(&t->storages, a);
    vv_map_init(&t->tensors, a);
}

void vv_torch_tar_clear(struct vv_torch_tar *t)
{
    vv_arena_clear(&t->arena);
    vv_map_clear(&t->storages);
    vv_map_clear(&t->tensors);
}

static bool torch_tar_is_storage(const void *item, const void *key)
{
    return ((const struct vv_torch_tar_storage *)item)->key ==
           *(const uint64_t *)key;
}

static bool torch_tar_is_tensor(const void *item, const void *key)
{
    return ((const struct vv_torch_tar_tensor *)item)->key ==
           *(const uint64_t *)key;
}

struct vv_torch_tar_storage *vv_torch_tar_storage(
    const struct vv_torch_tar *t, uint64_t key)
{
    return vv_map_find(
        &t->storages, vv_map_mix(key), torch_tar_is_storage, &key);
}

struct vv_torch_tar_tensor *vv_torch_tar_tensor(
    const struct vv_torch_tar *t, uint64_t key)
{
    return vv_map_find(&t->tensors, vv_map_mix(key), torch_tar_is_tensor, &key);
}

static varve_status torch_tar_fail_memory(const struct reading *r)
{
    return vv_fail_memory(r->error, "the storages of a file");
}

static varve_status torch_tar_add_entry(struct reading *r, const char *folder,
    uint64_t key, uint64_t data, uint64_t size)
{
    struct vv_zip_entry e = { .offset = data,
        .data = data,
        .packed = size,
        .size = size,
        .name = r->names.size,
        .method = VV_ZIP_STORED,
        .file = r->file };
    vv_buffer_add_string(&r->names, folder);
    if (key)
        vv_buffer_add_decimal(&r->names, key);
    e.name_size = (uint16_t)(r->names.size - e.name);
    vv_buffer_add(&r->entries, &e, sizeof e);
    return r->names.failed || r->entries.failed ? torch_tar_fail_memory(r)
                                                : VARVE_OK;
}

static varve_status torch_tar_add_storage(
    struct reading *r, const struct vv_torch_tar_storage *storage)
{
    uint64_t size = storage->count * vv_dtype_file_size(storage->dtype);
    if (vv_torch_tar_storage(r->tar, storage->key))
        return vv_fail(r->error, VARVE_CORRUPT,
            "%s: the storage %" PRIu64 " is in the file twice", r->path,
            storage->key);
    struct vv_torch_tar_storage *kept =
        vv_arena_take(&r->tar->arena, sizeof *kept);
    if (!kept || !vv_map_add(&r->tar->storages, vv_map_mix(storage->key), kept))
        return torch_tar_fail_memory(r);
    *kept = *storage;
    if (r->last)
        r->last->next = kept;
    else
        r->tar->first_storage = kept;
    r->last = kept;
    return torch_tar_add_entry(r, "/data/", kept->key, kept->data, size);
}

/* --- Streams -------------------------------------------------------------- */

static void torch_tar_drop_pickle(struct stream *s)
{
    if (s->has_pickle)
        vv_pickle_clear(&s->pickle);
    s->has_pickle = false;
}

static void torch_tar_begin(
    struct stream *s, const struct reading *r, int member)
{
    const varve_allocator *a = &r->foreign->context->allocator;
    *s = (struct stream){ .foreign = r->foreign,
        .file = r->file,
        .error = r->error,
        .at = r->members[member].data,
        .end = r->members[member].data + r->members[member].size,
        .begin = r->members[member].data };
    vv_buffer_init(&s->text, a);
    vv_buffer_init(&s->window, a);
    vv_buffer_add_string(&s->text, r->path);
    vv_buffer_add_string(&s->text, ": \"");
    vv_buffer_add_string(&s->text, r->members[member].name);
    vv_buffer_add8(&s->text, '"');
    s->where = vv_buffer_string(&s->text);
}

static void torch_tar_end(struct stream *s)
{
    torch_tar_drop_pickle(s);
    vv_buffer_clear(&s->text);
    vv_buffer_clear(&s->window);
}

static varve_status torch_tar_read_window(struct stream *s, uint64_t room)
{
    uint64_t size = s->end - s->at < room ? s->end - s->at : room;
    s->window.size = 0;
    s->begin = s->at;
    void *bytes =
        size > SIZE_MAX ? NULL : vv_buffer_extend(&s->window, (size_t)size);
    if (!bytes)
        return vv_fail_memory(s->error, "a member of an archive");
    varve_status status = vv_foreign_read(
        s->foreign, s->file, bytes, (size_t)size, s->at, s->error);
    if (status)
        s->window.size = 0;
    return status;
}

static varve_status torch_tar_parse(struct stream *s, bool *is_whole)
{
    size_t passed = (size_t)(s->at - s->begin);
    const struct vv_buffer rest = { .data = s->window.data + passed,
        .size = s->window.size - passed,
        .allocator = s->window.allocator };
    *is_whole = s->end - s->begin == s->window.size;
    torch_tar_drop_pickle(s);
    s->has_pickle = true;
    varve_status status = vv_pickle_read(&s->pickle, &rest, s->where, s->error);
    if (status == VARVE_TRUNCATED && !*is_whole && s->error)
        *s->error = (varve_error){ 0 };
    return status;
}

/* Parses the next pickle. Its size is not stored, so it is parsed again with
 * more of the member as long as it is incomplete. */
static varve_status torch_tar_next(struct stream *s)
{
    varve_status status = VARVE_TRUNCATED;
    uint64_t room = FIRST_WINDOW;
    bool is_whole = false;
    if (s->at == s->end)
        return vv_fail(s->error, VARVE_TRUNCATED,
            "%s ends before its last item", s->where);
    if (s->at - s->begin < s->window.size)
        status = torch_tar_parse(s, &is_whole);
    for (; status == VARVE_TRUNCATED && !is_whole; room *= LARGER) {
        VV_TRY(torch_tar_read_window(s, room));
        status = torch_tar_parse(s, &is_whole);
    }
    if (!status)
        s->at += s->pickle.used;
    return status;
}

/* Reads raw bytes behind a pickle. */
static varve_status torch_tar_take(struct stream *s, void *bytes, size_t size)
{
    if (size > s->end - s->at)
        return vv_fail(s->error, VARVE_TRUNCATED,
            "%s has %" PRIu64 " bytes more at byte %" PRIu64
            " of the file, %zu are needed",
            s->where, s->end - s->at, s->at, size);
    VV_TRY(vv_foreign_read(s->foreign, s->file, bytes, size, s->at, s->error));
    s->at += size;
    return VARVE_OK;
}

static varve_status torch_tar_refuse(const struct stream *s, const char *what)
{
    return vv_fail(s->error, VARVE_CORRUPT,
        "%s: before byte %" PRIu64 " of the file: %s", s->where, s->at, what);
}

/* --- Items of tuples ------------------------------------------------------ */

static const struct vv_pickle_item *torch_tar_nth(
    const struct vv_pickle *p, uint32_t tuple, unsigned index)
{
    return vv_pickle_item(p, vv_pickle_nth(p, tuple, index));
}

static bool torch_tar_take_number(
    const struct vv_pickle *p, uint32_t tuple, unsigned index, uint64_t *number)
{
    const struct vv_pickle_item *item = torch_tar_nth(p, tuple, index);
    *number = (uint64_t)vv_pickle_integer(item);
    return item->kind == VV_PICKLE_INTEGER && vv_pickle_integer(item) >= 0;
}

static varve_status torch_tar_take_count(struct stream *s, uint64_t *count)
{
    VV_TRY(torch_tar_next(s));
    const struct vv_pickle *p = &s->pickle;
    const struct vv_pickle_item *item = vv_pickle_item(p, p->root);
    *count = (uint64_t)vv_pickle_integer(item);
    return item->kind == VV_PICKLE_INTEGER && vv_pickle_integer(item) >= 0
               ? VARVE_OK
               : torch_tar_refuse(s, "the number of items is invalid");
}

/* --- sys_info ------------------------------------------------------------- */

static varve_status torch_tar_check_machine(struct reading *r)
{
    struct stream s;
    torch_tar_begin(&s, r, SYS_INFO);
    varve_status status = torch_tar_next(&s);
    if (!status && vv_pickle_look_up(&s.pickle, s.pickle.root,
                       "little_endian") == VV_PICKLE_THE_FALSE)
        status = vv_fail(r->error, VARVE_TOO_NEW,
            "%s: the file was written on a big-endian machine, which is not "
            "supported for files of torch before 0.1.10",
            r->path);
    torch_tar_end(&s);
    return status;
}

/* --- storages ------------------------------------------------------------- */

/* (key, location, class), the number of elements as 8 bytes, the elements */
static varve_status torch_tar_read_storage(struct reading *r, struct stream *s)
{
    unsigned char head[8];
    struct vv_torch_tar_storage storage = { 0 };
    uint64_t size;
    VV_TRY(torch_tar_next(s));
    const struct vv_pickle *p = &s->pickle;
    if (!torch_tar_take_number(p, p->root, 0, &storage.key))
        return torch_tar_refuse(s, "the key of a storage is invalid");
    storage.dtype = vv_torch_type(p, vv_pickle_nth(p, p->root, 2));
    if (!storage.dtype || !vv_torch_storage_of(storage.dtype))
        return vv_fail(s->error, VARVE_TOO_NEW,
            "%s: the class of the storage %" PRIu64 " is unknown", s->where,
            storage.key);
    VV_TRY(torch_tar_take(s, head, sizeof head));
    storage.count = vv_load64(head);
    storage.data = s->at;
    if (!vv_size_of(storage.count, vv_dtype_file_size(storage.dtype), &size) ||
        size > s->end - s->at)
        return vv_fail(s->error, VARVE_TRUNCATED,
            "%s: the storage %" PRIu64 " has %" PRIu64
            " elements, but the member ends after %" PRIu64 " bytes",
            s->where, storage.key, storage.count, s->end - s->at);
    s->at += size;
    return torch_tar_add_storage(r, &storage);
}

/* (key, key of the storage that it is a part of, offset, number of elements) */
static varve_status torch_tar_add_view(
    struct reading *r, const struct stream *s, uint32_t item)
{
    const struct vv_pickle *p = &s->pickle;
    uint64_t root, offset;
    struct vv_torch_tar_storage view = { 0 };
    if (!torch_tar_take_number(p, item, 0, &view.key) ||
        !torch_tar_take_number(p, item, 1, &root) ||
        !torch_tar_take_number(p, item, 2, &offset) ||
        !torch_tar_take_number(p, item, 3, &view.count))
        return torch_tar_refuse(s, "a part of a storage is invalid");
    const struct vv_torch_tar_storage *of = vv_torch_tar_storage(r->tar, root);
    if (!of || offset > of->count || view.count > of->count - offset)
        return vv_fail(r->error, VARVE_CORRUPT,
            "%s: the storage %" PRIu64 " is not inside the storage %" PRIu64
            ", of which it is a part",
            r->path, view.key, root);
    view.dtype = of->dtype;
    view.data = of->data + offset * vv_dtype_file_size(of->dtype);
    return torch_tar_add_storage(r, &view);
}

static varve_status torch_tar_add_views(struct reading *r, struct stream *s)
{
    VV_TRY(torch_tar_next(s));
    const struct vv_pickle *p = &s->pickle;
    const struct vv_pickle_item *list = vv_pickle_item(p, p->root);
    if (list->kind != VV_PICKLE_LIST)
        return torch_tar_refuse(s, "the list of parts is missing");
    for (uint32_t at = list->first; at; at = vv_pickle_link(p, at).next)
        VV_TRY(torch_tar_add_view(r, s, vv_pickle_link(p, at).item));
    return VARVE_OK;
}

static varve_status torch_tar_read_storages(struct reading *r, struct stream *s)
{
    uint64_t count = 0;
    VV_TRY(torch_tar_take_count(s, &count));
    for (uint64_t i = 0; i < count; i++)
        VV_TRY(torch_tar_read_storage(r, s));
    return torch_tar_add_views(r, s);
}

/* --- tensors -------------------------------------------------------------- */

/* Returns the element type of torch.FloatTensor and similar classes; 0 for any
 * other item. */
static varve_dtype torch_tar_type_of(
    const struct vv_pickle *p, const struct vv_pickle_item *class)
{
    static const char tensor[] = "Tensor", storage[] = "Storage";
    if (class->kind != VV_PICKLE_GLOBAL)
        return (varve_dtype)0;
    const struct vv_pickle_item *name = vv_pickle_item(p, class->b);
    if (!vv_text_ends_in(vv_pickle_bytes(p, name), name->b, tensor))
        return (varve_dtype)0;
    size_t size = name->b - (sizeof tensor - 1);
    for (int i = 1; i < VARVE_DTYPE_COUNT; i++) {
        const char *known =
            i == VARVE_STRING ? NULL : vv_torch_storage_of((varve_dtype)i);
        if (known && strlen(known) == size + sizeof storage - 1 &&
            memcmp(known, vv_pickle_bytes(p, name), size) == 0)
            return (varve_dtype)i;
    }
    return (varve_dtype)0;
}

/* A tensor without a storage has no elements; here it has an empty storage of
 * its type. */
static varve_status torch_tar_make_empty(struct reading *r,
    const struct stream *s, struct vv_torch_tar_storage **storage)
{
    const struct vv_pickle *p = &s->pickle;
    varve_dtype dtype = torch_tar_type_of(p, torch_tar_nth(p, p->root, 2));
    struct vv_torch_tar_storage empty = {
        .key = made_keys + dtype, .dtype = dtype, .data = s->at
    };
    if (!dtype)
        return torch_tar_refuse(s, "the class of a tensor is unknown");
    *storage = vv_torch_tar_storage(r->tar, empty.key);
    if (*storage)
        return VARVE_OK;
    VV_TRY(torch_tar_add_storage(r, &empty));
    *storage = r->last;
    return VARVE_OK;
}

static varve_status torch_tar_find_storage(struct reading *r,
    const struct stream *s, struct vv_torch_tar_storage **storage)
{
    const struct vv_pickle *p = &s->pickle;
    uint64_t key;
    if (torch_tar_nth(p, p->root, 1)->kind == VV_PICKLE_NONE)
        return torch_tar_make_empty(r, s, storage);
    if (!torch_tar_take_number(p, p->root, 1, &key))
        return torch_tar_refuse(s, "the storage of a tensor is invalid");
    *storage = vv_torch_tar_storage(r->tar, key);
    return *storage ? VARVE_OK
                    : vv_fail(r->error, VARVE_CORRUPT,
                          "%s: a tensor has the storage %" PRIu64
                          ", which is not in the file",
                          r->path, key);
}

/* The sizes, the strides and the offset, 8 bytes each. Then a tensor without
 * dimensions had no elements; later it has one. */
static varve_status torch_tar_take_shape(
    struct stream *s, struct vv_torch_tar_tensor *t)
{
    unsigned char bytes[8];
    for (uint64_t i = 0; i < 2 * t->rank; i++) {
        VV_TRY(torch_tar_take(s, bytes, sizeof bytes));
        t->sizes[i] = vv_load64(bytes);
    }
    VV_TRY(torch_tar_take(s, bytes, sizeof bytes));
    t->offset = vv_load64(bytes);
    if (t->rank == 0 && t->offset >= t->storage->count) {
        t->rank = 1;
        t->sizes[0] = t->offset = 0;
        t->sizes[1] = 1;
    }
    return VARVE_OK;
}

/* (key, key of the storage, class), the rank, and the shape */
static varve_status torch_tar_read_tensor(struct reading *r, struct stream *s)
{
    unsigned char head[RANK_SIZE];
    struct vv_torch_tar_storage *storage = NULL;
    uint64_t key;
    VV_TRY(torch_tar_next(s));
    if (!torch_tar_take_number(&s->pickle, s->pickle.root, 0, &key))
        return torch_tar_refuse(s, "the key of a tensor is invalid");
    if (vv_torch_tar_tensor(r->tar, key))
        return torch_tar_refuse(s, "a tensor is in the file twice");
    VV_TRY(torch_tar_find_storage(r, s, &storage));
    VV_TRY(torch_tar_take(s, head, sizeof head));
    uint32_t rank = vv_load32(head);
    if (rank > MOST_RANK || rank > (s->end - s->at) / 16)
        return torch_tar_refuse(s, "a tensor has too many dimensions");
    size_t numbers = rank ? 2 * (size_t)rank : 2;
    struct vv_torch_tar_tensor *t =
        vv_arena_take(&r->tar->arena, sizeof *t + numbers * sizeof *t->sizes);
    if (!t || !vv_map_add(&r->tar->tensors, vv_map_mix(key), t))
        return torch_tar_fail_memory(r);
    *t = (struct vv_torch_tar_tensor){ .key = key,
        .storage = storage,
        .next = r->tar->first_tensor,
        .rank = rank };
    r->tar->first_tensor = t;
    return torch_tar_take_shape(s, t);
}

static varve_status torch_tar_read_tensors(struct reading *r, struct stream *s)
{
    uint64_t count = 0;
    VV_TRY(torch_tar_take_count(s, &count));
    for (uint64_t i = 0; i < count; i++)
        VV_TRY(torch_tar_read_tensor(r, s));
    return VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

static varve_status torch_tar_read_member(struct reading *r, int member,
    varve_status (*read)(struct reading *r, struct stream *s))
{
    struct stream s;
    torch_tar_begin(&s, r, member);
    varve_status status = read(r, &s);
    torch_tar_end(&s);
    return status;
}

static varve_status torch_tar_make_directory(struct reading *r)
{
    VV_TRY(vv_tar_find(r->foreign, r->file, r->members, MEMBERS, r->error));
    for (int i = PICKLE; i < MEMBERS; i++) {
        if (!r->members[i].is_found)
            return vv_fail(r->error, VARVE_NOT_A_CHECKPOINT,
                "%s: the tar archive does not contain \"%s\", which torch.save "
                "writes",
                r->path, r->members[i].name);
    }
    if (r->members[SYS_INFO].is_found)
        VV_TRY(torch_tar_check_machine(r));
    VV_TRY(torch_tar_add_entry(
        r, "/data.pkl", 0, r->members[PICKLE].data, r->members[PICKLE].size));
    VV_TRY(torch_tar_read_member(r, STORAGES, torch_tar_read_storages));
    return torch_tar_read_member(r, TENSORS, torch_tar_read_tensors);
}

varve_status vv_torch_tar_read(struct vv_torch_tar *t, struct vv_zip *zip,
    const struct vv_foreign *foreign, uint32_t file, varve_error *error)
{
    const varve_allocator *a = &foreign->context->allocator;
    struct reading r = { .tar = t,
        .foreign = foreign,
        .file = file,
        .path = foreign->files[file].path,
        .error = error,
        .members = { [SYS_INFO] = { .name = "sys_info" },
            [PICKLE] = { .name = "pickle" },
            [TENSORS] = { .name = "tensors" },
            [STORAGES] = { .name = "storages" } } };
    *zip = (struct vv_zip){ .foreign = foreign,
        .span = vv_zip_whole(foreign, file) };
    t->is_one = true;
    vv_buffer_init(&r.entries, a);
    vv_buffer_init(&r.names, a);
    varve_status status = torch_tar_make_directory(&r);
    if (!status && !vv_zip_take(zip, &r.entries, &r.names))
        status = torch_tar_fail_memory(&r);
    vv_buffer_clear(&r.entries);
    vv_buffer_clear(&r.names);
    return status;
}
