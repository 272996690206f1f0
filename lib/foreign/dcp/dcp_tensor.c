/* dcp_tensor.c - Parses the metadata of a tensor and compares its pieces with
 * it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "dcp_tensor.h"

#include <inttypes.h>
#include <string.h>

#include "failure.h"
#include "pickle_in.h"
#include "torch_pieces.h"
#include "torch_tensor.h"
#include "try.h"
#include "typed_memory.h"

/* A tensor that is being read. */
struct tensor {
    struct vv_dcp_reading *r;
    const struct vv_pickle *p; /* the pickle of the metadata */
    uint32_t name;
    uint32_t type; /* item: the element type */
    uint32_t chunks;
    uint32_t count; /* number of pieces */
    struct vv_torch_pieced whole;
};

static varve_status dcp_tensor_fail_memory(const struct vv_dcp_reading *r)
{
    return vv_fail_memory(r->error, "pieces of tensors");
}

static varve_status dcp_tensor_fail(const struct tensor *t, const char *problem)
{
    return vv_dcp_fail(t->r->metadata, VARVE_CORRUPT, t->name, problem);
}

/* --- Parts ---------------------------------------------------------------- */

/* An open part. */
struct opened {
    struct vv_torch_file file;
    struct vv_pickle pickle;
};

static varve_status open_part(const struct vv_dcp_reading *r,
    const struct vv_dcp_part *part, struct opened *o)
{
    const struct vv_foreign_file *file = &r->foreign->files[part->file];
    struct vv_zip_span span = {
        .file = part->file, .begin = part->begin, .size = part->size
    };
    o->pickle = (struct vv_pickle){ 0 };
    vv_torch_file_init(&o->file, r->metadata->parts.allocator);
    if (part->begin > file->size || part->size > file->size - part->begin)
        return vv_fail(r->error, VARVE_TRUNCATED,
            "%s: a value of %" PRIu64 " bytes at offset %" PRIu64
            " does not fit into the file of %" PRIu64 " bytes",
            file->path, part->size, part->begin, file->size);
    VV_TRY(vv_torch_file_read(&o->file, r->foreign, span, r->error));
    return vv_torch_file_pickle(&o->file, &o->pickle, r->error);
}

static void close_part(struct opened *o)
{
    vv_pickle_clear(&o->pickle);
    vv_torch_file_clear(&o->file);
}

varve_status vv_dcp_read_object(
    struct vv_dcp_reading *r, const struct vv_dcp_part *part, uint32_t *item)
{
    struct opened o;
    varve_status status = open_part(r, part, &o);
    if (!status)
        status = vv_torch_merge_add(r->merge, &o.file, &o.pickle, item);
    close_part(&o);
    return status;
}

/* --- Metadata of a tensor ------------------------------------------------- */

static varve_status dcp_tensor_take_shape(struct tensor *t, uint32_t metadata)
{
    uint64_t count;
    varve_tensor *type = &t->whole.type;
    if (!vv_torch_sizes(t->p, vv_dcp_field(t->p, metadata, "size"), type->shape,
            &type->rank))
        return dcp_tensor_fail(t, "its shape is not a sequence of integers");
    if (type->rank > VARVE_MAX_RANK)
        return vv_dcp_fail(
            t->r->metadata, VARVE_LIMIT, t->name, "it has too many dimensions");
    if (!vv_shape_count(type->rank, type->shape, &count))
        return dcp_tensor_fail(t, "its shape has 2^64 elements or more");
    return VARVE_OK;
}

/* The properties are a tuple, or before torch 2.1 a dict. */
static varve_status dcp_tensor_take_metadata(
    struct tensor *t, uint32_t metadata)
{
    uint32_t properties = vv_dcp_field(t->p, metadata, "properties");
    const struct vv_pickle_item *call = vv_pickle_item(t->p, properties);
    if (call->kind == VV_PICKLE_CALL)
        t->type = vv_pickle_item(t->p, call->state)->kind == VV_PICKLE_DICT
                      ? vv_dcp_field(t->p, properties, "dtype")
                      : vv_pickle_nth(t->p, call->state, 0);
    t->whole.type.dtype = vv_torch_type(t->p, t->type);
    t->chunks = vv_dcp_field(t->p, metadata, "chunks");
    if (vv_pickle_item(t->p, t->type)->kind != VV_PICKLE_GLOBAL ||
        vv_pickle_item(t->p, t->chunks)->kind != VV_PICKLE_LIST)
        return dcp_tensor_fail(
            t, "its element type or its list of pieces is missing");
    return dcp_tensor_take_shape(t, metadata);
}

