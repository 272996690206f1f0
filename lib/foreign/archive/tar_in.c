/* tar_in.c - Reads the headers of a tar archive from the first to the last.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tar_in.h"

#include <inttypes.h>
#include <string.h>

#include "buffer.h"
#include "bytes.h"
#include "failure.h"
#include "path_text.h"
#include "try.h"

enum {
    BLOCK = 512,
    NAME_SIZE = 100,
    SIZE_AT = 124,
    SIZE_SIZE = 12,
    SUM_AT = 148,
    SUM_SIZE = 8,
    TYPE_AT = 156,
    MAGIC_AT = 257,
    PREFIX_AT = 345,
    MOST_PAX = 1 << 20,
};

struct walk {
    const struct vv_foreign *foreign;
    uint32_t file;
    const char *path;
    varve_error *error;
    struct vv_tar_member *members;
    size_t count;
    uint64_t at, end; /* of the next header; of the file */
    unsigned char header[BLOCK];
    /* from headers that describe the next member */
    struct vv_buffer pax;
    const char *name; /* in `pax`; NULL: the name in the header */
    size_t name_size;
    bool has_size, is_sparse;
    uint64_t size;
};

/* --- Headers -------------------------------------------------------------- */

/* Reads octal digits, or the big-endian number that GNU tar writes instead. */
static bool tar_in_number(
    const unsigned char *field, size_t size, uint64_t *number)
{
    size_t i = 0;
    *number = 0;
    if (field[0] == 0x80) {
        for (i = 1; i < size; i++) {
            if (*number >> 56)
                return false;
            *number = *number << 8 | field[i];
        }
        return true;
    }
    while (i < size && field[i] == ' ')
        i++;
    for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
        *number = *number << 3 | (uint64_t)(field[i] - '0');
    return i == size || field[i] == ' ' || field[i] == 0;
}

/* Old programs add the bytes up as signed numbers. */
static bool tar_in_sum_is_right(const unsigned char *header)
{
    uint64_t expected;
    int64_t sum = 0, signed_sum = 0;
    for (size_t i = 0; i < BLOCK; i++) {
        bool is_sum = i >= SUM_AT && i < SUM_AT + SUM_SIZE;
        sum += is_sum ? ' ' : header[i];
        signed_sum += is_sum ? ' ' : (signed char)header[i];
    }
    return tar_in_number(header + SUM_AT, SUM_SIZE, &expected) &&
           ((int64_t)expected == sum || (int64_t)expected == signed_sum);
}

static bool tar_in_is_end(const unsigned char *header)
{
    for (size_t i = 0; i < BLOCK; i++) {
        if (header[i])
            return false;
    }
    return true;
}

static varve_status tar_in_fail(const struct walk *w, const char *what)
{
    return vv_fail(w->error, VARVE_CORRUPT,
        "%s: the tar header at byte %" PRIu64 " has %s", w->path, w->at, what);
}

static varve_status tar_in_check_size(const struct walk *w, uint64_t size)
{
    uint64_t left = w->end - w->at - BLOCK;
    if (size <= left)
        return VARVE_OK;
    return vv_fail(w->error, VARVE_TRUNCATED,
        "%s: the tar member at byte %" PRIu64 " has %" PRIu64
        " bytes, but the file has only %" PRIu64 " more",
        w->path, w->at, size, left);
}

/* Passes a header and the blocks of its data, of which the last may be
 * incomplete. */
static void tar_in_pass(struct walk *w, uint64_t size)
{
    uint64_t left = w->end - w->at - BLOCK;
    uint64_t padded =
        size > left - left % BLOCK ? left : (size + BLOCK - 1) / BLOCK * BLOCK;
    w->at += BLOCK + padded;
}

/* --- Pax headers ---------------------------------------------------------- */

static bool tar_in_is_key(const char *key, size_t size, const char *known)
{
    return size == strlen(known) && memcmp(key, known, size) == 0;
}

static varve_status tar_in_take_record(struct walk *w, const char *key,
    size_t key_size, const char *value, size_t size)
{
    static const char sparse[] = "GNU.sparse.";
    if (tar_in_is_key(key, key_size, "path")) {
        w->name = value;
        w->name_size = size;
    }
    if (key_size >= sizeof sparse - 1 &&
        memcmp(key, sparse, sizeof sparse - 1) == 0)
        w->is_sparse = true;
    if (!tar_in_is_key(key, key_size, "size"))
        return VARVE_OK;
    w->has_size = true;
    return vv_parse_decimal(value, size, &w->size)
               ? VARVE_OK
               : tar_in_fail(w, "a pax record with an invalid size");
}

