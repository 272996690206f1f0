/* target_torch.c - files of torch.save.
 *
 * What begins with "PK" is an archive as it is, and what begins as a pickle
 * does is a file as before torch 1.6. Anything else is flags and a pickle,
 * around which an archive is made: its sums are right, and there are storages
 * of the keys 0 to 31.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "bytes.h"
#include "crc.h"
#include "fuzz/fuzz.h"
#include "fuzz/places.h"

enum { STORAGES = 32, STORAGE_SIZE = 96, ENTRY_ROOM = 200 };

enum { IS_BIG_ENDIAN = 1, HAS_NO_SUMS = 2 };

struct out {
    uint8_t *bytes;
    size_t size;
};

struct making {
    struct out file, directory;
    size_t count;
    bool has_sums;
};

static void add(struct out *out, const void *bytes, size_t size)
{
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

static void add_number(struct out *out, uint64_t number, size_t width)
{
    uint8_t bytes[8];
    vv_store64(bytes, number);
    add(out, bytes, width);
}

/* From the flags to the length of what follows the name. */
static void add_common(struct making *m, struct out *out, const char *name,
    const uint8_t *bytes, size_t size)
{
    add_number(out, 20, 2);
    add_number(out, 0, 4);
    add_number(out, 0x210000, 4);
    add_number(out, m->has_sums ? vv_crc32(0, bytes, size) : 0, 4);
    add_number(out, size, 4);
    add_number(out, size, 4);
    add_number(out, strlen(name), 2);
    add_number(out, 0, 2);
}

static void add_entry(
    struct making *m, const char *name, const void *bytes, size_t size)
{
    size_t begin = m->file.size;
    add(&m->file, "PK\3\4", 4);
    add_common(m, &m->file, name, bytes, size);
    add(&m->file, name, strlen(name));
    add(&m->file, bytes, size);
    add(&m->directory, "PK\1\2\x14\3", 6);
    add_common(m, &m->directory, name, bytes, size);
    add_number(&m->directory, 0, 8);
    add_number(&m->directory, 0, 2);
    add_number(&m->directory, begin, 4);
    add(&m->directory, name, strlen(name));
    m->count++;
}

static void add_storages(struct making *m)
{
    for (int i = 0; i < STORAGES; i++) {
        uint8_t bytes[STORAGE_SIZE];
        char name[40];
        for (int b = 0; b < STORAGE_SIZE; b++)
            bytes[b] = (uint8_t)(i + b);
        snprintf(name, sizeof name, "a/data/%d", i);
        add_entry(m, name, bytes, sizeof bytes);
    }
}

static void end(struct making *m)
{
    size_t begin = m->file.size;
    add(&m->file, m->directory.bytes, m->directory.size);
    add(&m->file, "PK\5\6\0\0\0\0", 8);
    add_number(&m->file, m->count, 2);
    add_number(&m->file, m->count, 2);
    add_number(&m->file, m->directory.size, 4);
    add_number(&m->file, begin, 4);
    add_number(&m->file, 0, 2);
}

static void run_pickle(unsigned flags, const uint8_t *pickle, size_t size)
{
    size_t room = size + (STORAGES + 4) * (STORAGE_SIZE + ENTRY_ROOM);
    struct making m = { .file = { .bytes = malloc(room) },
        .directory = { .bytes = malloc(room) },
        .has_sums = !(flags & HAS_NO_SUMS) };
    add_entry(&m, "a/data.pkl", pickle, size);
    if (flags & IS_BIG_ENDIAN)
        add_entry(&m, "a/byteorder", "big", 3);
    add_storages(&m);
    end(&m);
    uint8_t *exactly = malloc(m.file.size); /* no room to read past */
    memcpy(exactly, m.file.bytes, m.file.size);
    places_run(exactly, m.file.size);
    free(exactly);
    free(m.file.bytes);
    free(m.directory.bytes);
}

void fuzz_torch(const uint8_t *bytes, size_t size)
{
    if (size == 0 || bytes[0] == 'P' || bytes[0] == 0x80)
        places_run(bytes, size);
    else
        run_pickle(bytes[0], bytes + 1, size - 1);
}
