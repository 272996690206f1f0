/* gguf_in.c - Reads the metadata, which contains the alignment, and then the
 * tensors twice: first to validate them and find the start of the data, then to
 * add them to the draft.
 *
 * The rules are those of ggml/src/gguf.cpp, except that the data of the tensors
 * can be in any order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gguf_in.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "failure.h"
#include "gguf_kept.h"
#include "gguf_split.h"
#include "gguf_value.h"
#include "name.h"
#include "name_set.h"
#include "try.h"
#include "typed_memory.h"

enum {
    OLDEST = 2,
    NEWEST = 3,
    USUAL_ALIGNMENT = 32,
    SMALLEST_ENTRY = 13,  /* size of metadata with an empty name and a bool */
    SMALLEST_TENSOR = 24, /* size of a tensor with an empty name and no
                             dimensions */
    MOST_KEPT = 3 << 24,  /* limit on the bytes of metadata that are kept */
};

static const char magic[] = { 'G', 'G', 'U', 'F' };
static const char suffix[] = ".gguf";

struct gguf {
    struct vv_gguf_bytes in; /* the file that is being read */
    struct vv_foreign *foreign;
    struct vv_draft *draft;
    uint64_t tensor_count, entry_count;
    uint64_t alignment;
    uint64_t data; /* offset of the data of the tensors */
    struct vv_buffer name, text;
    struct vv_buffer kept;      /* metadata that can be written again */
    bool is_too_large;          /* the metadata is too large to be kept */
    struct vv_gguf_split split; /* from the metadata of the file */
    bool is_looked_at;          /* only `split` is read; nothing is added to the
                                   draft */
};

static enum vv_probe_result gguf_in_probe(const struct vv_candidate *c)
{
    if (c->head_size >= sizeof magic &&
        memcmp(c->head, magic, sizeof magic) == 0)
        return VV_PROBE_SURE;
    return vv_text_ends_in(c->path, strlen(c->path), suffix) ? VV_PROBE_NAME
                                                             : VV_PROBE_NONE;
}

/* --- The header ----------------------------------------------------------- */

static varve_status gguf_in_check_version(
    const struct gguf *g, uint32_t version, varve_error *error)
{
    if (version >= OLDEST && version <= NEWEST)
        return VARVE_OK;
    if (version > 0 && (version & 0xffff) == 0)
        return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
            "%s: offset 4: big-endian GGUF files are not supported",
            g->in.path);
    return vv_fail(error,
        version > NEWEST ? VARVE_TOO_NEW
        : version > 0    ? VARVE_NOT_A_CHECKPOINT
                         : VARVE_CORRUPT,
        "%s: offset 4: expected version %d or %d of GGUF, found %" PRIu32,
        g->in.path, OLDEST, NEWEST, version);
}

static varve_status gguf_in_check_count(const struct gguf *g, uint64_t count,
    uint64_t smallest, const char *what, varve_error *error)
{
    uint64_t most = (g->in.size - g->in.at) / smallest;
    if (count <= most)
        return VARVE_OK;
    return vv_gguf_fail(&g->in, g->in.at, VARVE_TRUNCATED, error,
        "expected %" PRIu64 " %s, the rest of the file has room for %" PRIu64,
        count, what, most);
}

static varve_status gguf_in_take_head(struct gguf *g, varve_error *error)
{
    uint32_t mark, version;
    struct vv_gguf_bytes *in = &g->in;
    VV_TRY(vv_gguf_take32(in, &mark, "the signature of GGUF", error));
    if (mark != vv_load32(magic))
        return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
            "%s: offset 0: not a GGUF file", in->path);
    VV_TRY(vv_gguf_take32(in, &version, "the version", error));
    VV_TRY(gguf_in_check_version(g, version, error));
    VV_TRY(
        vv_gguf_take64(in, &g->tensor_count, "the number of tensors", error));
    VV_TRY(
        vv_gguf_take64(in, &g->entry_count, "the number of metadata", error));
    VV_TRY(gguf_in_check_count(
        g, g->tensor_count, SMALLEST_TENSOR, "tensors", error));
    return gguf_in_check_count(
        g, g->entry_count, SMALLEST_ENTRY, "metadata", error);
}

/* --- Metadata ------------------------------------------------------------- */

