/* safetensors_out.c - headers, data, and the index of several files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "safetensors_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "failure.h"
#include "file.h"
#include "json_out.h"
#include "safetensors_in.h"
#include "safetensors_plan.h"
#include "try.h"

enum { STAGED_SIZE = 1 << 20, HEADER_ALIGNMENT = 8 };

static const char suffix[] = ".safetensors";
static const char index_suffix[] = ".safetensors.index.json";

struct out {
    const struct vv_target *target;
    struct vv_safetensors_plan plan;
    int stem_size;  /* of the target's path, before any suffix */
    bool has_index; /* as the last of the files */
    uint32_t file_count, begun, ended;
    struct vv_publication *files;
    struct vv_buffer *paths; /* as many as files */
    struct vv_buffer staging;
    uint64_t offset; /* where in the file the staging begins */
};

/* --- Bytes -------------------------------------------------------------- */

static varve_status write_now(struct out *out, uint32_t file,
    const void *bytes, size_t size, varve_error *error)
{
    const struct vv_publication *p = &out->files[file];
    VV_TRY(vv_file_write(out->target->context, p->file, p->path, bytes, size,
        out->offset, error));
    out->offset += size;
    return VARVE_OK;
}

static varve_status flush(struct out *out, uint32_t file, varve_error *error)
{
    if (out->staging.failed)
        return vv_fail_memory(error, "what is written");
    size_t size = out->staging.size;
    out->staging.size = 0;
    return size ? write_now(out, file, out->staging.data, size, error)
                : VARVE_OK;
}

static varve_status write_value(struct out *out, uint32_t file,
    const struct vv_safetensors_value *value, varve_error *error)
{
    const struct vv_target *target = out->target;
    const void *bytes;
    VV_TRY(target->value(target->user, value->value, &bytes, error));
    if (out->staging.size + value->size > STAGED_SIZE)
        VV_TRY(flush(out, file, error));
    if (value->size > STAGED_SIZE)
        return write_now(out, file, bytes, (size_t)value->size, error);
    if (value->size > 0)
        vv_buffer_add(&out->staging, bytes, (size_t)value->size);
    return VARVE_OK;
}

/* --- The header --------------------------------------------------------- */

static void add_metadata(struct out *out, struct vv_buffer *to)
{
    size_t count;
    const struct vv_safetensors_pair *pairs =
        vv_safetensors_pairs(&out->plan, &count);
    for (size_t i = 0; i < count; i++) {
        vv_buffer_add_string(to, i == 0 ? "\"__metadata__\":{" : ",");
        vv_json_add_string(to, pairs[i].name, pairs[i].name_size);
        vv_buffer_add8(to, ':');
        vv_json_add_string(to, pairs[i].text, pairs[i].text_size);
    }
    if (count > 0)
        vv_buffer_add8(to, '}');
}

static void add_tensor(struct out *out, struct vv_buffer *to,
    const struct vv_safetensors_value *value, uint64_t begin)
{
    varve_tensor tensor = vv_index_tensor(
        out->target->index, out->target->table, value->value);
    vv_json_add_string(to, value->name, value->name_size);
    vv_buffer_add_string(to, ":{\"dtype\":\"");
    vv_buffer_add_string(to, value->dtype->name);
    vv_buffer_add_string(to, "\",\"shape\":[");
    for (uint32_t i = 0; i < tensor.rank; i++) {
        if (i > 0)
            vv_buffer_add8(to, ',');
        vv_json_add_number(to, tensor.shape[i]);
    }
    vv_buffer_add_string(to, "],\"data_offsets\":[");
    vv_json_add_number(to, begin);
    vv_buffer_add8(to, ',');
    vv_json_add_number(to, begin + value->size);
    vv_buffer_add_string(to, "]}");
}

/* Of the values from `first` on that are in the same file; with its size before
 * it. */
