/* file.c - Opens files for reading, and repeats reads and writes until all
 * bytes are transferred.
 *
 * SPDX-License-Identifier: MIT
 */
#include "file.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "failure.h"
#include "retry.h"
#include "try.h"
#include "worker.h"

/* Linux transfers slightly less than 2 GiB in a call; other systems refuse
 * more. */
#define MOST_PER_CALL ((size_t)1 << 30)

enum { PART_SIZE = 4 << 20 }; /* size of one parallel read */

static varve_status fail_kind(varve_error *error, const char *path)
{
    return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
        "%s: not a regular file but a device, FIFO or socket", path);
}

varve_status vv_file_info(const struct vv_context *context, int file,
    const char *path, struct vv_file_info *info, varve_error *error)
{
    int result = context->system->info(context->system->state, file, info);
    return result < 0 ? vv_fail_system(error, -result, "getting its size", path)
                      : VARVE_OK;
}

static varve_status check_kind(const struct vv_context *context, int file,
    const char *path, struct vv_file_info *info, varve_error *error)
{
    VV_TRY(vv_file_info(context, file, path, info, error));
    if (info->kind == VV_DIRECTORY)
        return vv_fail(
            error, VARVE_IS_DIRECTORY, "%s: a directory, not a file", path);
    return info->kind == VV_REGULAR_FILE ? VARVE_OK : fail_kind(error, path);
}

varve_status vv_file_open_info(const struct vv_context *context,
    const char *path, int *file, struct vv_file_info *info, varve_error *error)
{
    const struct vv_system *system = context->system;
    unsigned tries = 0;
    int opened;
    do
        opened = system->open_file(system->state, VV_WORKING_DIRECTORY, path);
    while (vv_try_again(opened, &tries));
    if (opened == -ENXIO) /* a socket, or a device without a driver */
        return fail_kind(error, path);
    if (opened < 0)
        return vv_fail_system(error, -opened, "open", path);
    varve_status status = check_kind(context, opened, path, info, error);
    if (status)
        vv_file_close(context, opened);
    else
        *file = opened;
    return status;
}

varve_status vv_file_open(const struct vv_context *context, const char *path,
    int *file, uint64_t *size, varve_error *error)
{
    struct vv_file_info info;
    VV_TRY(vv_file_open_info(context, path, file, &info, error));
    *size = info.size;
    return VARVE_OK;
}

varve_status vv_file_look(const struct vv_context *context, const char *path,
    struct vv_file_info *info, varve_error *error)
{
    struct vv_file_info own;
    int file;
    VV_TRY(vv_file_open_info(context, path, &file, info ? info : &own, error));
    vv_file_close(context, file);
    return VARVE_OK;
}

void vv_file_close(const struct vv_context *context, int file)
{
    if (file >= 0)
        context->system->close(context->system->state, file);
}

static size_t part_of(size_t size)
{
    return size < MOST_PER_CALL ? size : MOST_PER_CALL;
}

varve_status vv_file_read(const struct vv_context *context, int file,
    const char *path, void *bytes, size_t size, uint64_t offset,
    varve_error *error)
{
    const struct vv_system *system = context->system;
    size_t done = 0;
    unsigned tries = 0;
    while (done < size) {
        int64_t moved = system->read_at(system->state, file,
            (char *)bytes + done, part_of(size - done), offset + done);
        if (moved == 0)
            return vv_fail(error, VARVE_TRUNCATED,
                "%s: expected %zu bytes at offset %" PRIu64
                ", but the file ends after %zu",
                path, size, offset, done);
        if (moved > 0) {
            done += (size_t)moved;
            tries = 0;
        } else if (!vv_try_again(moved, &tries)) {
            return vv_fail_system(error, (int)-moved, "read", path);
        }
    }
    return VARVE_OK;
}

struct reading {
    const struct vv_context *context;
    int file;
    unsigned char *bytes;
    size_t size;
    uint64_t offset;
    atomic_bool failed;
};

static void file_read_part(void *user, size_t part)
{
    struct reading *r = user;
    size_t at = part * PART_SIZE;
    size_t size = r->size - at < PART_SIZE ? r->size - at : PART_SIZE;
    if (vv_file_read(
            r->context, r->file, "", r->bytes + at, size, r->offset + at, NULL))
        atomic_store(&r->failed, true);
}

static bool file_read_parts(struct reading *r)
{
    size_t count = r->size / PART_SIZE + (r->size % PART_SIZE != 0);
    if (count > 1)
        vv_run_parts(r->context, r->size, count, file_read_part, r);
    return count > 1 && !atomic_load(&r->failed);
}

/* After a failure reads again sequentially, which reports the error. */
varve_status vv_file_read_much(const struct vv_context *context, int file,
    const char *path, void *bytes, size_t size, uint64_t offset,
    varve_error *error)
{
    struct reading r = { context, file, bytes, size, offset, false };
    if (file_read_parts(&r))
        return VARVE_OK;
    return vv_file_read(context, file, path, bytes, size, offset, error);
}

varve_status vv_file_write(const struct vv_context *context, int file,
    const char *path, const void *bytes, size_t size, uint64_t offset,
    varve_error *error)
{
    const struct vv_system *system = context->system;
    size_t done = 0;
    unsigned tries = 0;
    while (done < size) {
        int64_t moved = system->write_at(system->state, file,
            (const char *)bytes + done, part_of(size - done), offset + done);
        if (moved == 0)
            return vv_fail_system(
                error, EIO, "write (no bytes were written)", path);
        if (moved > 0) {
            done += (size_t)moved;
            tries = 0;
        } else if (!vv_try_again(moved, &tries)) {
            return vv_fail_system(error, (int)-moved, "write", path);
        }
    }
    return VARVE_OK;
}

void vv_file_start_write_back(const struct vv_context *context, int file)
{
    const struct vv_system *system = context->system;
    system->start_write_back(system->state, file, 0, 0);
}

varve_status vv_file_head(const struct vv_context *context, const char *path,
    void *bytes, size_t *size, varve_error *error)
{
    int file;
    uint64_t all;
    varve_status status = vv_file_open(context, path, &file, &all, error);
    if (status)
        return status;
    if (all < *size)
        *size = (size_t)all;
    status = vv_file_read(context, file, path, bytes, *size, 0, error);
    vv_file_close(context, file);
    return status;
}

varve_status vv_file_random(const struct vv_context *context, void *bytes,
    size_t size, const char *path, varve_error *error)
{
    const struct vv_system *system = context->system;
    unsigned tries = 0;
    int result;
    do
        result = system->random(system->state, bytes, size);
    while (vv_try_again(result, &tries));
    return result < 0
               ? vv_fail_system(error, -result, "getting a random name", path)
               : VARVE_OK;
}

varve_status vv_file_remove(const struct vv_context *context, int directory,
    const char *name, const char *path, varve_error *error)
{
    const struct vv_system *system = context->system;
    unsigned tries = 0;
    int result;
    do
        result = system->remove(system->state, directory, name);
    while (vv_try_again(result, &tries));
    if (result < 0 && result != -ENOENT)
        return vv_fail_system(error, -result, "remove", path);
    return VARVE_OK;
}
