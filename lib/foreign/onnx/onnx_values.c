/* onnx_values.c - Determines the names, places and files of values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "onnx_values.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "checksum.h"
#include "failure.h"
#include "name.h"
#include "try.h"

/* Limits on the total size of names. Names repeat those of the enclosing nodes;
 * the limits bound the memory by the size of the file. */
enum { NAMES_OF_BYTE = 16, FREE_NAMES = 1 << 16 };

enum { VALUES = 1, INDICES = 2, DIMS = 3 }; /* fields of a SparseTensorProto */

struct beside {
    uint32_t number;
    uint32_t size;
    char name[];
};

struct key {
    const char *name;
    size_t size;
};

/* --- Decoded values ------------------------------------------------------- */

static varve_status onnx_values_decode(const struct vv_foreign *foreign,
    uint64_t number, unsigned char *bytes, size_t size, varve_error *error)
{
    const struct vv_buffer *made = foreign->state;
    const struct vv_onnx_made *m =
        (const struct vv_onnx_made *)(const void *)made->data + number;
    struct vv_wire_file file = { .window = {
                                     .foreign = foreign, .error = error } };
    return vv_onnx_items_make(&file, &m->items, m->count, bytes, size);
}

static void onnx_values_free_state(struct vv_foreign *foreign)
{
    struct vv_buffer *made = foreign->state;
    vv_buffer_clear(made);
    vv_release(&foreign->context->allocator, made, sizeof *made);
}

varve_status vv_onnx_values_init(struct vv_onnx_values *v,
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    const varve_allocator *a = &foreign->context->allocator;
    *v = (struct vv_onnx_values){ .draft = draft, .foreign = foreign };
    v->file.window.foreign = foreign;
    v->file.window.error = error;
    vv_buffer_init(&v->path, a);
    vv_buffer_init(&v->text, a);
    vv_buffer_init(&v->location, a);
    vv_arena_init(&v->arena, a);
    vv_map_init(&v->files, a);
    struct vv_buffer *made = vv_allocate(a, sizeof *made);
    if (!made)
        return vv_fail_memory(error, "a model");
    vv_buffer_init(made, a);
    foreign->state = made;
    foreign->decode = onnx_values_decode;
    foreign->free = onnx_values_free_state;
    return VARVE_OK;
}

void vv_onnx_values_clear(struct vv_onnx_values *v)
{
    vv_buffer_clear(&v->path);
    vv_buffer_clear(&v->text);
    vv_buffer_clear(&v->location);
    vv_map_clear(&v->files);
    vv_arena_clear(&v->arena);
}

static varve_status onnx_values_fail_memory(const struct vv_onnx_values *v)
{
    return vv_fail_memory(v->file.window.error, "values of a model");
}

static varve_status set_made(struct vv_onnx_values *v,
    const struct vv_onnx_items *items, uint64_t count, struct vv_place *place)
{
    struct vv_buffer *made = v->foreign->state;
    struct vv_onnx_made one = { .items = *items, .count = count };
    *place = (struct vv_place){ .file = VV_DECODED,
        .offset = made->size / sizeof one };
    vv_buffer_add(made, &one, sizeof one);
    return made->failed ? onnx_values_fail_memory(v) : VARVE_OK;
}

/* --- Names ---------------------------------------------------------------- */

/* Sets `text` to the path, followed by the name from the file if `is_named`. */
static varve_status onnx_values_set_name(
    struct vv_onnx_values *v, struct vv_wire_part name, bool is_named)
{
    struct vv_buffer *text = &v->text;
    text->size = 0;
    vv_buffer_add(text, v->path.data, v->path.size);
    if (is_named)
        VV_TRY(vv_wire_file_take(&v->file, name, text));
    if (text->failed)
        return onnx_values_fail_memory(v);
    v->names += text->size;
    if (v->names > FREE_NAMES + NAMES_OF_BYTE * v->foreign->files[0].size)
        return vv_fail(v->file.window.error, VARVE_LIMIT,
            "%s: the names of values in graphs of nodes are too long for the "
            "size of the file",
            v->foreign->files[0].path);
    return VARVE_OK;
}

/* Returns true if the tensor needs a name of its own and has none, and lists it
 * as left out. */
static bool leave_nameless_out(
    struct vv_onnx_values *v, struct vv_wire_part name, bool is_named)
{
    if (!is_named || name.end > name.at)
        return false;
    vv_draft_leave_out_name(v->draft,
        v->path.size ? (const char *)v->path.data : "", v->path.size,
        "a tensor with an empty name");
    return true;
}

