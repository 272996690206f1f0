/* safetensors_in.c - Reads the tensors of a file, or those of several files
 * that an index lists.
 *
 * SPDX-License-Identifier: MIT
 */
#include "safetensors_in.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "failure.h"
#include "json_out.h"
#include "name.h"
#include "safetensors_header.h"
#include "safetensors_string.h"
#include "shard_map.h"
#include "try.h"

/* --- Files ---------------------------------------------------------------- */

/* Reads the names, types and offsets of the tensors of a file.
 *
 * The rules are those of the reference implementation of Hugging Face
 * (tensor.rs), except that duplicate keys are rejected. */

enum {
    SIZE_SIZE = 8, /* size of the number that precedes the header */
    FIRST_PIECE = 1 << 20
};

static const char suffix[] = ".safetensors";

/* --- Bidding ------------------------------------------------------------ */

static bool safetensors_in_looks_like_one(const struct vv_candidate *candidate)
{
    if (candidate->head_size <= SIZE_SIZE)
        return false;
    uint64_t size = vv_load64(candidate->head);
    if (size > candidate->size - SIZE_SIZE || size > VV_SAFETENSORS_MOST_HEADER)
        return false;
    return vv_json_begins_object(
        candidate->head + SIZE_SIZE, candidate->head_size - SIZE_SIZE);
}

static enum vv_probe_result safetensors_in_probe(
    const struct vv_candidate *candidate)
{
    bool is_called_so =
        vv_text_ends_in(candidate->path, strlen(candidate->path), suffix);
    if (!safetensors_in_looks_like_one(candidate))
        return is_called_so ? VV_PROBE_NAME : VV_PROBE_NONE;
    return is_called_so ? VV_PROBE_SURE : VV_PROBE_LIKELY;
}

/* --- Headers ------------------------------------------------------------ */

void vv_safetensors_begin(struct vv_safetensors *s, struct vv_foreign *foreign,
    struct vv_draft *draft)
{
    const varve_allocator *a = &foreign->context->allocator;
    *s = (struct vv_safetensors){ .foreign = foreign, .draft = draft };
    vv_buffer_init(&s->headers, a);
    vv_buffer_init(&s->tensors, a);
    vv_buffer_init(&s->texts, a);
    vv_buffer_init(&s->name, a);
    vv_buffer_init(&s->text, a);
}

static struct vv_safetensors_bytes *header_of(
    const struct vv_safetensors *s, uint32_t file)
{
    return (struct vv_safetensors_bytes *)(void *)s->headers.data + file;
}

struct vv_json_in vv_safetensors_json(
    const struct vv_safetensors *s, uint32_t file, varve_error *error)
{
    const struct vv_safetensors_bytes *header = header_of(s, file);
    return (struct vv_json_in){
        .path = s->foreign->files[file].path,
        .base = SIZE_SIZE,
        .bytes = header->bytes,
        .size = header->size,
        .error = error,
    };
}

static varve_status read_size(const struct vv_safetensors *s, uint32_t file,
    size_t *size, varve_error *error)
{
    unsigned char bytes[SIZE_SIZE];
    const struct vv_foreign_file *f = &s->foreign->files[file];
    VV_TRY(vv_foreign_refuse_pointer(
        s->foreign, file, "a safetensors file", error));
    if (f->size < SIZE_SIZE)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: expected 8 bytes for the size of the header, found %" PRIu64,
            f->path, f->size);
    VV_TRY(vv_foreign_read(s->foreign, file, bytes, SIZE_SIZE, 0, error));
    uint64_t found = vv_load64(bytes);
    if (found > VV_SAFETENSORS_MOST_HEADER)
        return vv_fail(error, VARVE_LIMIT,
            "%s: the header is too large: the limit is %d bytes, it has "
            "%" PRIu64,
            f->path, VV_SAFETENSORS_MOST_HEADER, found);
    if (found > f->size - SIZE_SIZE)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: expected a header of %" PRIu64 " bytes, found %" PRIu64,
            f->path, found, f->size - SIZE_SIZE);
    *size = (size_t)found;
    return VARVE_OK;
}

/* Reads in pieces of increasing size and stops at a NUL byte, which is not
 * valid JSON, so that a hole in a sparse file costs neither memory nor time. */
static varve_status safetensors_in_read_text(struct vv_safetensors *s,
    uint32_t file, struct vv_safetensors_bytes *header, size_t size,
    varve_error *error)
{
    size_t at = 0;
    while (at < size) {
        size_t end = at ? 2 * at : FIRST_PIECE;
        end = end < size ? end : size;
        void *grown = vv_reallocate(
            s->headers.allocator, header->bytes, header->size, end);
        if (!grown)
            return vv_fail_memory(error, "a header");
        header->bytes = grown;
        header->size = end;
        char *piece = header->bytes + at;
        VV_TRY(vv_foreign_read(
            s->foreign, file, piece, end - at, SIZE_SIZE + at, error));
        const char *zero = memchr(piece, 0, end - at);
        if (zero)
            return vv_fail(error, VARVE_CORRUPT,
                "%s: JSON at offset %zu: expected text, found a NUL byte",
                s->foreign->files[file].path,
                SIZE_SIZE + (size_t)(zero - header->bytes));
        at = end;
    }
    return VARVE_OK;
}

