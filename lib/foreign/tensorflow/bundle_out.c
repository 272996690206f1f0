/* bundle_out.c - Writes data immediately and collects an entry for each value;
 * the entries are sorted at the end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "bundle.h"
#include "bytes.h"
#include "crc.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "table_in.h"
#include "table_out.h"
#include "try.h"
#include "wire.h"

/* --- Files ---------------------------------------------------------------- */

enum { STAGING_SIZE = 256 * 1024 };

static const char suffix[] = ".index";

/* --- Names ---------------------------------------------------------------- */

/* Returns the size of the prefix in a path: the path without `.index`, if it
 * ends in that. */
static size_t prefix_size(const char *path)
{
    size_t size = strlen(path), end = sizeof suffix - 1;
    size_t name_size = strlen(vv_path_name(path));
    if (name_size > end && strcmp(path + size - end, suffix) == 0)
        return size - end;
    return size;
}

/* Returns `size` bytes of `text` followed by `more`, or NULL without memory. */
static char *bundle_files_join(
    const varve_allocator *a, const char *text, size_t size, const char *more)
{
    size_t more_size = strlen(more);
    char *joined = vv_allocate(a, size + more_size + 1);
    if (joined) {
        memcpy(joined, text, size);
        memcpy(joined + size, more, more_size + 1);
    }
    return joined;
}

static varve_status name_files(
    struct vv_bundle_files *files, const char *path, varve_error *error)
{
    const varve_allocator *a = &files->context->allocator;
    size_t size = prefix_size(path);
    files->prefix = bundle_files_join(a, path, size, "");
    files->index_path = bundle_files_join(a, path, size, suffix);
    files->staging = vv_allocate(a, STAGING_SIZE);
    if (!files->prefix || !files->index_path || !files->staging)
        return vv_fail_memory(error, "the names of the files to write");
    return VARVE_OK;
}

/* Returns the path of data file `number`. `count` is 0 if the number of files
 * is not known yet. */
static char *shard_path(
    const struct vv_bundle_files *files, size_t number, size_t count)
{
    char more[64];
    if (count)
        snprintf(more, sizeof more, ".data-%05zu-of-%05zu", number, count);
    else
        snprintf(more, sizeof more, ".data-%05zu", number);
    return bundle_files_join(
        &files->context->allocator, files->prefix, strlen(files->prefix), more);
}

static void bundle_files_clear(struct vv_bundle_files *files)
{
    const varve_allocator *a = &files->context->allocator;
    for (size_t i = 0; i < files->count; i++) {
        vv_release_string(a, files->shards[i].first_path);
        vv_release_string(a, files->shards[i].path);
    }
    vv_release(a, files->shards, files->capacity * sizeof *files->shards);
    vv_release_string(a, files->prefix);
    vv_release_string(a, files->index_path);
    vv_release(a, files->staging, STAGING_SIZE);
}

/* Returns true if a name has the form `STEM.data-SSSSS-of-NNNNN`. Sets *count
 * to N. */
static bool is_data_of(const char *stem, const char *name, uint64_t *count)
{
    static const char middle[] = ".data-";
    size_t size = strlen(stem);
    if (strncmp(name, stem, size) != 0 ||
        strncmp(name + size, middle, sizeof middle - 1) != 0)
        return false;
    name = vv_behind_shard_number(name + size + sizeof middle - 1, count);
    return name && !*name;
}

static bool bundle_files_is_data(
    const struct vv_file_set *set, const char *name)
{
    uint64_t count;
    return is_data_of(set->stem, name, &count);
}

/* Reads the first entry of an index and stops there. */
static varve_status bundle_files_take_header(void *user,
    const unsigned char *key, size_t key_size, const unsigned char *value,
    size_t value_size, varve_error *error)
{
    uint64_t *count = user;
    struct vv_wire wire = {
        .path = "", .bytes = value, .size = value_size, .error = error
    };
    struct vv_wire_field f;
    (void)key;
    while (key_size == 0 && vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number == VV_HEADER_SHARD_COUNT)
            *count = f.value;
    }
    return VARVE_CANCELLED;
}

