/* posix_names.c - Lists the names in an open directory.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "posix_names.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

/* Passes a name on unless it is that of the directory or its parent. */
static int pass_on(const char *name, vv_each_name *each, void *user)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return 0;
    return each(user, name, NULL);
}

#ifdef SYS_getdents64

enum { NAMES_SIZE = 1 << 14 }; /* bytes of entries per call */

/* An entry as the kernel returns it. */
struct kernel_entry {
    uint64_t serial;
    int64_t position;
    uint16_t size; /* of the entry */
    uint8_t kind;
    char name[];
};

/* Calls the kernel, because opendir and readdir make more system calls. */
static int each_entry(int directory, vv_each_name *each, void *user)
{
    _Alignas(struct kernel_entry) char entries[NAMES_SIZE];
    const struct kernel_entry *entry;
    long size;
    while ((size = syscall(
                SYS_getdents64, directory, entries, sizeof entries)) > 0) {
        for (long at = 0; at < size; at += entry->size) {
            entry = (const void *)(entries + at);
            if (pass_on(entry->name, each, user))
                return 0;
        }
    }
    return size < 0 ? -errno : 0;
}

int vv_posix_each_name(int directory, vv_each_name *each, void *user)
{
    int result = each_entry(directory, each, user);
    close(directory);
    return result;
}

#else

static int each_in_stream(DIR *stream, vv_each_name *each, void *user)
{
    struct dirent *entry;
    while (errno = 0, (entry = readdir(stream)) != NULL) {
        if (pass_on(entry->d_name, each, user))
            return 0;
    }
    return -errno;
}

int vv_posix_each_name(int directory, vv_each_name *each, void *user)
{
    DIR *stream = fdopendir(directory);
    if (!stream) {
        int number = errno;
        close(directory);
        return -number;
    }
    int result = each_in_stream(stream, each, user);
    closedir(stream);
    return result;
}

#endif