/* --- Files beside the model ----------------------------------------------- */

static bool onnx_values_is_same(const void *item, const void *key)
{
    const struct beside *b = item;
    const struct key *k = key;
    return b->size == k->size && memcmp(b->name, k->name, k->size) == 0;
}

static varve_status onnx_values_add_file(
    struct vv_onnx_values *v, const struct key *key, uint32_t *number)
{
    struct vv_buffer path;
    vv_buffer_init(&path, v->location.allocator);
    vv_sibling_path(&path, v->foreign->files[0].path, key->name, key->size);
    varve_status status =
        path.failed ? onnx_values_fail_memory(v)
                    : vv_foreign_add_file(v->foreign, (const char *)path.data,
                          number, v->file.window.error);
    vv_buffer_clear(&path);
    if (status == VARVE_NOT_FOUND)
        return vv_fail(v->file.window.error, status,
            "%s: \"%.200s\": the file \"%.*s\" with its data is missing in the "
            "directory of the model",
            v->foreign->files[0].path, vv_buffer_string(&v->text),
            (int)(key->size < 200 ? key->size : 200), key->name);
    return status ? status
                  : vv_foreign_refuse_pointer(v->foreign, *number,
                        "the data of a model", v->file.window.error);
}

static varve_status onnx_values_find_file(
    struct vv_onnx_values *v, uint32_t *number)
{
    struct key key = { (const char *)v->location.data, v->location.size };
    key.name = vv_name_without_dots(key.name, &key.size);
    if (!vv_path_stays(key.name, key.size))
        return vv_fail(v->file.window.error, VARVE_CORRUPT,
            "%s: \"%.200s\": the location of its data is not the name of a "
            "file in the directory of the model: \"%.*s\"",
            v->foreign->files[0].path, vv_buffer_string(&v->text),
            (int)(key.size < 200 ? key.size : 200), key.size ? key.name : "");
    uint64_t hash = vv_hash_of(key.name, key.size);
    struct beside *found =
        vv_map_find(&v->files, hash, onnx_values_is_same, &key);
    if (found) {
        *number = found->number;
        return VARVE_OK;
    }
    VV_TRY(onnx_values_add_file(v, &key, number));
    found = vv_arena_take(&v->arena, sizeof *found + key.size);
    if (!found)
        return onnx_values_fail_memory(v);
    found->number = *number;
    found->size = (uint32_t)key.size;
    memcpy(found->name, key.name, key.size);
    return vv_map_add(&v->files, hash, found) ? VARVE_OK
                                              : onnx_values_fail_memory(v);
}

static varve_status set_outside(struct vv_onnx_values *v,
    const struct vv_onnx_tensor *t, struct vv_place *place)
{
    VV_TRY(onnx_values_find_file(v, &place->file));
    const struct vv_foreign_file *file = &v->foreign->files[place->file];
    place->offset = t->offset;
    if (t->offset <= file->size && t->size <= file->size - t->offset)
        return VARVE_OK;
    return vv_fail(v->file.window.error, VARVE_TRUNCATED,
        "%s: \"%.200s\": its %" PRIu64 " bytes at offset %" PRIu64
        " extend past the end of %s, which has %" PRIu64,
        v->foreign->files[0].path, vv_buffer_string(&v->text), t->size,
        t->offset, file->path, file->size);
}

/* --- Values --------------------------------------------------------------- */

static varve_status onnx_values_set_place(struct vv_onnx_values *v,
    const struct vv_onnx_tensor *t, struct vv_place *place)
{
    struct vv_onnx_items items = { .message = t->message,
        .field = t->type->field,
        .unit = t->type->dtype == VARVE_BOOL ? 1 : t->type->unit };
    uint64_t count = t->type->dtype == VARVE_STRING
                         ? t->count
                         : vv_onnx_type_items(t->type, t->count, t->size);
    *place = (struct vv_place){ .offset = t->data.at };
    switch (t->storage) {
    case VV_ONNX_HERE: break;
    case VV_ONNX_ITEMS: return set_made(v, &items, count, place);
    case VV_ONNX_OUTSIDE: return set_outside(v, t, place);
    }
    return VARVE_OK;
}