/* --- Pieces --------------------------------------------------------------- */

/* Sets `box` to the starts and then the lengths of a piece. */
static varve_status take_box(
    const struct tensor *t, uint32_t chunk, uint64_t box[2 * VARVE_MAX_RANK])
{
    const varve_tensor *type = &t->whole.type;
    uint64_t starts[VARVE_MAX_RANK], lengths[VARVE_MAX_RANK], end;
    uint32_t ranks[2];
    if (!vv_torch_sizes(
            t->p, vv_dcp_field(t->p, chunk, "offsets"), starts, &ranks[0]) ||
        !vv_torch_sizes(
            t->p, vv_dcp_field(t->p, chunk, "sizes"), lengths, &ranks[1]) ||
        ranks[0] != type->rank || ranks[1] != type->rank)
        return dcp_tensor_fail(
            t, "a piece has a different number of dimensions");
    for (uint32_t i = 0; i < type->rank; i++) {
        box[i] = starts[i];
        box[type->rank + i] = lengths[i];
        if (__builtin_add_overflow(starts[i], lengths[i], &end) ||
            end > type->shape[i])
            return dcp_tensor_fail(t, "a piece extends beyond its shape");
    }
    return VARVE_OK;
}

static varve_status dcp_tensor_find_part(const struct tensor *t,
    const uint64_t *starts, const struct vv_dcp_part **part)
{
    *part = vv_dcp_part_of(t->r->metadata, t->name, t->whole.type.rank, starts);
    return *part ? VARVE_OK
                 : vv_dcp_fail(t->r->metadata, VARVE_TRUNCATED, t->name,
                       "a piece is in no file");
}

static void dcp_tensor_add_name(void *user, struct vv_buffer *text)
{
    const struct tensor *t = user;
    const struct vv_pickle_item *name = vv_pickle_item(t->p, t->name);
    vv_buffer_add_string(text, t->r->foreign->files[0].path);
    vv_buffer_add_string(text, ": \"");
    vv_buffer_add(text, vv_pickle_bytes(t->p, name), name->b);
    vv_buffer_add_string(text, "\"");
}

/* Checks that an open part is a tensor with these lengths. */
static varve_status check_tensor(const struct tensor *t, const struct opened *o,
    const uint64_t *lengths, struct vv_torch_tensor *found)
{
    uint32_t rank = t->whole.type.rank;
    enum vv_torch_kind kind =
        vv_torch_tensor(&o->pickle, o->pickle.root, found);
    if (kind != VV_TORCH_TENSOR || !found->has_storage)
        return dcp_tensor_fail(
            t, "its file does not contain a tensor with values");
    if (found->type.dtype != t->whole.type.dtype || found->type.rank != rank ||
        (rank > 0 &&
            memcmp(found->type.shape, lengths, rank * sizeof *lengths) != 0))
        return dcp_tensor_fail(
            t, "its type or shape differs from that in its file");
    return VARVE_OK;
}

static varve_status dcp_tensor_take_piece(
    struct tensor *t, const struct opened *o, const uint64_t *box)
{
    struct vv_arena *arena = &t->r->merge->file->names;
    uint32_t rank = t->whole.type.rank;
    struct vv_torch_piece *piece = &t->whole.pieces[t->whole.count];
    const struct vv_zip_entry *entry = NULL;
    uint64_t size;
    struct vv_torch_where where = {
        .name = dcp_tensor_add_name, .user = t, .error = t->r->error
    };
    *piece = (struct vv_torch_piece){ 0 };
    VV_TRY(check_tensor(t, o, box + rank, &piece->what.tensor));
    VV_TRY(vv_torch_storage(
        &o->file, &o->pickle, &piece->what.tensor, &where, &entry));
    if (!vv_torch_size(&piece->what.tensor, &size) || size > entry->size)
        return dcp_tensor_fail(t, "a piece is larger than its storage");
    struct vv_zip_entry *kept = vv_arena_take(arena, sizeof *kept);
    uint64_t *kept_box = vv_arena_take(arena, 2 * rank * sizeof *box);
    if (!kept || !kept_box)
        return dcp_tensor_fail_memory(t->r);
    *kept = *entry;
    memcpy(kept_box, box, 2 * rank * sizeof *box);
    piece->what.entry = kept;
    piece->box = kept_box;
    t->whole.count++;
    return vv_torch_merge_order(t->r->merge, &o->file);
}