static enum vv_named bundle_files_is_named(const struct vv_file_set *set,
    const struct vv_buffer *index, const char *name)
{
    struct vv_table_in table = { set->context, set->index.path, index->data,
        index->size };
    uint64_t said = 0, count = 0;
    varve_error error;
    if (vv_table_each(&table, bundle_files_take_header, &said, &error) ==
        VARVE_NO_MEMORY)
        return VV_NAME_MEMORY;
    if (said == 0)
        return VV_MAY_BE_NAMED;
    bool is_its = is_data_of(set->stem, name, &count) && count == said;
    return is_its ? VV_NAMED : VV_NOT_NAMED;
}

static const struct vv_file_set_names names = { bundle_files_is_data,
    bundle_files_is_named };

/* --- Writing -------------------------------------------------------------- */

varve_status vv_bundle_files_begin(struct vv_bundle_files *files,
    const struct vv_context *context, const char *path, int flags,
    varve_error *error)
{
    *files = (struct vv_bundle_files){ .context = context };
    if (*path && !*vv_path_name(path))
        return vv_fail(error, VARVE_IS_DIRECTORY,
            "%s: the path is a directory: append the prefix of the files",
            path);
    varve_status status = VARVE_NOT_FOUND;
    if (*path)
        status = name_files(files, path, error);
    else
        vv_fail(error, status, "\"\": the prefix of the files is empty");
    if (!status)
        status = vv_file_set_begin(&files->set, context, files->index_path,
            vv_path_name(files->prefix), &names, flags, error);
    if (status)
        bundle_files_clear(files);
    return status;
}

static varve_status bundle_files_flush(
    struct vv_bundle_files *files, varve_error *error)
{
    if (files->staged == 0)
        return VARVE_OK;
    const struct vv_bundle_shard *shard = &files->shards[files->count - 1];
    const struct vv_publication *p = &files->set.files[files->count - 1];
    size_t size = files->staged;
    files->staged = 0;
    return vv_file_write(files->context, p->file, p->path, files->staging, size,
        shard->size - size, error);
}

varve_status vv_bundle_files_shard(
    struct vv_bundle_files *files, varve_error *error)
{
    const varve_allocator *a = &files->context->allocator;
    VV_TRY(bundle_files_flush(files, error));
    if (!vv_grow_array(a, &files->shards, &files->capacity, files->count,
            sizeof *files->shards))
        return vv_fail_memory(error, "another data file");
    struct vv_bundle_shard *shard = &files->shards[files->count];
    *shard = (struct vv_bundle_shard){
        .first_path = shard_path(files, files->count, 0),
    };
    if (!shard->first_path)
        return vv_fail_memory(error, "the name of a data file");
    varve_status status =
        vv_file_set_add(&files->set, shard->first_path, error);
    if (status)
        vv_release_string(a, shard->first_path);
    else
        files->count++;
    return status;
}

varve_status vv_bundle_files_write(struct vv_bundle_files *files,
    const void *bytes, size_t size, varve_error *error)
{
    struct vv_bundle_shard *shard = &files->shards[files->count - 1];
    if (size == 0)
        return VARVE_OK;
    if (size > STAGING_SIZE - files->staged)
        VV_TRY(bundle_files_flush(files, error));
    if (size > STAGING_SIZE) {
        const struct vv_publication *p = &files->set.files[files->count - 1];
        VV_TRY(vv_file_write(
            files->context, p->file, p->path, bytes, size, shard->size, error));
    } else {
        memcpy(files->staging + files->staged, bytes, size);
        files->staged += size;
    }
    shard->size += size;
    return VARVE_OK;
}

/* --- Commit --------------------------------------------------------------- */

struct search {
    const char *stem;
    size_t count;
    bool is_taken;
};

static int look_for_count(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    struct search *search = user;
    uint64_t count;
    search->is_taken =
        is_data_of(search->stem, name, &count) && count == search->count;
    return search->is_taken;
}

