/* record_file.c - Opens and closes a file of records, and stores its offsets.
 *
 * SPDX-License-Identifier: MIT
 */
#include "record_file.h"

#include <inttypes.h>

#include "allocator.h"
#include "bytes.h"
#include "failure.h"
#include "file.h"
#include "state.h"
#include "system.h"
#include "try.h"

struct vv_record_file *vv_record_file_open(
    const struct vv_context *context, const char *path, varve_error *error)
{
    if (!path) {
        vv_fail(error, VARVE_MISUSE, "records: path is NULL");
        return NULL;
    }
    struct vv_record_file *file =
        vv_allocate_zeroed(&context->allocator, sizeof *file);
    if (!file) {
        vv_fail_memory(error, "opening a file of records");
        return NULL;
    }
    file->context = *context;
    file->file = -1;
    file->path = vv_copy_string(&context->allocator, path);
    struct vv_file_info info = { .size = 0 };
    varve_status status = VARVE_OK;
    if (!file->path)
        status = vv_fail_memory(error, "opening a file of records");
    else
        status = vv_file_open_info(context, path, &file->file, &info, error);
    file->size = info.size;
    file->modified = info.modified;
    file->checked = context->system->uptime(context->system->state);
    if (status) {
        vv_record_file_close(file);
        return NULL;
    }
    return file;
}

void vv_record_file_close(void *closed)
{
    struct vv_record_file *file = closed;
    if (!file)
        return;
    const varve_allocator a = file->context.allocator;
    vv_record_file_shut(file);
    vv_release(
        &a, file->offsets, file->offset_capacity * sizeof *file->offsets);
    vv_release_string(&a, file->path);
    vv_release(&a, file, sizeof *file);
}

void vv_record_file_shut(struct vv_record_file *file)
{
    vv_inflated_free(file->inflated);
    file->inflated = NULL;
    vv_file_close(&file->context, file->file);
    file->file = -1;
}

varve_status vv_record_file_compare(const struct vv_record_file *file,
    uint64_t size, int64_t modified, varve_error *error)
{
    if (size == file->size && modified == file->modified)
        return VARVE_OK;
    return vv_fail(error, VARVE_MISMATCH,
        "%s: the file has changed since its records were opened: it had "
        "%" PRIu64 " bytes, now it has %" PRIu64
        "%s: restore the file, or open the records again",
        file->path, file->size, size,
        size == file->size ? " and another modification time" : "");
}

static varve_status record_file_compare(const struct vv_record_file *file,
    const struct vv_file_info *info, varve_error *error)
{
    return vv_record_file_compare(file, info->size, info->modified, error);
}

/* Compares the file at the path. A path that is missing or inaccessible does
 * not count as a change. */
static varve_status record_file_check_path(
    const struct vv_record_file *file, varve_error *error)
{
    const struct vv_system *system = file->context.system;
    struct vv_file_info info;
    int there =
        system->open_file(system->state, VV_WORKING_DIRECTORY, file->path);
    bool is_known =
        there >= 0 && system->info(system->state, there, &info) == 0;
    vv_file_close(&file->context, there);
    return is_known ? record_file_compare(file, &info, error) : VARVE_OK;
}

varve_status vv_record_file_check(void *checked, bool must, varve_error *error)
{
    struct vv_record_file *file = checked;
    const struct vv_system *system = file->context.system;
    struct vv_file_info info;
    int64_t now = system->uptime(system->state);
    if (!must && now - file->checked < VV_CHECK_INTERVAL)
        return VARVE_OK;
    VV_TRY(vv_file_info(&file->context, file->file, file->path, &info, error));
    VV_TRY(record_file_compare(file, &info, error));
    VV_TRY(record_file_check_path(file, error));
    file->checked = now;
    return VARVE_OK;
}

varve_status vv_record_file_open_again(
    struct vv_record_file *file, varve_error *error)
{
    const struct vv_system *system = file->context.system;
    struct vv_file_info info;
    VV_TRY(vv_file_open_info(
        &file->context, file->path, &file->file, &info, error));
    file->checked = system->uptime(system->state);
    varve_status status = record_file_compare(file, &info, error);
    if (!status && file->deflation != VV_DEFLATED &&
        !vv_record_file_inflate(file, file->deflation))
        status = vv_fail_memory(error, "inflating a file of records");
    if (status)
        vv_record_file_shut(file);
    return status;
}

varve_status vv_record_file_add(
    struct vv_record_file *file, uint64_t offset, varve_error *error)
{
    if (!vv_grow_array(&file->context.allocator, &file->offsets,
            &file->offset_capacity, file->offset_count, sizeof offset))
        return vv_fail_memory(error, "the offsets of a file's records");
    file->offsets[file->offset_count++] = offset;
    return VARVE_OK;
}

uint64_t vv_record_file_count(const struct vv_record_file *file)
{
    if (file->record_size)
        return (file->size - file->header_size) / file->record_size;
    return file->offset_count ? file->offset_count - 1 : 0;
}

void vv_record_file_hint(void *hinted, uint64_t index)
{
    const struct vv_record_file *file = hinted;
    const struct vv_system *system = file->context.system;
    uint64_t begin = file->header_size + index * file->record_size;
    uint64_t size = file->record_size;
    if (file->file < 0 || file->inflated)
        return;
    if (size == 0) {
        begin = file->offsets[index];
        size = file->offsets[index + 1] - begin;
    }
    system->will_read(system->state, file->file, begin, size);
}

varve_status vv_record_file_stamp(const struct vv_record_file *file,
    struct vv_digest *digest, varve_error *error)
{
    const struct vv_system *system = file->context.system;
    struct vv_file_info info;
    unsigned char bytes[16];
    int result = system->info(system->state, file->file, &info);
    if (result < 0) {
        return vv_fail_system(
            error, -result, "getting its modification time", file->path);
    }
    vv_store64(bytes, info.size);
    vv_store64(bytes + 8, (uint64_t)info.modified);
    *digest = vv_digest_of(bytes, sizeof bytes);
    return VARVE_OK;
}

bool vv_record_file_inflate(
    struct vv_record_file *file, enum vv_deflation deflation)
{
    file->deflation = deflation;
    file->inflated = vv_inflated_new(
        &file->context, file->file, file->path, file->size, deflation);
    return file->inflated != NULL;
}

static varve_status read_inflated(const struct vv_record_file *file,
    uint64_t offset, void *bytes, size_t size, varve_error *error)
{
    size_t got;
    VV_TRY(vv_inflated_read(file->inflated, offset, bytes, size, &got, error));
    if (got < size)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: record at offset %" PRIu64 ": expected %zu bytes, found the "
            "end after %zu: the file has changed",
            file->path, offset, size, got);
    return VARVE_OK;
}

varve_status vv_record_file_take(const struct vv_record_file *file,
    uint64_t offset, uint64_t size, varve_sink *sink,
    const unsigned char **bytes, varve_error *error)
{
    void *at =
        size <= SIZE_MAX ? vv_buffer_extend(&sink->bytes, (size_t)size) : NULL;
    if (!at)
        return vv_fail_memory(error, "a record");
    *bytes = at;
    if (file->inflated)
        return read_inflated(file, offset, at, (size_t)size, error);
    return vv_file_read(&file->context, file->file, file->path, at,
        (size_t)size, offset, error);
}