/* Takes the records "LENGTH KEY=VALUE\n", whose lengths include themselves. */
static varve_status tar_in_take_records(struct walk *w)
{
    const char *at = (const char *)w->pax.data, *end = at + w->pax.size;
    while (at < end) {
        uint64_t size;
        const char *space = memchr(at, ' ', (size_t)(end - at));
        if (!space || !vv_parse_decimal(at, (size_t)(space - at), &size) ||
            size > (uint64_t)(end - at) || size <= (uint64_t)(space - at) + 1 ||
            at[size - 1] != '\n')
            return tar_in_fail(w, "an invalid pax record");
        const char *key = space + 1, *last = at + size - 1;
        const char *equals = memchr(key, '=', (size_t)(last - key));
        if (!equals)
            return tar_in_fail(w, "a pax record without a value");
        VV_TRY(tar_in_take_record(w, key, (size_t)(equals - key), equals + 1,
            (size_t)(last - equals - 1)));
        at = last + 1;
    }
    return VARVE_OK;
}

static varve_status tar_in_take_pax(struct walk *w, uint64_t size)
{
    if (size > MOST_PAX)
        return vv_fail(w->error, VARVE_LIMIT,
            "%s: the pax header at byte %" PRIu64 " has %" PRIu64
            " bytes, more than %d",
            w->path, w->at, size, MOST_PAX);
    if (size == 0)
        return VARVE_OK;
    w->pax.size = 0;
    w->name = NULL;
    w->has_size = false;
    void *bytes = vv_buffer_extend(&w->pax, (size_t)size);
    if (!bytes)
        return vv_fail_memory(w->error, "a header of an archive");
    VV_TRY(vv_foreign_read(
        w->foreign, w->file, bytes, (size_t)size, w->at + BLOCK, w->error));
    return tar_in_take_records(w);
}

/* --- Members -------------------------------------------------------------- */

static bool tar_in_is_called(const struct walk *w, const char *name)
{
    const char *own = (const char *)w->header;
    bool has_prefix = memcmp(w->header + MAGIC_AT, "ustar", 6) == 0 &&
                      w->header[PREFIX_AT] != 0;
    if (w->name)
        return tar_in_is_key(w->name, w->name_size, name);
    const char *end = memchr(own, 0, NAME_SIZE);
    size_t size = end ? (size_t)(end - own) : (size_t)NAME_SIZE;
    return !has_prefix && tar_in_is_key(own, size, name);
}

static void tar_in_note(struct walk *w, uint64_t size, bool is_regular)
{
    for (size_t i = 0; i < w->count; i++) {
        struct vv_tar_member *m = &w->members[i];
        if (!tar_in_is_called(w, m->name))
            continue;
        m->is_found = is_regular;
        m->data = w->at + BLOCK;
        m->size = size;
    }
}

/* Links, directories and devices have no data. */
static varve_status tar_in_take_member(
    struct walk *w, unsigned char type, uint64_t size)
{
    bool is_regular = type == '0' || type == 0 || type == '7';
    bool has_data = type < '1' || type > '6';
    if (w->has_size)
        size = w->size;
    if (w->is_sparse || type == 'S')
        return vv_fail(w->error, VARVE_TOO_NEW,
            "%s: the tar member at byte %" PRIu64
            " is sparse, which is not supported",
            w->path, w->at);
    if (!has_data)
        size = 0;
    VV_TRY(tar_in_check_size(w, size));
    tar_in_note(w, size, is_regular);
    tar_in_pass(w, size);
    w->name = NULL;
    w->has_size = false;
    return VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

static varve_status tar_in_step(struct walk *w)
{
    uint64_t size;
    unsigned char type = w->header[TYPE_AT];
    if (!tar_in_sum_is_right(w->header))
        return tar_in_fail(w, "a wrong checksum");
    if (!tar_in_number(w->header + SIZE_AT, SIZE_SIZE, &size))
        return tar_in_fail(w, "an invalid size");
    if (!type || !memchr("xgLK", type, 4))
        return tar_in_take_member(w, type, size);
    VV_TRY(tar_in_check_size(w, size));
    if (type == 'x')
        VV_TRY(tar_in_take_pax(w, size));
    if (type == 'L') { /* a name longer than all that are looked for */
        w->name = "";
        w->name_size = 0;
    }
    tar_in_pass(w, size);
    return VARVE_OK;
}

static varve_status tar_in_walk(struct walk *w)
{
    while (w->at < w->end) {
        if (w->end - w->at < BLOCK)
            return vv_fail(w->error, VARVE_TRUNCATED,
                "%s: the tar header at byte %" PRIu64 " is incomplete", w->path,
                w->at);
        VV_TRY(vv_foreign_read(
            w->foreign, w->file, w->header, BLOCK, w->at, w->error));
        if (tar_in_is_end(w->header))
            break;
        VV_TRY(tar_in_step(w));
    }
    return VARVE_OK;
}

varve_status vv_tar_find(const struct vv_foreign *foreign, uint32_t file,
    struct vv_tar_member *members, size_t count, varve_error *error)
{
    struct walk w = { .foreign = foreign,
        .file = file,
        .path = foreign->files[file].path,
        .error = error,
        .members = members,
        .count = count,
        .end = foreign->files[file].size };
    for (size_t i = 0; i < count; i++)
        members[i].is_found = false;
    vv_buffer_init(&w.pax, &foreign->context->allocator);
    varve_status status = tar_in_walk(&w);
    vv_buffer_clear(&w.pax);
    return status;
}