size_t vv_bundle_files_count(struct vv_bundle_files *files)
{
    struct search search = { files->set.stem, files->count ? files->count : 1,
        false };
    vv_file_set_each(&files->set, look_for_count, &search);
    while (search.is_taken) {
        search.count++;
        search.is_taken = false;
        vv_file_set_each(&files->set, look_for_count, &search);
    }
    files->named_count = search.count;
    return search.count;
}

static varve_status name_shard(
    struct vv_bundle_files *files, size_t number, varve_error *error)
{
    struct vv_bundle_shard *shard = &files->shards[number];
    shard->path = shard_path(files, number, files->named_count);
    if (!shard->path)
        return vv_fail_memory(error, "the name of a data file");
    return vv_file_set_name(&files->set, number, shard->path, error);
}

static varve_status bundle_files_finish(struct vv_bundle_files *files,
    const struct vv_buffer *index, varve_error *error)
{
    VV_TRY(bundle_files_flush(files, error));
    if (files->named_count == 0)
        vv_bundle_files_count(files);
    while (files->count < files->named_count)
        VV_TRY(vv_bundle_files_shard(files, error));
    VV_TRY(vv_file_set_index(&files->set, index->data, index->size, error));
    for (size_t i = 0; i < files->count; i++)
        VV_TRY(name_shard(files, i, error));
    return VARVE_OK;
}

varve_status vv_bundle_files_end(struct vv_bundle_files *files,
    const struct vv_buffer *index, varve_status status, varve_error *error)
{
    if (!status)
        status = bundle_files_finish(files, index, error);
    status = vv_file_set_end(&files->set, status, error);
    bundle_files_clear(files);
    return status;
}

/* --- Values: data --------------------------------------------------------- */

/* Encodes the lengths of strings and their CRC, which covers each length as 32
 * bits, or as 64 bits if it needs more. Returns false without memory. */
static bool encode_lengths(
    struct vv_buffer *to, const struct vv_bundle_value *value, uint32_t *sum)
{
    uint64_t count = varve_tensor_count(&value->type);
    to->size = 0;
    *sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        unsigned char fixed[8];
        uint64_t length = vv_load64(value->lengths + 8 * i);
        vv_store64(fixed, length);
        *sum = vv_crc32c(*sum, fixed, length > UINT32_MAX ? 8 : 4);
        vv_wire_varint(to, length);
    }
    unsigned char masked[4];
    vv_store32(masked, vv_crc32c_mask(*sum));
    *sum = vv_crc32c(*sum, masked, sizeof masked);
    vv_buffer_add(to, masked, sizeof masked);
    return !to->failed;
}

/* A variant is stored as its length, its bytes and the CRC of everything
 * before. The running CRC covers these parts too, and the length as 64 bits. */
bool vv_bundle_sum_variants(
    const unsigned char *bytes, uint64_t size, uint64_t count, uint32_t *sum)
{
    const unsigned char *end = bytes + size;
    *sum = 0;
    while (count-- > 0) {
        unsigned char fixed[8];
        uint64_t length;
        bytes = vv_take_varint(bytes, end, &length);
        if (!bytes || end - bytes < 4 || length > (uint64_t)(end - bytes) - 4)
            return false;
        vv_store64(fixed, length);
        *sum = vv_crc32c(*sum, fixed, sizeof fixed);
        *sum = vv_crc32c(*sum, bytes, (size_t)length + 4);
        bytes += length + 4;
    }
    return bytes == end;
}

static uint32_t sum_of(const struct vv_bundle_value *value, uint32_t before)
{
    uint32_t sum;
    if (value->number == VV_BUNDLE_VARIANT &&
        vv_bundle_sum_variants(
            value->bytes, value->size, varve_tensor_count(&value->type), &sum))
        return sum;
    return vv_crc32c(before, value->bytes, (size_t)value->size);
}

/* Begins another data file if the current one would become too large. An empty
 * file takes a value of any size. */