static varve_status safetensors_in_read_header(
    struct vv_safetensors *s, uint32_t file, varve_error *error)
{
    size_t size = 0;
    VV_TRY(read_size(s, file, &size, error));
    while (s->headers.size / sizeof(struct vv_safetensors_bytes) <= file) {
        struct vv_safetensors_bytes none = { 0 };
        vv_buffer_add(&s->headers, &none, sizeof none);
        if (s->headers.failed)
            return vv_fail_memory(error, "headers");
    }
    return safetensors_in_read_text(s, file, header_of(s, file), size, error);
}

varve_status vv_safetensors_read(
    struct vv_safetensors *s, uint32_t file, varve_error *error)
{
    VV_TRY(safetensors_in_read_header(s, file, error));
    s->first = s->tensors.size / sizeof(struct vv_safetensors_tensor);
    struct vv_json_in in = vv_safetensors_json(s, file, error);
    return vv_safetensors_header(&in,
        s->foreign->files[file].size - SIZE_SIZE - in.size, file, &s->tensors,
        &s->texts);
}

static struct vv_safetensors_tensor *all_tensors(
    const struct vv_safetensors *s, size_t *count)
{
    *count = s->tensors.size / sizeof(struct vv_safetensors_tensor);
    return (struct vv_safetensors_tensor *)(void *)s->tensors.data;
}

struct vv_safetensors_tensor *vv_safetensors_tensors(
    const struct vv_safetensors *s, size_t *count)
{
    struct vv_safetensors_tensor *all = all_tensors(s, count);
    *count -= s->first;
    return all ? all + s->first : NULL;
}

/* --- Adding to the draft ------------------------------------------------ */

static void safetensors_in_unescape(
    const struct vv_json_item *item, struct vv_buffer *to)
{
    to->size = 0;
    vv_json_unescape(item, to);
}

static void safetensors_in_add_tensor(struct vv_safetensors *s,
    struct vv_safetensors_tensor *tensor,
    const struct vv_safetensors_info *info)
{
    char tag[32] = VV_SAFETENSORS_TAG;
    const char *name = (const char *)s->name.data;
    struct vv_place place = {
        .file = tensor->file,
        .offset = SIZE_SIZE + header_of(s, tensor->file)->size + info->begin,
    };
    if (info->type.dtype) {
        tensor->node =
            vv_draft_path(s->draft, VARVE_VARIABLE, name, s->name.size);
        vv_draft_value(s->draft, tensor->node, &info->type, 0, &place);
        return;
    }
    tensor->node = vv_draft_path(s->draft, VARVE_STATE, name, s->name.size);
    vv_draft_state(s->draft, tensor->node, info->end - info->begin, &place);
    strcat(tag, info->dtype->name);
    vv_draft_tag(s->draft, tensor->node, tag);
    vv_safetensors_keep(s->draft, tensor->node, info);
}

varve_status vv_safetensors_add(struct vv_safetensors *s, varve_error *error)
{
    size_t count;
    struct vv_safetensors_tensor *tensors = vv_safetensors_tensors(s, &count);
    for (size_t i = 0; i < count && !s->draft->failed; i++) {
        struct vv_json_in in = vv_safetensors_json(s, tensors[i].file, error);
        struct vv_safetensors_info info;
        struct vv_json_item item;
        if (tensors[i].is_left_out)
            continue;
        vv_safetensors_item(&in, tensors[i].name, &item);
        safetensors_in_unescape(&item, &s->name);
        if (s->name.failed)
            return vv_fail_memory(error, "the name of a tensor");
        VV_TRY(vv_safetensors_info(&in, tensors[i].name, &info));
        safetensors_in_add_tensor(s, &tensors[i], &info);
    }
    return VARVE_OK;
}

static int safetensors_in_text_by_name(const void *a, const void *b)
{
    const struct vv_safetensors_text *x = a, *y = b;
    int order = vv_json_compare(x->name, y->name);
    return order ? order : (x->file > y->file) - (x->file < y->file);
}

static const struct vv_safetensors_tensor *safetensors_in_find(
    const struct vv_safetensors *s, const char *name)
{
    size_t count;
    struct vv_safetensors_tensor key = { .name = name };
    struct vv_safetensors_tensor *tensors = all_tensors(s, &count);
    return count == 0 ? NULL
                      : bsearch(&key, tensors, count, sizeof key,
                            vv_safetensors_by_name);
}

