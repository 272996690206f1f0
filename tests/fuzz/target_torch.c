/* target_torch.c - Fuzzes torch.save files.
 *
 * An input that begins with "PK" is used as an archive, and one that begins
 * like a pickle as a file of torch before 1.6. Any other input is flags and a
 * pickle, from which an archive with valid checksums and storages with the keys
 * 0 to 31 is made.
 *
 * The checksums in the headers of a tar archive are corrected. An input of 'T',
 * two sizes of 16 bits and bytes is converted to a tar archive: the bytes are
 * its members `pickle`, `tensors` and `storages`.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "crc.h"
#include "fuzz/fuzz.h"
#include "fuzz/places.h"
#include "magic_bytes.h"

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

/* Adds the fields from the flags to the size of the extra field. */
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
    /* allocated exactly, so that reads past the end are detected */
    uint8_t *exactly = malloc(m.file.size);
    memcpy(exactly, m.file.bytes, m.file.size);
    places_run(exactly, m.file.size);
    free(exactly);
    free(m.file.bytes);
    free(m.directory.bytes);
}

/* --- Tar archives --------------------------------------------------------- */

enum {
    BLOCK = 512,
    SIZE_AT = 124,
    SUM_AT = 148,
    TYPE_AT = 156,
    MAGIC_AT = 257,
    PARTS_AT = 5
};

static void set_sum(uint8_t *header)
{
    char text[8];
    unsigned sum = 0;
    memset(header + SUM_AT, ' ', sizeof text);
    for (int i = 0; i < BLOCK; i++)
        sum += header[i];
    snprintf(text, sizeof text, "%06o", sum);
    memcpy(header + SUM_AT, text, sizeof text);
}

static size_t size_in(const uint8_t *header)
{
    char text[12] = { 0 };
    memcpy(text, header + SIZE_AT, sizeof text - 1);
    return (size_t)strtoull(text, NULL, 8);
}

static void run_tar(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size);
    memcpy(copy, bytes, size);
    for (size_t at = 0; at + BLOCK <= size;) {
        size_t data = size_in(copy + at);
        set_sum(copy + at);
        if (data > size - at - BLOCK)
            break;
        at += BLOCK + (data + BLOCK - 1) / BLOCK * BLOCK;
    }
    places_run(copy, size);
    free(copy);
}

static void add_member(
    struct out *out, const char *name, const uint8_t *bytes, size_t size)
{
    uint8_t *header = out->bytes + out->size;
    memset(header, 0, BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK);
    memcpy(header, name, strlen(name));
    snprintf((char *)header + SIZE_AT, 12, "%011o", (unsigned)size);
    header[TYPE_AT] = '0';
    memcpy(header + MAGIC_AT, "ustar\00000", 8);
    set_sum(header);
    memcpy(header + BLOCK, bytes, size);
    out->size += BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
}

static void run_parts(const uint8_t *bytes, size_t size)
{
    static const char machine[] = "\x80\2}.";
    size_t pickle = (size_t)bytes[1] | (size_t)bytes[2] << 8;
    size_t tensors = (size_t)bytes[3] | (size_t)bytes[4] << 8;
    size -= PARTS_AT;
    pickle = pickle < size ? pickle : size;
    tensors = tensors < size - pickle ? tensors : size - pickle;
    const uint8_t *part = bytes + PARTS_AT;
    struct out out = { .bytes = malloc(size + 8 * BLOCK) };
    add_member(&out, "sys_info", (const uint8_t *)machine, sizeof machine - 1);
    add_member(&out, "pickle", part, pickle);
    add_member(&out, "tensors", part + pickle, tensors);
    add_member(&out, "storages", part + pickle + tensors,
        size - pickle - tensors);
    uint8_t *exactly = malloc(out.size);
    memcpy(exactly, out.bytes, out.size);
    places_run(exactly, out.size);
    free(exactly);
    free(out.bytes);
}

void fuzz_torch(const uint8_t *bytes, size_t size)
{
    if (size == 0 || bytes[0] == 'P' || bytes[0] == 0x80)
        places_run(bytes, size);
    else if (vv_torch_is_tar(bytes, size))
        run_tar(bytes, size);
    else if (bytes[0] == 'T' && size >= PARTS_AT)
        run_parts(bytes, size);
    else
        run_pickle(bytes[0], bytes + 1, size - 1);
}