static varve_status choose_shard(
    struct vv_bundle_out *out, uint64_t size, varve_error *error)
{
    const struct vv_bundle_files *files = &out->files;
    uint64_t before = files->shards[files->count - 1].size;
    if (out->shard_size == 0 || before == 0 ||
        (before <= out->shard_size && size <= out->shard_size - before))
        return VARVE_OK;
    return vv_bundle_files_shard(&out->files, error);
}

/* The fields of an entry other than type and shape. */
struct extent {
    uint64_t shard, offset, size;
    uint32_t sum;
};

static varve_status write_data(struct vv_bundle_out *out,
    const struct vv_bundle_value *value, struct extent *extent,
    varve_error *error)
{
    bool is_string = value->type.dtype == VARVE_STRING;
    uint32_t sum = 0;
    out->varints.size = 0;
    if (is_string && !encode_lengths(&out->varints, value, &sum))
        return vv_fail_memory(error, "the lengths of strings");
    uint64_t size = out->varints.size + value->size;
    VV_TRY(choose_shard(out, size, error));
    *extent = (struct extent){
        .shard = out->files.count - 1,
        .offset = out->files.shards[out->files.count - 1].size,
        .size = size,
        .sum = vv_crc32c_mask(sum_of(value, sum)),
    };
    VV_TRY(vv_bundle_files_write(
        &out->files, out->varints.data, out->varints.size, error));
    return vv_bundle_files_write(
        &out->files, value->bytes, (size_t)value->size, error);
}

/* --- Entries ------------------------------------------------------------- */

static void bundle_out_add_shape(struct vv_buffer *b, const varve_tensor *type)
{
    size_t shape = vv_wire_begin(b, VV_ENTRY_SHAPE);
    for (uint32_t i = 0; i < type->rank; i++) {
        size_t dim = vv_wire_begin(b, VV_SHAPE_DIM);
        vv_wire_number(b, VV_DIM_SIZE, type->shape[i]);
        vv_wire_end(b, dim);
    }
    vv_wire_end(b, shape);
}

static void bundle_out_add_entry(struct vv_buffer *b,
    const struct vv_bundle_value *value, const struct extent *extent)
{
    vv_wire_number(b, VV_ENTRY_DTYPE,
        value->number ? value->number
                      : vv_bundle_dtype_number(value->type.dtype));
    bundle_out_add_shape(b, &value->type);
    vv_wire_number(b, VV_ENTRY_SHARD, extent->shard);
    vv_wire_number(b, VV_ENTRY_OFFSET, extent->offset);
    vv_wire_number(b, VV_ENTRY_SIZE, extent->size);
    vv_wire_fixed32(b, VV_ENTRY_SUM, extent->sum);
}

static varve_status bundle_out_check_shape(const struct vv_bundle_out *out,
    const struct vv_bundle_value *value, varve_error *error)
{
    for (uint32_t i = 0; i < value->type.rank; i++) {
        if (value->type.shape[i] > INT64_MAX)
            return vv_fail(error, VARVE_LIMIT,
                "%.300s: %.*s: extents must be less than 2^63, not %" PRIu64,
                out->path, value->key_size < 500 ? (int)value->key_size : 500,
                value->key, value->type.shape[i]);
    }
    return VARVE_OK;
}

varve_status vv_bundle_out_add(struct vv_bundle_out *out,
    const struct vv_bundle_value *value, varve_error *error)
{
    struct extent extent = { 0 };
    VV_TRY(bundle_out_check_shape(out, value, error));
    VV_TRY(write_data(out, value, &extent, error));
    if (!vv_grow_array(out->texts.allocator, &out->records, &out->capacity,
            out->count, sizeof *out->records))
        return vv_fail_memory(error, "the index");
    struct vv_bundle_record *record = &out->records[out->count++];
    struct vv_buffer *texts = &out->texts;
    *record = (struct vv_bundle_record){ .key = texts->size,
        .key_size = value->key_size };
    vv_buffer_add(texts, value->key, value->key_size);
    record->entry = texts->size;
    bundle_out_add_entry(texts, value, &extent);
    record->entry_size = texts->size - record->entry;
    return texts->failed ? vv_fail_memory(error, "the index") : VARVE_OK;
}

