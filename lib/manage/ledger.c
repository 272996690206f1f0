/* ledger.c - the ledger's text, out and in.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ledger.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "checksum.h"
#include "failure.h"
#include "file.h"
#include "name.h"
#include "publish.h"
#include "try.h"

static const char head[] = "varve ledger 1\nnumber counter step time metric "
                           "size modified manager\n";

enum {
    MOST_BYTES = 64 << 20, /* some half a million entries */
    MARK_SIZE = 13,        /* of its first line: "varve ledger " */
    FIELDS = 8,
    DIGEST_LINE = 7 + 16 + 1 /* "digest ", digits, newline */
};

/* --- Out ---------------------------------------------------------------- */

static void add_known(struct vv_buffer *text, int64_t value)
{
    char field[32] = "- ";
    if (value >= 0)
        snprintf(field, sizeof field, "%" PRId64 " ", value);
    vv_buffer_add_string(text, field);
}

static void add_entry(struct vv_buffer *text, const struct vv_entry *e)
{
    char fields[80];
    uint64_t bits;
    memcpy(&bits, &e->metric, sizeof bits);
    snprintf(fields, sizeof fields, "%" PRIu64 " %" PRIu64 " ", e->number,
        e->counter);
    vv_buffer_add_string(text, fields);
    add_known(text, e->step);
    add_known(text, e->time);
    if (e->metric == e->metric)
        snprintf(fields, sizeof fields, "%016" PRIx64 " ", bits);
    vv_buffer_add_string(text, e->metric == e->metric ? fields : "- ");
    snprintf(fields, sizeof fields, "%" PRIu64 " ", e->size);
    vv_buffer_add_string(text, fields);
    add_known(text, e->modified);
    vv_buffer_add_string(text, e->is_ours ? "ours\n" : "other\n");
}

static void add_digest(struct vv_buffer *text)
{
    char line[DIGEST_LINE + 1];
    snprintf(line, sizeof line, "digest %016" PRIx64 "\n",
        vv_hash_of(text->data, text->size));
    vv_buffer_add_string(text, line);
}

/* Whether these are the first bytes of a ledger, or nothing: a power cut may
 * leave zeros of a file that was not synced. */
static bool is_ledger(const char *bytes, size_t size)
{
    size_t zeros = 0;
    while (zeros < size && bytes[zeros] == '\0')
        zeros++;
    return zeros == size ||
           (size >= MARK_SIZE && memcmp(bytes, head, MARK_SIZE) == 0);
}

/* The last thing before the ledger gets its name: no system replaces a file
 * only if it is a certain one. */
static varve_status check_place(
    struct vv_publication *p, const char *path, varve_error *error)
{
    char bytes[4 * MARK_SIZE];
    size_t size = sizeof bytes;
    varve_error reason = { 0 };
    varve_status status = vv_file_head(p->context, path, bytes, &size, &reason);
    if (status == VARVE_NOT_FOUND) {
        vv_publish_spare(p);
        return VARVE_OK;
    }
    if (status && error)
        *error = reason;
    if (status || is_ledger(bytes, size))
        return status;
    return vv_fail(error, VARVE_EXISTS,
        "%s: expected a ledger or nothing, found another file, which is left "
        "alone: checkpoints are opened instead",
        path);
}

static varve_status publish(
    struct vv_listing *l, const struct vv_buffer *text, varve_error *error)
{
    struct vv_publication p;
    const char *path = vv_listing_path(l, NULL, VV_LEDGER_ENDING);
    if (l->path.failed)
        return vv_fail_memory(error, "the path of a ledger");
    VV_TRY(vv_publish_begin(&p, l->context, path, VV_PUBLISH_NO_SYNC, error));
    varve_status status = vv_file_write(
        l->context, p.file, path, text->data, text->size, 0, error);
    if (!status)
        status = check_place(&p, path, error);
    return vv_publish_end(&p, status, error);
}

varve_status vv_ledger_write(struct vv_listing *l, varve_error *error)
{
    struct vv_buffer text;
    vv_buffer_init(&text, &l->context->allocator);
    vv_buffer_add_string(&text, head);
    for (size_t i = 0; i < l->count; i++)
        if (l->entries[i].is_read)
            add_entry(&text, &l->entries[i]);
    if (!text.failed)
        add_digest(&text);
    varve_status status = text.failed ? vv_fail_memory(error, "a ledger")
                                      : publish(l, &text, error);
    vv_buffer_clear(&text);
    return status;
}

