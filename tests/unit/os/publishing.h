/* publishing.h - Provides what both test files of publish.c share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PUBLISHING_H
#define PUBLISHING_H

#include <stdlib.h>
#include <string.h>

#include "directory.h"
#include "file.h"
#include "publish.h"
#include "support/test_context.h"

/* Publishes a text. */
static inline varve_status publish(const struct vv_context *context,
    const char *path, int flags, const char *text, varve_error *error)
{
    struct vv_publication p;
    varve_status status = vv_publish_begin(&p, context, path, flags, error);
    if (status)
        return status;
    status = vv_file_write(
        context, p.file, path, text, strlen(text), 0, error);
    return vv_publish_end(&p, status, error);
}

/* Returns true if a file contains exactly a text. */
static inline bool holds(
    const struct vv_context *context, const char *path, const char *text)
{
    int file;
    uint64_t size;
    char bytes[64] = "";
    if (vv_file_open(context, path, &file, &size, NULL))
        return false;
    bool is_same = size == strlen(text) && size < sizeof bytes &&
        vv_file_read(
            context, file, path, bytes, (size_t)size, 0, NULL) == VARVE_OK &&
        strcmp(bytes, text) == 0;
    vv_file_close(context, file);
    return is_same;
}

static inline int count_one(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    (void)name;
    ++*(int *)user;
    return 0;
}

/* Returns the number of names in the directory of a path. */
static inline int count_beside(
    const struct vv_context *context, const char *path)
{
    int count = 0;
    varve_error error;
    cr_assert_ok(vv_directory_each(
        context, path, count_one, &count, &error), error);
    return count;
}

#endif
