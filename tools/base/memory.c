/* memory.c - Allocates memory, or ends the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings.h"

_Noreturn void memory_exhausted(void)
{
    fflush(stdout);
    fputs("varve: out of memory\n", stderr);
    exit(OUTCOME_FILE);
}

static void *there(void *memory)
{
    if (!memory)
        memory_exhausted();
    return memory;
}

void *memory_allocate(size_t count, size_t size)
{
    return there(calloc(count ? count : 1, size));
}

void *memory_grow(void *array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity ? 2 * *capacity : 16;
    return there(
        *capacity <= SIZE_MAX / size ? realloc(array, *capacity * size) : NULL);
}

char *memory_copy_text(const char *text, size_t size)
{
    char *copy = there(malloc(size + 1));
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

char *memory_join_path(const char *path, const char *name)
{
    size_t size = strlen(path) + strlen(name) + 2;
    char *joined = there(malloc(size));
    snprintf(joined, size, "%s%s%s", path, *path && *name ? "/" : "", name);
    return joined;
}
