/* damage.c - Damages values in copies of files.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "mix/damage.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <varve/reader.h>

#include "mix/files.h"

void mix_copy_file(const char *from, const char *to)
{
    char bytes[4096];
    size_t size;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    MIX_CHECK(in && out, "%s cannot be copied", from);
    while ((size = fread(bytes, 1, sizeof bytes, in)))
        MIX_CHECK(fwrite(bytes, 1, size, out) == size, "no space");
    fclose(in);
    MIX_CHECK(fclose(out) == 0, "no space");
}

static void spoil(const char *path, uint64_t offset)
{
    unsigned char byte;
    int file = open(path, O_RDWR);
    MIX_CHECK(file >= 0 && pread(file, &byte, 1, (off_t)offset) == 1, "%s",
        path);
    byte ^= 0x40;
    MIX_CHECK(pwrite(file, &byte, 1, (off_t)offset) == 1, "%s", path);
    close(file);
}

mix_set mix_damage(struct mix *m, const char *path,
    const struct mix_file *file, uint8_t which)
{
    static struct mix_paths paths;
    mix_set damaged = 0;
    varve_saved_node saved;
    varve_reader *reader = varve_reader_open(path, &m->allocator, &m->error);
    MIX_CHECK(reader, "%s is a copy, and: %s", path, m->error.message);
    mix_paths(&file->shape, &paths);
    for (uint8_t n = 0; n < MIX_NODES; n++)
        if (mix_is_saved(&file->shape.nodes[n]) && which >> n % 8 & 1 &&
            varve_reader_find(reader, paths.of[n], &saved) && saved.size &&
            saved.file && strcmp(saved.file, path) == 0) {
            spoil(path, saved.offset + n % saved.size);
            damaged |= mix_one(n);
        }
    varve_reader_free(reader);
    return damaged;
}
