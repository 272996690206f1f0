/* listed.c - Compares the listing of a bucket with each object in a directory,
 * and prints a line for each: "NAME: same SIZE", "NAME: other SIZE", or "NAME:
 * unlisted" if the listing lacks something.
 *
 *     listed DIRECTORY
 *
 * Linked with internal parts of the library, because no public function returns
 * a listing.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include <varve/remote.h>

#include "default_allocator.h"
#include "directory.h"
#include "file.h"
#include "store.h"

struct listing {
    const struct vv_context *context;
    const char *directory;
    varve_error error;
};

static int compare(
    void *user, const char *name, const struct vv_file_info *listed)
{
    struct listing *l = user;
    struct vv_file_info opened;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", l->directory, name);
    if (!listed) {
        printf("%s: unlisted\n", name);
        return 0;
    }
    if (listed->kind == VV_DIRECTORY) {
        printf("%s: directory\n", name);
        return 0;
    }
    if (vv_file_look(l->context, path, &opened, &l->error))
        return 1;
    printf("%s: %s %llu\n", name,
        listed->kind == opened.kind && listed->size == opened.size &&
                listed->modified == opened.modified &&
                listed->modified > 0 && listed->device == opened.device &&
                listed->serial == opened.serial
            ? "same"
            : "other",
        (unsigned long long)listed->size);
    return 0;
}

int main(int count, char **arguments)
{
    char path[4096];
    struct listing l = { .directory = count == 2 ? arguments[1] : "" };
    if (count != 2 || varve_remote_enable(NULL, &l.error)) {
        fprintf(stderr, "listed: %s\n", l.error.message);
        return 2;
    }
    const struct vv_context context = {
        .allocator = vv_allocator_or_default(NULL),
        .system = vv_default_system(),
    };
    l.context = &context;
    snprintf(path, sizeof path, "%s/", l.directory);
    varve_status status =
        vv_directory_each(&context, path, compare, &l, &l.error);
    if (status || l.error.status)
        fprintf(stderr, "%s\n", l.error.message);
    return status || l.error.status;
}