/* The save counter is stored as text. Returns false if the text is not a
 * positive number. */
static bool is_counter(
    struct vv_safetensors *s, const struct vv_json_item *name)
{
    uint64_t counter;
    if (!vv_json_is(name, VV_SAFETENSORS_COUNTER) ||
        !vv_parse_decimal((const char *)s->text.data, s->text.size, &counter) ||
        counter == 0)
        return false;
    s->draft->counter = counter;
    return true;
}

/* Returns true if the last unescaped name can be the path of an alias: no
 * tensor has this name, or a name that begins with it and a '/'. */
static bool safetensors_in_is_free(struct vv_safetensors *s, const char *name)
{
    size_t begin = 0, end;
    const struct vv_safetensors_tensor *tensors = all_tensors(s, &end);
    vv_buffer_add8(&s->name, '/');
    s->text.size = 0;
    vv_json_add_string(&s->text, (const char *)s->name.data, s->name.size);
    s->name.size--;
    if (s->name.failed || s->text.failed || safetensors_in_find(s, name))
        return false;
    size_t count = end;
    const char *below = (const char *)s->text.data + 1;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (vv_json_compare(tensors[middle].name, below) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin == count || !vv_json_begins(tensors[begin].name, below);
}

/* Adds a string variable if the name of a text is that of one; sets *is_one.
 * The prefix has no escapes, so what follows it is a name as well. */
static varve_status safetensors_in_add_string(struct vv_safetensors *s,
    const char *name, const struct vv_json_item *text, bool *is_one,
    varve_error *error)
{
    enum { SIZE = VV_SAFETENSORS_STRING_SIZE };
    *is_one =
        s->name.size > SIZE && strncmp(name, VV_SAFETENSORS_STRING, SIZE) == 0;
    if (!*is_one)
        return VARVE_OK;
    memmove(s->name.data, s->name.data + SIZE, s->name.size - SIZE);
    s->name.size -= SIZE;
    *is_one = safetensors_in_is_free(s, name + SIZE);
    safetensors_in_unescape(text, &s->text);
    if (s->name.failed || s->text.failed ||
        (*is_one && !vv_safetensors_add_string(s->foreign, s->draft,
                        (const char *)s->name.data, s->name.size,
                        (const char *)s->text.data, s->text.size)))
        return vv_fail_memory(error, "text metadata");
    return VARVE_OK;
}

/* If the name of a text is not that of a tensor but its value is, it is an
 * alias of the tensor, as written by safetensors.torch.save_model. */
static varve_status safetensors_in_add_text(struct vv_safetensors *s,
    const struct vv_safetensors_text *entry, varve_error *error)
{
    struct vv_json_in in = vv_safetensors_json(s, entry->file, error);
    struct vv_json_item name, text;
    vv_safetensors_item(&in, entry->name, &name);
    VV_TRY(vv_json_expect(&in, VV_JSON_STRING, &text));
    safetensors_in_unescape(&name, &s->name);
    safetensors_in_unescape(&text, &s->text);
    if (s->name.failed || s->text.failed)
        return vv_fail_memory(error, "text metadata");
    if (is_counter(s, &name))
        return VARVE_OK;
    bool is_string = false;
    VV_TRY(safetensors_in_add_string(s, entry->name, &text, &is_string, error));
    if (is_string)
        return VARVE_OK;
    safetensors_in_unescape(&name, &s->name);
    vv_draft_text(s->draft, (const char *)s->name.data, s->name.size,
        s->text.size ? (const char *)s->text.data : "", s->text.size);
    const struct vv_safetensors_tensor *kept =
        safetensors_in_find(s, text.text);
    if (kept && vv_name_is_valid((const char *)s->text.data, s->text.size) &&
        safetensors_in_is_free(s, entry->name))
        vv_draft_alias(
            s->draft, (const char *)s->name.data, s->name.size, kept->node);
    return s->name.failed || s->text.failed
               ? vv_fail_memory(error, "text metadata")
               : VARVE_OK;
}

/* Removes the tensors that are not in the draft. */
static void drop_left_out(struct vv_safetensors *s)
{
    size_t count, kept = 0;
    struct vv_safetensors_tensor *tensors = all_tensors(s, &count);
    for (size_t i = 0; i < count; i++) {
        if (!tensors[i].is_left_out)
            tensors[kept++] = tensors[i];
    }
    s->tensors.size = kept * sizeof *tensors;
}

static varve_status safetensors_in_add_texts(
    struct vv_safetensors *s, varve_error *error)
{
    struct vv_safetensors_text *texts = (void *)s->texts.data;
    size_t count = s->texts.size / sizeof *texts;
    size_t tensor_count;
    drop_left_out(s);
    struct vv_safetensors_tensor *tensors = all_tensors(s, &tensor_count);
    if (tensor_count > 0)
        qsort(tensors, tensor_count, sizeof *tensors, vv_safetensors_by_name);
    if (count > 0)
        qsort(texts, count, sizeof *texts, safetensors_in_text_by_name);
    for (size_t i = 0; i < count && !s->draft->failed; i++) {
        /* If several files have a text of this name, the first is used. */
        if (i == 0 || vv_json_compare(texts[i - 1].name, texts[i].name) != 0)
            VV_TRY(safetensors_in_add_text(s, &texts[i], error));
    }
    return VARVE_OK;
}

varve_status vv_safetensors_end(
    struct vv_safetensors *s, varve_status status, varve_error *error)
{
    size_t count = s->headers.size / sizeof(struct vv_safetensors_bytes);
    if (!status)
        status = safetensors_in_add_texts(s, error);
    for (size_t i = 0; i < count; i++) {
        struct vv_safetensors_bytes *header = header_of(s, (uint32_t)i);
        vv_release(s->headers.allocator, header->bytes, header->size);
    }
    vv_buffer_clear(&s->headers);
    vv_buffer_clear(&s->tensors);
    vv_buffer_clear(&s->texts);
    vv_buffer_clear(&s->name);
    vv_buffer_clear(&s->text);
    return status;
}

static varve_status safetensors_in_open_one(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    struct vv_safetensors s;
    vv_safetensors_begin(&s, foreign, draft);
    varve_status status = vv_safetensors_read(&s, 0, error);
    if (!status)
        status = vv_safetensors_add(&s, error);
    return vv_safetensors_end(&s, status, error);
}

const struct vv_foreign_format vv_safetensors_format = {
    .format = VARVE_FORMAT_SAFETENSORS,
    .probe = safetensors_in_probe,
    .open = safetensors_in_open_one,
};

/* --- Several files -------------------------------------------------------- */

/* Reads the files of an index and matches their tensors with its map.
 *
 * Every tensor must be in the file to which it is mapped. Tensors that are in a
 * file but are not mapped to it are left out. */

struct reading {
    struct vv_shard_map map;
    struct vv_safetensors files;
};

static enum vv_probe_result safetensors_index_probe(
    const struct vv_candidate *candidate)
{
    return vv_shard_map_probe(candidate, ".safetensors.index.json");
}

static void safetensors_index_leave_out(const struct reading *r, uint32_t file,
    const struct vv_safetensors_tensor *tensor)
{
    struct vv_json_item item;
    struct vv_json_in json = vv_safetensors_json(&r->files, file, NULL);
    vv_safetensors_item(&json, tensor->name, &item);
    vv_shard_map_leave_out(r->files.draft, item.text, item.size);
}

/* Merges two lists sorted by name. Tensors that the map does not contain are
 * marked as left out. */
static varve_status safetensors_index_match(const struct reading *r,
    uint32_t file, const struct vv_shard_entry *entries, size_t entry_count)
{
    size_t count, entry = 0;
    struct vv_safetensors_tensor *tensors =
        vv_safetensors_tensors(&r->files, &count);
    if (count > 0)
        qsort(tensors, count, sizeof *tensors, vv_safetensors_by_name);
    for (size_t i = 0; i < count || entry < entry_count;) {
        int order = i == count ? -1
                    : entry == entry_count
                        ? 1
                        : vv_json_compare(entries[entry].name, tensors[i].name);
        if (order < 0)
            return vv_shard_map_fail_missing(&r->map, &entries[entry], file);
        if (order > 0) {
            safetensors_index_leave_out(r, file, &tensors[i]);
            tensors[i].is_left_out = true;
        }
        entry += order == 0;
        i++;
    }
    if (count > 0)
        qsort(tensors, count, sizeof *tensors, vv_safetensors_by_data);
    return VARVE_OK;
}

static varve_status safetensors_index_read_file(void *user, uint32_t file,
    const struct vv_shard_entry *entries, size_t count, varve_error *error)
{
    struct reading *r = user;
    VV_TRY(vv_safetensors_read(&r->files, file, error));
    VV_TRY(safetensors_index_match(r, file, entries, count));
    return vv_safetensors_add(&r->files, error);
}

static varve_status safetensors_index_open_index(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    struct reading r;
    vv_shard_map_begin(&r.map, foreign, error);
    vv_safetensors_begin(&r.files, foreign, draft);
    varve_status status = vv_shard_map_read(&r.map);
    if (!status)
        status = vv_shard_map_each(&r.map, safetensors_index_read_file, &r);
    status = vv_safetensors_end(&r.files, status, error);
    vv_shard_map_clear(&r.map);
    return status;
}

const struct vv_foreign_format vv_safetensors_index_format = {
    .format = VARVE_FORMAT_SAFETENSORS,
    .probe = safetensors_index_probe,
    .open = safetensors_index_open_index,
};