static varve_status add_header(struct out *out, struct vv_buffer *to,
    size_t first, size_t end, varve_error *error)
{
    size_t count;
    uint64_t offset = 0;
    const struct vv_safetensors_value *values =
        vv_safetensors_values(&out->plan, &count);
    to->size = 0;
    vv_buffer_add64(to, 0);
    vv_buffer_add8(to, '{');
    add_metadata(out, to);
    for (size_t i = first; i < end; i++) {
        if (to->size > sizeof(uint64_t) + 1)
            vv_buffer_add8(to, ',');
        add_tensor(out, to, &values[i], offset);
        offset += values[i].size;
    }
    vv_buffer_add8(to, '}');
    while (to->size % HEADER_ALIGNMENT && !to->failed)
        vv_buffer_add8(to, ' ');
    if (to->failed)
        return vv_fail_memory(error, "a header");
    uint64_t size = to->size - sizeof(uint64_t);
    if (size > VV_SAFETENSORS_MOST_HEADER)
        return vv_fail(error, VARVE_LIMIT,
            "%s: header: expected at most %d bytes, found %" PRIu64,
            out->target->path, VV_SAFETENSORS_MOST_HEADER, size);
    vv_store64(to->data, size);
    return VARVE_OK;
}

static varve_status write_tensors(struct out *out, uint32_t file,
    size_t first, size_t end, varve_error *error)
{
    size_t count;
    const struct vv_safetensors_value *values =
        vv_safetensors_values(&out->plan, &count);
    out->offset = 0;
    VV_TRY(add_header(out, &out->staging, first, end, error));
    for (size_t i = first; i < end; i++)
        VV_TRY(write_value(out, file, &values[i], error));
    return flush(out, file, error);
}

/* --- The index ---------------------------------------------------------- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* As Python's json.dumps writes it with an indent of 2 and sorted keys. */
static varve_status write_index(
    struct out *out, uint32_t file, varve_error *error)
{
    size_t count;
    uint64_t total = 0;
    struct vv_buffer *to = &out->staging;
    struct vv_safetensors_value *values =
        vv_safetensors_values(&out->plan, &count);
    for (size_t i = 0; i < count; i++)
        total += values[i].size;
    vv_safetensors_sort_names(&out->plan);
    to->size = 0;
    out->offset = 0;
    vv_buffer_add_string(to, "{\n  \"metadata\": {\n    \"total_size\": ");
    vv_json_add_number(to, total);
    vv_buffer_add_string(to, "\n  },\n  \"weight_map\": {");
    for (size_t i = 0; i < count; i++) {
        const char *path = out->files[values[i].shard].path;
        vv_buffer_add_string(to, i == 0 ? "\n    " : ",\n    ");
        vv_json_add_ascii(to, values[i].name, values[i].name_size);
        vv_buffer_add_string(to, ": ");
        vv_json_add_ascii(to, last_part(path), strlen(last_part(path)));
    }
    vv_buffer_add_string(to, count ? "\n  }\n}\n" : "}\n}\n");
    return flush(out, file, error);
}

/* --- The files ---------------------------------------------------------- */

static bool ends_with(const char *text, const char *ending)
{
    size_t size = strlen(text), ending_size = strlen(ending);
    return size >= ending_size &&
           strcmp(text + size - ending_size, ending) == 0;
}

static void set_names(struct out *out)
{
    const char *path = out->target->path;
    bool is_index = ends_with(path, index_suffix);
    size_t ending = is_index                  ? sizeof index_suffix - 1
                    : ends_with(path, suffix) ? sizeof suffix - 1
                                              : 0;
    out->stem_size = (int)(strlen(path) - ending);
    out->has_index = is_index || out->plan.shard_count > 1;
    out->file_count = out->plan.shard_count + out->has_index;
}

static void set_path(const struct out *out, uint32_t file)
{
    struct vv_buffer *path = &out->paths[file];
    char middle[64];
    if (!out->has_index) {
        vv_buffer_add_string(path, out->target->path);
        return;
    }
    vv_buffer_add(path, out->target->path, (size_t)out->stem_size);
    snprintf(middle, sizeof middle, "-%05" PRIu32 "-of-%05" PRIu32, file + 1,
        out->plan.shard_count);
    bool is_index = file == out->plan.shard_count;
    vv_buffer_add_string(path, is_index ? "" : middle);
    vv_buffer_add_string(path, is_index ? index_suffix : suffix);
}

