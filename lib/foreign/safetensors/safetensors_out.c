/* safetensors_out.c - Writes headers, data, and the index of several files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "safetensors_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "file_set.h"
#include "json_out.h"
#include "name.h"
#include "safetensors_header.h"
#include "safetensors_in.h"
#include "safetensors_plan.h"
#include "target.h"
#include "try.h"

enum { HEADER_ALIGNMENT = 8 };

static const char suffix[] = ".safetensors";
static const char index_suffix[] = ".safetensors.index.json";

/* Precedes the number of a save that is not the first with its name. */
static const char infix[] = ".save";

struct out {
    const struct vv_target *target;
    struct vv_safetensors_plan plan;
    size_t stem_size; /* size of the target's path without suffix */
    bool has_index;
    char *stem;              /* last part of the path without suffix */
    struct vv_file_set set;  /* if there is an index */
    struct vv_buffer *paths; /* of the data files; plan.shard_count */
    struct vv_buffer index_path;
    struct vv_publication single; /* if there is no index */
    struct vv_value_out values;
};

/* --- The header --------------------------------------------------------- */

static void safetensors_out_add_metadata(struct out *out, struct vv_buffer *to)
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

static void safetensors_out_add_tensor(struct out *out, struct vv_buffer *to,
    const struct vv_safetensors_value *value, uint64_t begin)
{
    const struct vv_index *index = out->target->index;
    struct vv_safetensors_info kept;
    varve_tensor tensor =
        vv_index_tensor(index, out->target->table, value->value);
    if (vv_safetensors_kept_of(
            out->target, vv_at32(index->value_nodes, value->value), &kept))
        tensor = kept.type;
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

/* Builds the header of the values from `first` to `end`, which are in one file,
 * preceded by its size. */
static varve_status safetensors_out_add_header(struct out *out,
    struct vv_buffer *to, size_t first, size_t end, varve_error *error)
{
    size_t count;
    uint64_t offset = 0;
    const struct vv_safetensors_value *values =
        vv_safetensors_values(&out->plan, &count);
    to->size = 0;
    vv_buffer_add64(to, 0);
    vv_buffer_add8(to, '{');
    safetensors_out_add_metadata(out, to);
    for (size_t i = first; i < end; i++) {
        if (to->size > sizeof(uint64_t) + 1)
            vv_buffer_add8(to, ',');
        safetensors_out_add_tensor(out, to, &values[i], offset);
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
            "%s: the header is too large: the limit is %d bytes, it has "
            "%" PRIu64,
            out->target->path, VV_SAFETENSORS_MOST_HEADER, size);
    vv_store64(to->data, size);
    return VARVE_OK;
}

/* Writes the tensors of one file, beginning with *next. */
static varve_status write_tensors(
    struct out *out, uint32_t file, size_t *next, varve_error *error)
{
    size_t count, first = *next;
    const struct vv_safetensors_value *values =
        vv_safetensors_values(&out->plan, &count);
    while (*next < count && values[*next].shard == file)
        ++*next;
    out->values.offset = 0;
    VV_TRY(safetensors_out_add_header(
        out, &out->values.staged, first, *next, error));
    for (size_t i = first; i < *next; i++)
        VV_TRY(vv_value_out_add(
            &out->values, values[i].value, values[i].size, error));
    return vv_value_out_flush(&out->values, error);
}

/* --- The index ---------------------------------------------------------- */

/* The format is that of Python's json.dumps with an indent of 2 and sorted
 * keys. */
static varve_status safetensors_out_write_index(
    struct out *out, varve_error *error)
{
    size_t count;
    uint64_t total = 0;
    struct vv_buffer *to = &out->values.staged;
    struct vv_safetensors_value *values =
        vv_safetensors_values(&out->plan, &count);
    for (size_t i = 0; i < count; i++)
        total += values[i].size;
    vv_safetensors_sort_names(&out->plan);
    to->size = 0;
    vv_buffer_add_string(to, "{\n  \"metadata\": {\n    \"total_size\": ");
    vv_json_add_number(to, total);
    vv_buffer_add_string(to, "\n  },\n  \"weight_map\": {");
    for (size_t i = 0; i < count; i++) {
        const char *name =
            vv_path_name((char *)out->paths[values[i].shard].data);
        vv_buffer_add_string(to, i == 0 ? "\n    " : ",\n    ");
        vv_json_add_ascii(to, values[i].name, values[i].name_size);
        vv_buffer_add_string(to, ": ");
        vv_json_add_ascii(to, name, strlen(name));
    }
    vv_buffer_add_string(to, count ? "\n  }\n}\n" : "}\n}\n");
    vv_safetensors_sort_places(&out->plan);
    if (to->failed)
        return vv_fail_memory(error, "an index");
    return vv_file_set_index(&out->set, to->data, to->size, error);
}

/* --- Names -------------------------------------------------------------- */

/* Returns the number of the save of several files to which a file name belongs,
 * 1 for a name without a number, or 0 for other names. */
static uint64_t save_of(const char *stem, const char *name)
{
    size_t size = strlen(stem), ending = sizeof infix - 1;
    uint64_t save = 1, count;
    if (strncmp(name, stem, size) != 0)
        return 0;
    name += size;
    if (strncmp(name, infix, ending) == 0) {
        size_t digits = strspn(name + ending, "0123456789");
        if (!vv_parse_decimal(name + ending, digits, &save) || save < 2)
            return 0;
        name += ending + digits;
    }
    name = *name == '-' ? vv_behind_shard_number(name + 1, &count) : NULL;
    return name && strcmp(name, suffix) == 0 ? save : 0;
}

static bool safetensors_out_is_data(
    const struct vv_file_set *set, const char *name)
{
    return save_of(set->stem, name) > 0;
}

static bool safetensors_out_is_in(
    const struct vv_buffer *text, const struct vv_buffer *part)
{
    for (size_t at = 0; at + part->size <= text->size; at++) {
        const unsigned char *found = memchr(
            text->data + at, part->data[0], text->size - part->size - at + 1);
        if (!found)
            return false;
        if (memcmp(found, part->data, part->size) == 0)
            return true;
        at = (size_t)(found - text->data);
    }
    return false;
}

/* Searches the name in quotes anywhere in the index. If the text occurs
 * elsewhere, the worst result is that a file is not deleted. */
static enum vv_named safetensors_out_is_named(const struct vv_file_set *set,
    const struct vv_buffer *index, const char *name)
{
    struct vv_buffer ascii, plain;
    vv_buffer_init(&ascii, &set->context->allocator);
    vv_buffer_init(&plain, &set->context->allocator);
    vv_json_add_ascii(&ascii, name, strlen(name));
    vv_json_add_string(&plain, name, strlen(name));
    enum vv_named found = ascii.failed || plain.failed ? VV_NAME_MEMORY
                          : safetensors_out_is_in(index, &ascii) ||
                                  safetensors_out_is_in(index, &plain)
                              ? VV_NAMED
                              : VV_NOT_NAMED;
    vv_buffer_clear(&ascii);
    vv_buffer_clear(&plain);
    return found;
}

static const struct vv_file_set_names names = { safetensors_out_is_data,
    safetensors_out_is_named };

struct newest {
    const char *stem;
    uint64_t save;
};

static int look_for_newest(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    struct newest *newest = user;
    uint64_t save = save_of(newest->stem, name);
    if (save > newest->save)
        newest->save = save;
    return 0;
}

static varve_status set_paths(struct out *out, varve_error *error)
{
    struct newest newest = { out->stem, 0 };
    vv_file_set_each(&out->set, look_for_newest, &newest);
    for (uint32_t i = 0; i < out->plan.shard_count; i++) {
        struct vv_buffer *path = &out->paths[i];
        char part[80], number[24] = "";
        if (newest.save > 0)
            snprintf(
                number, sizeof number, "%s%" PRIu64, infix, newest.save + 1);
        snprintf(part, sizeof part, "%s-%05" PRIu32 "-of-%05" PRIu32 "%s",
            number, i + 1, out->plan.shard_count, suffix);
        vv_buffer_add(path, out->target->path, out->stem_size);
        vv_buffer_add_string(path, part);
        vv_buffer_string(path);
        if (path->failed)
            return vv_fail_memory(error, "a path");
    }
    return VARVE_OK;
}

/* Fails if there is a single file beside the index of several, or an index
 * beside a single file, because readers differ in which of the two they
 * open. */
static varve_status check_stem(struct out *out, varve_error *error)
{
    struct vv_buffer *path = &out->values.staged;
    const struct vv_context *context = out->target->context;
    int file = -1;
    uint64_t size;
    path->size = 0;
    vv_buffer_add(path, out->target->path, out->stem_size);
    vv_buffer_add_string(path, out->has_index ? suffix : index_suffix);
    const char *text = vv_buffer_string(path);
    if (path->failed)
        return vv_fail_memory(error, "a path");
    varve_status status = vv_file_open(context, text, &file, &size, NULL);
    if (status)
        return VARVE_OK; /* if it exists but cannot be opened, writing will fail
                            as well */
    vv_file_close(context, file);
    return vv_fail(error, VARVE_EXISTS,
        "%s: %s of the same name exists, which readers could open instead: "
        "remove it first",
        text, out->has_index ? "a single file" : "an index");
}

/* --- The files ---------------------------------------------------------- */

static varve_status write_several(struct out *out, varve_error *error)
{
    size_t next = 0;
    VV_TRY(set_paths(out, error));
    VV_TRY(safetensors_out_write_index(out, error));
    for (uint32_t i = 0; i < out->plan.shard_count; i++) {
        const char *path = (char *)out->paths[i].data;
        VV_TRY(vv_file_set_add(&out->set, path, error));
        out->values.file = &out->set.files[i];
        VV_TRY(write_tensors(out, i, &next, error));
        VV_TRY(vv_file_set_name(&out->set, i, path, error));
    }
    return VARVE_OK;
}

/* Also allocates the paths of the data files. */
static varve_status write_set(struct out *out, varve_error *error)
{
    const struct vv_target *target = out->target;
    const varve_allocator *a = &target->context->allocator;
    uint32_t count = out->plan.shard_count;
    struct vv_buffer *path = &out->index_path;
    vv_buffer_add(path, target->path, out->stem_size);
    out->stem = vv_copy_string(a, vv_path_name(vv_buffer_string(path)));
    vv_buffer_add_string(path, index_suffix);
    const char *index = vv_buffer_string(path);
    out->paths = vv_allocate_array(a, count, sizeof *out->paths);
    for (uint32_t i = 0; out->paths && i < count; i++)
        vv_buffer_init(&out->paths[i], a);
    if (path->failed || !out->stem || !out->paths)
        return vv_fail_memory(error, "the files of a checkpoint");
    VV_TRY(vv_file_set_begin(&out->set, target->context, index, out->stem,
        &names, target->flags, error));
    varve_status status =
        vv_target_finish(target, write_several(out, error), error);
    return vv_file_set_end(&out->set, status, error);
}

static varve_status write_single(struct out *out, varve_error *error)
{
    const struct vv_target *target = out->target;
    size_t next = 0;
    VV_TRY(vv_publish_begin(
        &out->single, target->context, target->path, target->flags, error));
    out->values.file = &out->single;
    varve_status status =
        vv_target_finish(target, write_tensors(out, 0, &next, error), error);
    return vv_publish_end(&out->single, status, error);
}

static varve_status write_files(struct out *out, varve_error *error)
{
    const char *path = out->target->path;
    bool is_index = vv_text_ends_in(path, strlen(path), index_suffix);
    size_t ending = is_index ? sizeof index_suffix - 1
                    : vv_text_ends_in(path, strlen(path), suffix)
                        ? sizeof suffix - 1
                        : 0;
    out->stem_size = strlen(path) - ending;
    out->has_index = is_index || out->plan.shard_count > 1;
    VV_TRY(check_stem(out, error));
    return out->has_index ? write_set(out, error) : write_single(out, error);
}

static void safetensors_out_clear(struct out *out)
{
    const varve_allocator *a = &out->target->context->allocator;
    uint32_t count = out->plan.shard_count;
    for (uint32_t i = 0; out->paths && i < count; i++)
        vv_buffer_clear(&out->paths[i]);
    vv_release(a, out->paths, count * sizeof *out->paths);
    vv_release_string(a, out->stem);
    vv_buffer_clear(&out->index_path);
    vv_value_out_clear(&out->values);
    vv_safetensors_plan_end(&out->plan);
}

static varve_status write(const struct vv_target *target, varve_error *error)
{
    struct out out = { .target = target };
    vv_value_out_init(&out.values, target);
    vv_buffer_init(&out.index_path, &target->context->allocator);
    varve_status status = vv_safetensors_plan_begin(&out.plan, target, error);
    if (!status)
        status = write_files(&out, error);
    safetensors_out_clear(&out);
    return status;
}

const struct vv_target_format vv_safetensors_target = {
    .format = VARVE_FORMAT_SAFETENSORS,
    .write = write,
};