/* --- In ----------------------------------------------------------------- */

/* Takes a field off a line: what is before the next space or the end. */
static size_t next_field(const char **at, const char *end)
{
    const char *begin = *at;
    while (*at < end && **at != ' ')
        ++*at;
    return (size_t)(*at - begin);
}

static bool parse_known(const char *text, size_t size, int64_t *value)
{
    uint64_t number;
    *value = -1;
    if (size == 1 && *text == '-')
        return true;
    if (!vv_parse_decimal(text, size, &number) || number > INT64_MAX)
        return false;
    *value = (int64_t)number;
    return true;
}

static bool parse_hex(const char *text, size_t size, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < size; i++) {
        const char *digits = "0123456789abcdef";
        const char *found = text[i] ? strchr(digits, text[i]) : NULL;
        if (!found)
            return false;
        *value = *value << 4 | (uint64_t)(found - digits);
    }
    return size == 16;
}

static bool parse_metric(const char *text, size_t size, double *metric)
{
    uint64_t bits;
    *metric = NAN;
    if (size == 1 && *text == '-')
        return true;
    if (!parse_hex(text, size, &bits))
        return false;
    memcpy(metric, &bits, sizeof bits);
    return true;
}

static bool parse_entry(const char *at, const char *end, struct vv_entry *e)
{
    const char *fields[FIELDS];
    size_t sizes[FIELDS];
    for (size_t i = 0; i < FIELDS; i++) {
        fields[i] = at;
        sizes[i] = next_field(&at, end);
        /* The last field ends with the line, and no other. */
        if (sizes[i] == 0 || (at == end) != (i == FIELDS - 1))
            return false;
        at++;
    }
    *e = (struct vv_entry){ .is_read = true };
    e->is_ours = sizes[7] == 4 && memcmp(fields[7], "ours", 4) == 0;
    return vv_parse_decimal(fields[0], sizes[0], &e->number) &&
           vv_parse_decimal(fields[1], sizes[1], &e->counter) &&
           parse_known(fields[2], sizes[2], &e->step) &&
           parse_known(fields[3], sizes[3], &e->time) &&
           parse_metric(fields[4], sizes[4], &e->metric) &&
           vv_parse_decimal(fields[5], sizes[5], &e->size) &&
           parse_known(fields[6], sizes[6], &e->modified);
}

/* Whether the last line has the digest of what is before it. */
static bool is_whole(const char *text, size_t size)
{
    uint64_t digest;
    size_t front = sizeof head - 1;
    if (size < front + DIGEST_LINE || memcmp(text, head, front) != 0)
        return false;
    const char *line = text + size - DIGEST_LINE;
    return memcmp(line, "digest ", 7) == 0 && text[size - 1] == '\n' &&
           parse_hex(line + 7, 16, &digest) &&
           digest == vv_hash_of(text, size - DIGEST_LINE);
}

static void parse(struct vv_listing *l, const char *text, size_t size)
{
    if (!is_whole(text, size))
        return;
    const char *at = text + sizeof head - 1;
    const char *end = text + size - DIGEST_LINE;
    while (at < end) {
        struct vv_entry entry;
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end)
            return;
        if (parse_entry(at, line_end, &entry) && !vv_listing_add(l, &entry))
            return;
        at = line_end + 1;
    }
}

void vv_ledger_read(struct vv_listing *l)
{
    const varve_allocator *a = &l->context->allocator;
    const char *path = vv_listing_path(l, NULL, VV_LEDGER_ENDING);
    int file;
    uint64_t size;
    if (l->path.failed || vv_file_open(l->context, path, &file, &size, NULL))
        return;
    char *text = size <= MOST_BYTES ? vv_allocate(a, (size_t)size) : NULL;
    if (text &&
        !vv_file_read(l->context, file, path, text, (size_t)size, 0, NULL))
        parse(l, text, (size_t)size);
    vv_release(a, text, (size_t)size);
    vv_file_close(l->context, file);
}