/* Fails if the last name was used before. */
static varve_status gguf_in_check_name(
    struct gguf *g, struct vv_taken *names, uint64_t offset, varve_error *error)
{
    const char *name = vv_buffer_string(&g->name);
    bool is_new;
    if (g->name.failed || !vv_taken_add(names, name, g->name.size, &is_new))
        return vv_fail_memory(error, "names of metadata");
    return is_new ? VARVE_OK
                  : vv_gguf_fail(
                        &g->in, offset, VARVE_CORRUPT, error, "duplicate name");
}

static bool gguf_in_is_alignment(const struct gguf *g)
{
    return g->name.size == sizeof VV_GGUF_ALIGNMENT - 1 &&
           memcmp(g->name.data, VV_GGUF_ALIGNMENT, g->name.size) == 0;
}

static varve_status set_alignment(struct gguf *g,
    const struct vv_gguf_value *value, uint64_t offset, varve_error *error)
{
    uint64_t n = value->bits;
    if (value->kind != VV_GGUF_UINT32 || n == 0 || (n & (n - 1)) != 0)
        return vv_gguf_fail(&g->in, offset, VARVE_CORRUPT, error,
            "the alignment must be a 32-bit power of two, found %" PRIu64
            " of type %d",
            n, (int)value->kind);
    g->alignment = n;
    return VARVE_OK;
}

/* Keeps the entry from offset `begin` to here, so that it can be written again.
 * Does nothing if the metadata is too large. */
static varve_status keep_entry(
    struct gguf *g, uint64_t begin, bool has_text, varve_error *error)
{
    uint64_t size = g->in.at - begin;
    g->is_too_large |= size > MOST_KEPT || g->kept.size > MOST_KEPT - size;
    if (g->is_too_large)
        return VARVE_OK;
    const char *text = g->text.size > 0 ? (const char *)g->text.data : "";
    void *bytes = vv_gguf_keep_entry(
        &g->kept, has_text ? text : NULL, g->text.size, (size_t)size);
    if (g->kept.failed)
        return vv_fail_memory(error, "metadata");
    return vv_foreign_read(
        g->in.foreign, g->in.file, bytes, (size_t)size, begin, error);
}

/* Reads the name of item `i` of a kind. */
static varve_status gguf_in_take_name(struct gguf *g, const char *kind,
    uint64_t i, uint64_t count, varve_error *error)
{
    g->in.item = (struct vv_gguf_item){ kind, i + 1, count, NULL };
    VV_TRY(vv_gguf_take_string(&g->in, &g->name, "a name", error));
    g->in.item.name = &g->name;
    return VARVE_OK;
}

/* Adds the last entry to the draft. Returns false if its name is not valid, so
 * that it was left out. */
static bool add_last_entry(struct gguf *g, bool is_scalar)
{
    const char *name = g->name.size > 0 ? (const char *)g->name.data : "";
    const char *text = g->text.size > 0 ? (const char *)g->text.data : "";
    bool is_named = vv_name_is_valid(name, g->name.size);
    if (is_scalar)
        vv_draft_text(g->draft, name, g->name.size, text, g->text.size);
    else if (!is_named)
        vv_draft_leave_out_name(g->draft, name, g->name.size, NULL);
    return is_named;
}

static varve_status gguf_in_take_entry(
    struct gguf *g, struct vv_taken *names, uint64_t i, varve_error *error)
{
    struct vv_gguf_value value;
    uint64_t begin = g->in.at, offset = begin;
    VV_TRY(gguf_in_take_name(g, "metadata", i, g->entry_count, error));
    VV_TRY(gguf_in_check_name(g, names, offset, error));
    offset = g->in.at;
    VV_TRY(vv_gguf_take_value(&g->in, &value, &g->text, error));
    if (gguf_in_is_alignment(g))
        VV_TRY(set_alignment(g, &value, offset, error));
    const char *text = g->text.size > 0 ? (const char *)g->text.data : "";
    bool is_split = vv_gguf_split_take(
        &g->split, (const char *)g->name.data, g->name.size, value.bits);
    if (is_split || g->is_looked_at)
        return VARVE_OK;
    bool is_scalar = value.kind != VV_GGUF_ARRAY;
    if (!add_last_entry(g, is_scalar))
        return VARVE_OK;
    return keep_entry(g, begin,
        is_scalar && !g->in.is_cut && vv_utf8_is_valid(text, g->text.size),
        error);
}

