/* layer_census.c - Lists the files *.data in the folder `layers`, and checks
 * later which of them still exist.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layer_census.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory.h"

static void add_row(
    struct layer_census *census, const char *folder, const char *name)
{
    static const char ending[] = ".data";
    size_t size = strlen(name), end = sizeof ending - 1;
    struct stat info;
    if (size <= end || *name == '.' || strcmp(name + size - end, ending) != 0)
        return;
    char *path = memory_join_path(folder, name);
    if (stat(path, &info)) {
        free(path);
        return;
    }
    census->rows = memory_grow(
        census->rows, &census->room, census->count, sizeof *census->rows);
    census->rows[census->count++] =
        (struct layer_row){ .path = path, .size = (uint64_t)info.st_size };
}

void layer_census_take(struct layer_census *census, const char *directory)
{
    *census = (struct layer_census){ .rows = NULL };
    char *folder = memory_join_path(directory, "layers");
    DIR *names = opendir(folder);
    struct dirent *name;
    while (names && (name = readdir(names)))
        add_row(census, folder, name->d_name);
    if (names)
        closedir(names);
    free(folder);
}

size_t layer_census_gone(const struct layer_census *census, uint64_t *bytes)
{
    size_t count = 0;
    *bytes = 0;
    for (size_t i = 0; i < census->count; i++) {
        struct stat info;
        if (stat(census->rows[i].path, &info) == 0 || errno != ENOENT)
            continue;
        count++;
        *bytes += census->rows[i].size;
    }
    return count;
}

void layer_census_clear(struct layer_census *census)
{
    for (size_t i = 0; i < census->count; i++)
        free(census->rows[i].path);
    free(census->rows);
    *census = (struct layer_census){ .rows = NULL };
}
