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
#include "bytes.h"
#include "checksum.h"
#include "failure.h"
#include "file.h"
#include "name.h"
#include "publish.h"
#include "try.h"

static const char head[] =
    "varve ledger 2\nlast steps seconds best order bytes damaged metric\n";
static const char columns[] =
    "number counter step time metric size modified manager\n";

enum {
    MOST_BYTES = 64 << 20,   /* some half a million entries */
    MARK_SIZE = 13,          /* of its first line: "varve ledger " */
    FIELDS = 8,              /* of an entry, and of the policy */
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

static void add_number(struct vv_buffer *text, uint64_t number)
{
    vv_buffer_add_decimal(text, number);
    vv_buffer_add8(text, ' ');
}

static void add_policy(struct vv_buffer *text, const struct vv_listing *l)
{
    const struct vv_policy *p = &l->policy;
    add_number(text, p->keep_last);
    add_number(text, p->keep_every_steps);
    add_number(text, p->keep_every_seconds);
    add_number(text, p->keep_best);
    vv_buffer_add_string(text, p->best_is_larger ? "greatest " : "least ");
    add_number(text, p->keep_bytes);
    add_number(text, p->keep_damaged);
    vv_path_add_name(text, l->metric, strlen(l->metric));
    vv_buffer_add8(text, '\n');
}

static void add_entry(struct vv_buffer *text, const struct vv_entry *e)
{
    char fields[80];
    uint64_t bits = vv_bits_of(e->metric);
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
    add_policy(&text, l);
    vv_buffer_add_string(&text, columns);
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
    *metric = vv_real_of(bits);
    return true;
}

struct fields {
    const char *text[FIELDS];
    size_t sizes[FIELDS];
};

/* The fields of a line; the last one ends with it, and no other. */
static bool split(const char *at, const char *end, struct fields *f)
{
    for (size_t i = 0; i < FIELDS; i++) {
        f->text[i] = at;
        f->sizes[i] =
            i < FIELDS - 1 ? next_field(&at, end) : (size_t)(end - at);
        if (f->sizes[i] == 0 || (i < FIELDS - 1 && at == end))
            return false;
        at++;
    }
    return true;
}

static bool parse_size(const char *text, size_t size, size_t *value)
{
    uint64_t number;
    bool is_one = vv_parse_decimal(text, size, &number) && number <= SIZE_MAX;
    *value = is_one ? (size_t)number : 0;
    return is_one;
}

static bool parse_policy(const struct fields *f, struct vv_policy *p)
{
    const char *const *text = f->text;
    const size_t *sizes = f->sizes;
    *p = (struct vv_policy){ .best_is_larger = sizes[4] == 8 };
    return parse_size(text[0], sizes[0], &p->keep_last) &&
           vv_parse_decimal(text[1], sizes[1], &p->keep_every_steps) &&
           vv_parse_decimal(text[2], sizes[2], &p->keep_every_seconds) &&
           parse_size(text[3], sizes[3], &p->keep_best) &&
           vv_parse_decimal(text[5], sizes[5], &p->keep_bytes) &&
           parse_size(text[6], sizes[6], &p->keep_damaged);
}

/* Whether the metric that stands there is the listing's, which is that one if
 * it had none yet. */
static bool take_metric(struct vv_listing *l, const struct fields *f)
{
    const varve_allocator *a = &l->context->allocator;
    struct vv_buffer path, name;
    vv_buffer_init(&path, a);
    vv_buffer_init(&name, a);
    vv_buffer_add(&path, f->text[7], f->sizes[7]);
    bool is_good = vv_path_next_name(vv_buffer_string(&path), &name) != NULL &&
                   !path.failed && !name.failed;
    const char *metric = vv_buffer_string(&name);
    if (is_good && !name.failed && !l->metric)
        l->metric = vv_copy_string(a, metric);
    is_good = is_good && l->metric && strcmp(l->metric, metric) == 0;
    vv_buffer_clear(&name);
    vv_buffer_clear(&path);
    return is_good;
}

static bool parse_entry(const char *at, const char *end, struct vv_entry *e)
{
    struct fields f;
    if (!split(at, end, &f))
        return false;
    const char *const *fields = f.text;
    const size_t *sizes = f.sizes;
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

/* The next line, without its end; NULL past the last. */
static const char *next_line(
    const char **at, const char *end, const char **line_end)
{
    const char *begin = *at;
    *line_end = begin < end ? memchr(begin, '\n', (size_t)(end - begin)) : NULL;
    if (!*line_end)
        return NULL;
    *at = *line_end + 1;
    return begin;
}

static void parse_entries(struct vv_listing *l, const char *at, const char *end)
{
    const char *line_end;
    const char *line;
    size_t front = sizeof columns - 1;
    if ((size_t)(end - at) < front || memcmp(at, columns, front) != 0)
        return;
    at += front;
    while ((line = next_line(&at, end, &line_end)) != NULL) {
        struct vv_entry entry;
        if (parse_entry(line, line_end, &entry) && !vv_listing_add(l, &entry))
            return;
    }
}

static void parse(struct vv_listing *l, const char *text, size_t size,
    struct vv_policy *policy)
{
    if (!is_whole(text, size))
        return;
    const char *at = text + sizeof head - 1;
    const char *end = text + size - DIGEST_LINE;
    const char *line_end;
    const char *line = next_line(&at, end, &line_end);
    struct vv_policy there;
    struct fields fields;
    if (!line || !split(line, line_end, &fields) ||
        !parse_policy(&fields, &there))
        return;
    if (policy)
        *policy = there;
    if (take_metric(l, &fields))
        parse_entries(l, at, end);
}

void vv_ledger_read(struct vv_listing *l, struct vv_policy *policy)
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
        parse(l, text, (size_t)size, policy);
    vv_release(a, text, (size_t)size);
    vv_file_close(l->context, file);
}