static varve_status gguf_in_take_metadata(struct gguf *g, varve_error *error)
{
    const varve_allocator *a = g->name.allocator;
    struct vv_taken names;
    varve_status status = VARVE_OK;
    vv_taken_init(&names, a);
    for (uint64_t i = 0; i < g->entry_count && !status; i++) {
        status = gguf_in_take_entry(g, &names, i, error);
        if (g->draft->failed)
            break;
    }
    vv_taken_clear(&names);
    g->in.item.kind = NULL;
    if (!status && g->kept.size > 0 && !g->is_too_large && g->split.number == 0)
        vv_draft_keep(g->draft, 0, g->kept.data, g->kept.size);
    return status;
}

/* --- Tensors -------------------------------------------------------------- */

struct tensor { /* its name is in g->name */
    const struct vv_gguf_type *type;
    varve_tensor shape;
    uint64_t begin, size; /* of its data, relative to the start of all data */
    uint64_t at;          /* offset of its name in the file */
};

static varve_status gguf_in_take_shape(
    struct gguf *g, struct tensor *t, varve_error *error)
{
    uint32_t rank;
    uint64_t offset = g->in.at;
    VV_TRY(vv_gguf_take32(&g->in, &rank, "the rank of a tensor", error));
    if (rank > VV_GGUF_MOST_DIMENSIONS)
        return vv_gguf_fail(&g->in, offset, VARVE_LIMIT, error,
            "expected at most %d dimensions, found %" PRIu32,
            VV_GGUF_MOST_DIMENSIONS, rank);
    t->shape.rank = rank;
    for (uint32_t i = rank; i-- > 0;)
        VV_TRY(
            vv_gguf_take64(&g->in, &t->shape.shape[i], "a dimension", error));
    return VARVE_OK;
}

static varve_status gguf_in_take_type(
    struct gguf *g, struct tensor *t, varve_error *error)
{
    uint32_t number;
    uint64_t count, offset = g->in.at;
    VV_TRY(vv_gguf_take32(&g->in, &number, "the type of a tensor", error));
    t->type = vv_gguf_type_of(number);
    if (!t->type)
        return vv_gguf_fail(&g->in, offset, VARVE_TOO_NEW, error,
            "unknown tensor type %" PRIu32, number);
    uint64_t row = t->shape.rank ? t->shape.shape[t->shape.rank - 1] : 1;
    if (row % t->type->block != 0)
        return vv_gguf_fail(&g->in, offset, VARVE_CORRUPT, error,
            "the size of a row must be a multiple of the block size %d, found "
            "%" PRIu64,
            t->type->block, row);
    t->shape.dtype = t->type->dtype;
    if (!vv_shape_count(t->shape.rank, t->shape.shape, &count) ||
        !vv_gguf_type_size(t->type, count, &t->size))
        return vv_gguf_fail(&g->in, offset, VARVE_CORRUPT, error,
            "the size of the tensor is 2^64 bytes or more");
    return VARVE_OK;
}

static varve_status take_tensor(
    struct gguf *g, struct tensor *t, uint64_t i, varve_error *error)
{
    *t = (struct tensor){ .at = g->in.at };
    VV_TRY(gguf_in_take_name(g, "tensor", i, g->tensor_count, error));
    VV_TRY(gguf_in_take_shape(g, t, error));
    VV_TRY(gguf_in_take_type(g, t, error));
    uint64_t offset = g->in.at;
    VV_TRY(vv_gguf_take64(&g->in, &t->begin, "the offset of a tensor", error));
    if (t->begin % g->alignment != 0)
        return vv_gguf_fail(&g->in, offset, VARVE_CORRUPT, error,
            "the offset of its data must be a multiple of %" PRIu64
            ", found %" PRIu64,
            g->alignment, t->begin);
    return VARVE_OK;
}

/* --- Offsets -------------------------------------------------------------- */

struct piece {
    uint64_t begin, size;
    uint64_t at; /* offset of the name of the tensor in the file */
};