/* --- Begin and end ------------------------------------------------------- */

varve_status vv_bundle_out_begin(struct vv_bundle_out *out,
    const struct vv_context *context, const char *path, int flags,
    uint64_t shard_size, varve_error *error)
{
    *out = (struct vv_bundle_out){ .path = path, .shard_size = shard_size };
    VV_TRY(vv_bundle_files_begin(&out->files, context, path, flags, error));
    vv_buffer_init(&out->texts, &context->allocator);
    vv_buffer_init(&out->varints, &context->allocator);
    varve_status status = vv_bundle_files_shard(&out->files, error);
    if (status)
        vv_bundle_files_end(&out->files, NULL, status, error);
    return status;
}

static int bundle_out_compare(const void *a, const void *b)
{
    const struct vv_bundle_record *x = a, *y = b;
    size_t size = x->key_size < y->key_size ? x->key_size : y->key_size;
    int order = memcmp(x->texts + x->key, y->texts + y->key, size);
    return order ? order
                 : (x->key_size > y->key_size) - (x->key_size < y->key_size);
}

static varve_status sort_records(struct vv_bundle_out *out, varve_error *error)
{
    for (size_t i = 0; i < out->count; i++)
        out->records[i].texts = out->texts.data;
    if (out->count)
        qsort(
            out->records, out->count, sizeof *out->records, bundle_out_compare);
    for (size_t i = 1; i < out->count; i++) {
        const struct vv_bundle_record *record = &out->records[i];
        if (bundle_out_compare(record - 1, record) == 0)
            return vv_fail(error, VARVE_DUPLICATE,
                "%.300s: two values have the key \"%.*s\"", out->path,
                record->key_size < 500 ? (int)record->key_size : 500,
                (const char *)record->texts + record->key);
    }
    return VARVE_OK;
}

/* Adds the header under the empty key, which sorts first. */
static void bundle_out_add_header(
    struct vv_table_out *table, struct vv_buffer *b, size_t shard_count)
{
    b->size = 0;
    vv_wire_number(b, VV_HEADER_SHARD_COUNT, shard_count);
    vv_wire_number(b, VV_HEADER_ENDIANNESS, VV_BUNDLE_LITTLE_ENDIAN);
    size_t version = vv_wire_begin(b, VV_HEADER_VERSION);
    vv_wire_number(b, VV_VERSION_PRODUCER, VV_BUNDLE_VERSION);
    vv_wire_end(b, version);
    vv_table_out_add(table, "", 0, b->data, b->size);
    table->bytes.failed |= b->failed;
}

static varve_status build_index(
    struct vv_bundle_out *out, struct vv_table_out *table, varve_error *error)
{
    VV_TRY(sort_records(out, error));
    bundle_out_add_header(
        table, &out->varints, vv_bundle_files_count(&out->files));
    for (size_t i = 0; i < out->count; i++) {
        const struct vv_bundle_record *record = &out->records[i];
        vv_table_out_add(table, record->texts + record->key, record->key_size,
            record->texts + record->entry, record->entry_size);
    }
    return vv_table_out_end(table) ? VARVE_OK
                                   : vv_fail_memory(error, "the index");
}

varve_status vv_bundle_out_end(
    struct vv_bundle_out *out, varve_status status, varve_error *error)
{
    struct vv_table_out table;
    vv_table_out_begin(&table, out->texts.allocator);
    if (!status)
        status = build_index(out, &table, error);
    status = vv_bundle_files_end(&out->files, &table.bytes, status, error);
    vv_table_out_clear(&table);
    vv_release(out->texts.allocator, out->records,
        out->capacity * sizeof *out->records);
    vv_buffer_clear(&out->texts);
    vv_buffer_clear(&out->varints);
    return status;
}