/* A single file that the index would be beside: readers look for it first. */
static varve_status check_stem(struct out *out, varve_error *error)
{
    struct vv_buffer *path = &out->staging;
    const struct vv_context *context = out->target->context;
    int file = -1;
    uint64_t size;
    if (!out->has_index)
        return VARVE_OK;
    path->size = 0;
    vv_buffer_add(path, out->target->path, (size_t)out->stem_size);
    vv_buffer_add_string(path, suffix);
    const char *text = vv_buffer_string(path);
    if (path->failed)
        return vv_fail_memory(error, "a path");
    varve_status status = vv_file_open(context, text, &file, &size, NULL);
    if (status)
        return VARVE_OK; /* what cannot be written either is told then */
    vv_file_close(context, file);
    return vv_fail(error, VARVE_EXISTS,
        "%s: expected no single file beside the index of several, found one; "
        "remove it first", text);
}

static varve_status begin(struct out *out, varve_error *error)
{
    const varve_allocator *a = &out->target->context->allocator;
    size_t count = out->file_count;
    VV_TRY(check_stem(out, error));
    out->files = vv_allocate_array(a, count, sizeof *out->files);
    out->paths = vv_allocate_array(a, count, sizeof *out->paths);
    if (!out->files || !out->paths)
        return vv_fail_memory(error, "the files of a checkpoint");
    for (uint32_t i = 0; i < count; i++)
        vv_buffer_init(&out->paths[i], a);
    return VARVE_OK;
}

/* So far all files are, or will be, in place. */
static bool is_good(varve_status status)
{
    return !status || status == VARVE_UNKNOWN_OUTCOME;
}

/* Publishes, or gives up, what was begun and not ended yet, in order. Whether a
 * name survives a power cut does not keep the next from appearing. */
static varve_status end_files(
    struct out *out, varve_status status, varve_error *error)
{
    varve_status result = status;
    for (; out->ended < out->begun; out->ended++) {
        bool was_good = is_good(result);
        varve_error later;
        varve_status ended = vv_publish_end(&out->files[out->ended],
            was_good ? VARVE_OK : result, &later);
        if (!was_good || !ended || (result && is_good(ended)))
            continue;
        result = ended;
        if (error)
            *error = later;
    }
    return result;
}

static varve_status write_file(
    struct out *out, uint32_t file, size_t *next, varve_error *error)
{
    size_t count;
    const struct vv_safetensors_value *values =
        vv_safetensors_values(&out->plan, &count);
    size_t first = *next;
    while (*next < count && values[*next].shard == file)
        ++*next;
    set_path(out, file);
    const char *path = vv_buffer_string(&out->paths[file]);
    if (out->paths[file].failed)
        return vv_fail_memory(error, "a path");
    VV_TRY(vv_publish_begin(&out->files[file], out->target->context, path,
        out->target->flags, error));
    out->begun++;
    return file < out->plan.shard_count
               ? write_tensors(out, file, first, *next, error)
               : write_index(out, file, error);
}

static varve_status write_files(struct out *out, varve_error *error)
{
    size_t next = 0;
    varve_status status = begin(out, error);
    for (uint32_t i = 0; i < out->file_count && is_good(status); i++) {
        varve_status written = write_file(out, i, &next, error);
        status = written ? written : status;
        if (out->file_count > VV_SAFETENSORS_HELD)
            status = end_files(out, status, error);
    }
    return end_files(out, status, error);
}

static void clear(struct out *out)
{
    const varve_allocator *a = &out->target->context->allocator;
    for (uint32_t i = 0; out->paths && out->files && i < out->file_count; i++)
        vv_buffer_clear(&out->paths[i]);
    vv_release(a, out->paths, out->file_count * sizeof *out->paths);
    vv_release(a, out->files, out->file_count * sizeof *out->files);
    vv_buffer_clear(&out->staging);
    vv_safetensors_plan_end(&out->plan);
}

static varve_status write(const struct vv_target *target, varve_error *error)
{
    struct out out = { .target = target };
    vv_buffer_init(&out.staging, &target->context->allocator);
    varve_status status = vv_safetensors_plan_begin(&out.plan, target, error);
    if (!status) {
        set_names(&out);
        status = write_files(&out, error);
    }
    clear(&out);
    return status;
}

const struct vv_target_format vv_safetensors_target = {
    .format = VARVE_FORMAT_SAFETENSORS,
    .write = write,
};