static int by_begin(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Fails for the tensor whose name is at offset `at`. */
static varve_status VV_PRINTF(5, 6) fail_piece(struct gguf *g, uint64_t at,
    varve_status status, varve_error *error, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    g->in.at = at;
    VV_TRY(gguf_in_take_name(g, "tensor", 0, 0, error));
    return vv_gguf_fail(&g->in, at, status, error, "%s", text);
}

/* Checks that the data of all tensors is in the file and does not overlap. */
static varve_status check_pieces(
    struct gguf *g, struct vv_buffer *buffer, varve_error *error)
{
    struct piece *pieces = (void *)buffer->data;
    size_t count = buffer->size / sizeof *pieces;
    uint64_t end = 0;
    uint64_t most = g->in.size > g->data ? g->in.size - g->data : 0;
    if (count > 0)
        qsort(pieces, count, sizeof *pieces, by_begin);
    for (size_t i = 0; i < count; i++) {
        struct piece p = pieces[i];
        if (p.begin < end)
            return fail_piece(g, p.at, VARVE_CORRUPT, error,
                "its data overlaps that of another tensor, which ends at "
                "%" PRIu64 " of the data: it begins at %" PRIu64,
                end, p.begin);
        if (p.begin > most || p.size > most - p.begin)
            return fail_piece(g, p.at, VARVE_TRUNCATED, error,
                "its %" PRIu64 " bytes at %" PRIu64
                " of the data extend past the end of the data, which has "
                "%" PRIu64 " bytes",
                p.size, p.begin, most);
        end = p.begin + p.size;
    }
    return VARVE_OK;
}

static varve_status gguf_in_add_pieces(
    struct gguf *g, struct vv_buffer *pieces, varve_error *error)
{
    for (uint64_t i = 0; i < g->tensor_count; i++) {
        struct tensor t;
        VV_TRY(take_tensor(g, &t, i, error));
        if (t.size == 0)
            continue;
        struct piece piece = { t.begin, t.size, t.at };
        vv_buffer_add(pieces, &piece, sizeof piece);
        if (pieces->failed)
            return vv_fail_memory(error, "the offsets of tensors");
    }
    return VARVE_OK;
}

static varve_status gguf_in_check_tensors(struct gguf *g, varve_error *error)
{
    struct vv_buffer pieces;
    vv_buffer_init(&pieces, g->name.allocator);
    varve_status status = gguf_in_add_pieces(g, &pieces, error);
    g->data = vv_align_up(g->in.at, g->alignment);
    if (!status)
        status = check_pieces(g, &pieces, error);
    vv_buffer_clear(&pieces);
    return status;
}

/* --- Entry points --------------------------------------------------------- */

static void gguf_in_add_tensor(struct gguf *g, const struct tensor *t)
{
    const char *name = g->name.size > 0 ? (const char *)g->name.data : "";
    struct vv_place place = {
        .file = g->in.file
    }; /* without data, the offset may be past the end */
    if (t->size > 0)
        place.offset = g->data + t->begin;
    uint32_t node = vv_draft_path(g->draft,
        t->type->dtype ? VARVE_VARIABLE : VARVE_STATE, name, g->name.size);
    if (t->type->dtype) {
        vv_draft_value(g->draft, node, &t->shape, 0, &place);
        return;
    }
    unsigned char kept[VV_GGUF_KEPT_TENSOR];
    struct vv_gguf_tensor was = { t->type, t->shape };
    vv_draft_state(g->draft, node, t->size, &place);
    vv_draft_tag(g->draft, node, t->type->tag);
    vv_draft_keep(g->draft, node, kept, vv_gguf_keep_tensor(kept, &was));
}

static varve_status gguf_in_take_all(struct gguf *g, varve_error *error)
{
    VV_TRY(gguf_in_take_head(g, error));
    VV_TRY(gguf_in_take_metadata(g, error));
    if (g->draft->failed)
        return VARVE_OK;
    uint64_t tensors = g->in.at;
    VV_TRY(gguf_in_check_tensors(g, error));
    g->in.at = tensors;
    for (uint64_t i = 0; i < g->tensor_count && !g->draft->failed; i++) {
        struct tensor t;
        VV_TRY(take_tensor(g, &t, i, error));
        gguf_in_add_tensor(g, &t);
    }
    return VARVE_OK;
}

/* --- Parts ---------------------------------------------------------------- */

static void gguf_in_begin_file(struct gguf *g, uint32_t file, bool is_looked_at)
{
    vv_gguf_begin(&g->in, g->foreign, file);
    g->alignment = USUAL_ALIGNMENT;
    g->split = (struct vv_gguf_split){ 0 };
    g->is_looked_at = is_looked_at;
    g->kept.size = 0;
}

/* Opens the file of a part, which is beside the file that was opened first;
 * `of` is from the metadata of that file. */
static varve_status gguf_in_find_part(struct gguf *g,
    const struct vv_gguf_split *of, uint64_t number, uint32_t *file,
    varve_error *error)
{
    const char *path = g->foreign->files[0].path;
    if (!vv_gguf_split_path(of, path, number, &g->text))
        return vv_fail(error, VARVE_NOT_FOUND,
            "%s: this is part %" PRIu64 " of %" PRIu64
            " of a GGUF model, but its name does not end with \"-%05" PRIu64
            "-of-%05" PRIu64 ".gguf\": the other parts cannot be found",
            path, of->number + 1, of->count, of->number + 1, of->count);
    const char *name = vv_buffer_string(&g->text);
    if (g->text.failed)
        return vv_fail_memory(error, "a path");
    varve_status status = vv_foreign_add_file(g->foreign, name, file, error);
    if (status != VARVE_NOT_FOUND)
        return status;
    return vv_fail(error, status,
        "%s: this is part %" PRIu64 " of %" PRIu64
        " of a GGUF model, but part %" PRIu64 ", \"%s\", is missing",
        path, of->number + 1, of->count, number + 1, name);
}

static varve_status gguf_in_check_part(const struct gguf *g,
    const struct vv_gguf_split *of, uint64_t number, varve_error *error)
{
    if (g->split.count == of->count && g->split.number == number &&
        g->split.tensors == of->tensors)
        return VARVE_OK;
    return vv_fail(error, VARVE_CORRUPT,
        "%s: expected part %" PRIu64 " of %" PRIu64
        " of a GGUF model of %" PRIu64 " tensors, found part %" PRIu64
        " of %" PRIu64 " of a model of %" PRIu64 " tensors",
        g->in.path, number + 1, of->count, of->tensors, g->split.number + 1,
        g->split.count, g->split.tensors);
}

/* Reads all parts in their order, independent of which one was opened. */
static varve_status gguf_in_take_parts(
    struct gguf *g, const struct vv_gguf_split *of, varve_error *error)
{
    uint64_t tensors = 0;
    for (uint64_t i = 0; i < of->count && !g->draft->failed; i++) {
        uint32_t file = 0;
        if (i != of->number)
            VV_TRY(gguf_in_find_part(g, of, i, &file, error));
        gguf_in_begin_file(g, file, false);
        VV_TRY(gguf_in_take_all(g, error));
        if (g->draft->failed)
            return VARVE_OK;
        VV_TRY(gguf_in_check_part(g, of, i, error));
        tensors += g->tensor_count;
    }
    if (of->tensors == 0 || of->tensors == tensors || g->draft->failed)
        return VARVE_OK;
    return vv_fail(error, VARVE_CORRUPT,
        "%s: expected %" PRIu64 " tensors in %" PRIu64 " parts, found %" PRIu64,
        g->foreign->files[0].path, of->tensors, of->count, tensors);
}

/* Reads the metadata twice only if the name is that of a part. */
static varve_status gguf_in_take_files(struct gguf *g, varve_error *error)
{
    uint32_t file;
    bool is_part = vv_gguf_split_is_name(g->foreign->files[0].path);
    gguf_in_begin_file(g, 0, is_part);
    VV_TRY(is_part ? gguf_in_take_head(g, error) : gguf_in_take_all(g, error));
    if (is_part)
        VV_TRY(gguf_in_take_metadata(g, error));
    struct vv_gguf_split of = g->split;
    if (of.count > 1 && of.number >= of.count)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: split.no must be less than %" PRIu64 ", found %" PRIu64,
            g->in.path, of.count, of.number);
    if (of.count > 1)
        return is_part
                   ? gguf_in_take_parts(g, &of, error)
                   : gguf_in_find_part(g, &of, of.number == 0, &file, error);
    if (!is_part)
        return VARVE_OK;
    gguf_in_begin_file(g, 0, false);
    return gguf_in_take_all(g, error);
}

static varve_status gguf_in_open_source(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    const varve_allocator *a = &foreign->context->allocator;
    struct gguf g = { .foreign = foreign, .draft = draft };
    vv_buffer_init(&g.name, a);
    vv_buffer_init(&g.text, a);
    vv_buffer_init(&g.kept, a);
    varve_status status = gguf_in_take_files(&g, error);
    vv_buffer_clear(&g.name);
    vv_buffer_clear(&g.text);
    vv_buffer_clear(&g.kept);
    return status;
}

const struct vv_foreign_format vv_gguf_format = {
    .format = VARVE_FORMAT_GGUF,
    .probe = gguf_in_probe,
    .open = gguf_in_open_source,
};