static varve_status dcp_tensor_read_piece(
    struct tensor *t, uint32_t chunk, bool is_counted)
{
    uint64_t box[2 * VARVE_MAX_RANK], count = 0;
    const struct vv_dcp_part *part;
    struct opened o;
    uint32_t rank = t->whole.type.rank;
    if (t->r->left-- == 0)
        return dcp_tensor_fail(
            t, "there are more pieces than bytes of metadata");
    VV_TRY(take_box(t, chunk, box));
    vv_shape_count(rank, box + rank, &count);
    t->count += count > 0;
    if (is_counted || count == 0) /* a piece without elements has no file */
        return VARVE_OK;
    VV_TRY(dcp_tensor_find_part(t, box, &part));
    varve_status status = open_part(t->r, part, &o);
    if (!status)
        status = dcp_tensor_take_piece(t, &o, box);
    close_part(&o);
    return status;
}

static varve_status each_piece(struct tensor *t, bool is_counted)
{
    for (uint32_t at = vv_pickle_item(t->p, t->chunks)->first; at;
         at = vv_pickle_link(t->p, at).next)
        VV_TRY(dcp_tensor_read_piece(
            t, vv_pickle_link(t->p, at).item, is_counted));
    return VARVE_OK;
}

static varve_status dcp_tensor_read_pieces(struct tensor *t, uint32_t *item)
{
    struct vv_torch_pieced *whole = &t->whole;
    struct vv_pickle_item outside;
    VV_TRY(each_piece(t, true));
    whole->pieces = vv_arena_take(&t->r->merge->file->names,
        ((size_t)t->count + 1) * sizeof *whole->pieces);
    if (!whole->pieces)
        return dcp_tensor_fail_memory(t->r);
    VV_TRY(each_piece(t, false));
    const char *wrong = vv_torch_check_boxes(
        whole->type.rank, whole->type.shape, whole->pieces, whole->count);
    if (wrong)
        return dcp_tensor_fail(t, wrong);
    if (!vv_torch_add_pieces(t->r->merge->file, *whole, &outside))
        return dcp_tensor_fail_memory(t->r);
    return vv_torch_merge_item(t->r->merge, outside, item);
}

/* --- In one part ---------------------------------------------------------- */

/* Sets *part to the part of a tensor with a single piece, or to NULL. */
static varve_status look_for_whole(
    const struct tensor *t, const struct vv_dcp_part **part)
{
    uint64_t box[2 * VARVE_MAX_RANK];
    const varve_tensor *type = &t->whole.type;
    struct vv_pickle_link first = { 0 };
    uint32_t at = vv_pickle_item(t->p, t->chunks)->first;
    *part = NULL;
    if (at)
        first = vv_pickle_link(t->p, at);
    if (!at || first.next)
        return VARVE_OK;
    VV_TRY(take_box(t, first.item, box));
    for (uint32_t i = 0; i < type->rank; i++) {
        if (box[type->rank + i] != type->shape[i])
            return VARVE_OK;
    }
    return dcp_tensor_find_part(t, box, part);
}

/* Reads a tensor in one part. A tensor of an unsupported type becomes an
 * object. */
static varve_status dcp_tensor_read_whole(
    const struct tensor *t, const struct vv_dcp_part *part, uint32_t *item)
{
    struct opened o;
    struct vv_torch_tensor found;
    varve_status status = open_part(t->r, part, &o);
    if (!status && t->whole.type.dtype)
        status = check_tensor(t, &o, t->whole.type.shape, &found);
    if (!status)
        status = vv_torch_merge_add(t->r->merge, &o.file, &o.pickle, item);
    close_part(&o);
    return status;
}

varve_status vv_dcp_read_tensor(
    struct vv_dcp_reading *r, uint32_t name, uint32_t metadata, uint32_t *item)
{
    struct tensor t = { .r = r, .p = r->metadata->p, .name = name };
    const struct vv_dcp_part *part = NULL;
    VV_TRY(dcp_tensor_take_metadata(&t, metadata));
    VV_TRY(look_for_whole(&t, &part));
    if (part)
        return dcp_tensor_read_whole(&t, part, item);
    if (t.whole.type.dtype)
        return dcp_tensor_read_pieces(&t, item);
    *item = t.type; /* an object with the type as its tag */
    return VARVE_OK;
}
