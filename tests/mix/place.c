/* place.c - Creates, empties and removes the directory of a run.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "mix/place.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void mix_place_make(char *path, unsigned size)
{
    const char *folder = getenv("TMPDIR");
    if (!folder)
        folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, size, "%s/varve-mix-XXXXXX", folder);
    if (!mkdtemp(path)) {
        perror(path);
        exit(3);
    }
}

/* There is at most one level of subdirectories. */
static void empty(int directory, int depth)
{
    DIR *stream = fdopendir(directory);
    if (!stream)
        return;
    for (struct dirent *e; (e = readdir(stream));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (unlinkat(directory, e->d_name, 0) == 0 || depth == 0)
            continue;
        int below =
            openat(directory, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (below >= 0)
            empty(below, depth - 1);
        unlinkat(directory, e->d_name, AT_REMOVEDIR);
    }
    closedir(stream);
}

void mix_place_empty(const char *path)
{
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0)
        empty(directory, 2);
}

void mix_place_remove(const char *path)
{
    mix_place_empty(path);
    rmdir(path);
}

int mix_place_descriptors(void)
{
    int count = 0;
    for (int i = 0; i < 128; i++)
        count += fcntl(i, F_GETFD) >= 0;
    return count;
}