/* Adds the value named `text`. */
static varve_status onnx_values_attach(
    struct vv_onnx_values *v, const struct vv_onnx_tensor *t, const char *tag)
{
    struct vv_place place;
    VV_TRY(onnx_values_set_place(v, t, &place));
    uint32_t node =
        vv_draft_path(v->draft, t->type->dtype ? VARVE_VARIABLE : VARVE_STATE,
            (const char *)v->text.data, v->text.size);
    if (t->type->dtype) {
        bool is_text = t->type->dtype == VARVE_STRING;
        vv_draft_value(
            v->draft, node, &t->shape, is_text ? t->size : 0, &place);
    } else {
        vv_draft_state(v->draft, node, t->size, &place);
        vv_draft_tag(v->draft, node, t->type->tag);
    }
    if (tag)
        vv_draft_tag(v->draft, node, tag);
    return VARVE_OK;
}

varve_status vv_onnx_values_add(
    struct vv_onnx_values *v, struct vv_wire_part message, bool is_named)
{
    struct vv_onnx_tensor t;
    VV_TRY(vv_onnx_tensor_read(&v->file, message, &v->location, &t));
    if (leave_nameless_out(v, t.name, is_named))
        return VARVE_OK;
    VV_TRY(onnx_values_set_name(v, t.name, is_named));
    return onnx_values_attach(v, &t, NULL);
}

/* --- Sparse tensors ------------------------------------------------------- */

static varve_status onnx_values_add_part(struct vv_onnx_values *v,
    struct vv_wire_part message, struct vv_wire_part name, bool is_named,
    const char *part)
{
    struct vv_onnx_tensor t;
    VV_TRY(vv_onnx_tensor_read(&v->file, message, &v->location, &t));
    VV_TRY(onnx_values_set_name(v, part[0] == 'v' ? t.name : name, is_named));
    vv_buffer_add8(&v->text, '/');
    vv_buffer_add_string(&v->text, part);
    if (v->text.failed)
        return onnx_values_fail_memory(v);
    return onnx_values_attach(v, &t, "onnx:sparse");
}

static varve_status add_dims(struct vv_onnx_values *v,
    struct vv_wire_part message, struct vv_wire_part name, bool is_named)
{
    struct vv_onnx_items items = {
        .message = message, .field = DIMS, .unit = 64
    };
    struct vv_place place;
    uint64_t count, bytes;
    VV_TRY(vv_onnx_items_count(&v->file, &items, &count, &bytes));
    VV_TRY(set_made(v, &items, count, &place));
    VV_TRY(onnx_values_set_name(v, name, is_named));
    vv_buffer_add_string(&v->text, "/dims");
    if (v->text.failed)
        return onnx_values_fail_memory(v);
    uint32_t node = vv_draft_path(
        v->draft, VARVE_VARIABLE, (const char *)v->text.data, v->text.size);
    varve_tensor type = { .dtype = VARVE_INT64, .rank = 1, .shape = { count } };
    vv_draft_value(v->draft, node, &type, 0, &place);
    vv_draft_tag(v->draft, node, "onnx:sparse");
    return VARVE_OK;
}

varve_status vv_onnx_values_add_sparse(
    struct vv_onnx_values *v, struct vv_wire_part message, bool is_named)
{
    struct vv_wire_part rest = message, parts[3] = { { 0, 0 } };
    struct vv_wire_spot spot;
    struct vv_onnx_tensor t;
    while (rest.at < rest.end) {
        VV_TRY(vv_wire_file_next(&v->file, &rest, "a sparse tensor", &spot));
        if (spot.number != VALUES && spot.number != INDICES)
            continue;
        VV_TRY(vv_wire_file_expect(
            &v->file, &spot, VV_WIRE_SIZED, "a sparse tensor"));
        parts[spot.number] = spot.part;
    }
    if (parts[VALUES].at == 0 || parts[INDICES].at == 0)
        return vv_fail(v->file.window.error, VARVE_CORRUPT,
            "%s: offset %" PRIu64 ": a sparse tensor without values or indices",
            v->foreign->files[0].path, message.at);
    VV_TRY(vv_onnx_tensor_read(&v->file, parts[VALUES], &v->location, &t));
    if (leave_nameless_out(v, t.name, is_named))
        return VARVE_OK;
    VV_TRY(onnx_values_add_part(v, parts[VALUES], t.name, is_named, "values"));
    VV_TRY(
        onnx_values_add_part(v, parts[INDICES], t.name, is_named, "indices"));
    return add_dims(v, message, t.name, is_named);
}
