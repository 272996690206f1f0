/* ledger.c - Writes a ledger as text, and reads it, with the ancestors of its
 * runs.
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

/* --- Ancestors ------------------------------------------------------------ */

/* Finds, prints and parses the ancestors of a run. */

enum { HASH_DIGITS = 16 };

uint64_t vv_run_hash(const char *run)
{
    uint64_t hash = vv_hash_of(run, strlen(run));
    return !*run ? 0 : hash ? hash : 1;
}

size_t vv_ancestry_find(const struct vv_ancestry *a, uint64_t run)
{
    size_t i = 0;
    while (i < a->count && a->all[i].run != run)
        i++;
    return i;
}

void vv_ancestry_add(struct vv_ancestry *a, uint64_t run, uint64_t counter)
{
    if (a->count < VV_MOST_ANCESTORS)
        a->all[a->count++] = (struct vv_ancestor){ run, counter };
}

void vv_ancestry_print(
    const struct vv_ancestry *a, size_t count, char text[VV_ANCESTRY_SIZE])
{
    *text = '\0';
    for (size_t i = 0; i < a->count && i < count; i++)
        text += snprintf(text, 40, "%s%016" PRIx64 ":%" PRIu64,
            i == 0 ? "" : ",", a->all[i].run, a->all[i].counter);
}

bool vv_ancestry_parse(struct vv_ancestry *a, const char *text, size_t size)
{
    const char *end = text + size;
    while (text < end) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        size_t length = (size_t)((comma ? comma : end) - text);
        uint64_t run, counter;
        if (length <= HASH_DIGITS + 1 || text[HASH_DIGITS] != ':' ||
            !vv_parse_hexadecimal(text, HASH_DIGITS, &run) ||
            !vv_parse_decimal(
                text + HASH_DIGITS + 1, length - HASH_DIGITS - 1, &counter))
            return false;
        vv_ancestry_add(a, run, counter);
        text += length + (comma != NULL);
    }
    return true;
}

/* --- Ledgers -------------------------------------------------------------- */

/* Writes a ledger as text, and reads it. */

static const char head[] =
    "varve ledger 3\nlast steps seconds best order bytes damaged metric\n";
static const char head_2[] =
    "varve ledger 2\nlast steps seconds best order bytes damaged metric\n";
static const char columns[] = "number counter step time metric size modified "
                              "identity parent after origin "
                              "ancestors manager run\n";

_Static_assert(sizeof head == sizeof head_2, "one is read as the other");

enum {
    MOST_BYTES = 64 << 20, /* about 200,000 entries */
    MARK_SIZE = 13,        /* the first bytes of a ledger: "varve ledger " */
    POLICY_FIELDS = 8,
    FIELDS = 14,              /* number of fields of an entry */
    DIGEST_LINE = 7 + 16 + 1, /* "digest ", digits, newline */
};

/* --- Lists -------------------------------------------------------------- */

void vv_ledger_begin(struct vv_ledger *l, const varve_allocator *allocator)
{
    *l = (struct vv_ledger){ .allocator = allocator };
}

void vv_ledger_clear(struct vv_ledger *l)
{
    vv_release_string(l->allocator, l->metric);
    vv_release(l->allocator, l->entries, l->capacity * sizeof *l->entries);
    vv_ledger_begin(l, l->allocator);
}

bool vv_ledger_add(struct vv_ledger *l, const struct vv_entry *entry)
{
    if (!vv_grow_array(l->allocator, &l->entries, &l->capacity, l->count,
            sizeof *l->entries))
        return false;
    l->entries[l->count++] = *entry;
    return true;
}

/* --- Out ---------------------------------------------------------------- */

static void ledger_add_known(struct vv_buffer *text, int64_t value)
{
    char field[32] = "- ";
    if (value >= 0)
        snprintf(field, sizeof field, "%" PRId64 " ", value);
    vv_buffer_add_string(text, field);
}

static void ledger_add_number(struct vv_buffer *text, uint64_t number)
{
    vv_buffer_add_decimal(text, number);
    vv_buffer_add8(text, ' ');
}

static void ledger_add_bits(
    struct vv_buffer *text, uint64_t bits, bool is_known)
{
    char field[32] = "- ";
    if (is_known)
        snprintf(field, sizeof field, "%016" PRIx64 " ", bits);
    vv_buffer_add_string(text, field);
}

static void ledger_add_policy(struct vv_buffer *text, const struct vv_ledger *l)
{
    const struct vv_policy *p = &l->policy;
    const char *metric = l->metric ? l->metric : "metric";
    ledger_add_number(text, p->keep_last);
    ledger_add_number(text, p->keep_every_steps);
    ledger_add_number(text, p->keep_every_seconds);
    ledger_add_number(text, p->keep_best);
    vv_buffer_add_string(text, p->best_is_larger ? "greatest " : "least ");
    ledger_add_number(text, p->keep_bytes);
    ledger_add_number(text, p->keep_damaged);
    vv_path_add_name(text, metric, strlen(metric));
    vv_buffer_add8(text, '\n');
}

static void ledger_add_entry(struct vv_buffer *text, const struct vv_entry *e)
{
    char number[32], ancestors[VV_ANCESTRY_SIZE];
    snprintf(number, sizeof number,
        e->is_padded ? "%08" PRIu64 " " : "%" PRIu64 " ", e->number);
    vv_buffer_add_string(text, number);
    ledger_add_number(text, e->counter);
    ledger_add_known(text, e->step);
    ledger_add_known(text, e->time);
    ledger_add_bits(text, vv_bits_of(e->metric), e->metric == e->metric);
    ledger_add_number(text, e->size);
    ledger_add_known(text, e->modified);
    ledger_add_bits(text, e->identity, e->identity != 0);
    ledger_add_bits(text, e->parent, e->parent != 0);
    ledger_add_number(text, e->parent_counter);
    ledger_add_bits(text, e->origin, e->origin != 0);
    vv_ancestry_print(&e->ancestry, VV_MOST_ANCESTORS, ancestors);
    vv_buffer_add_string(text, *ancestors ? ancestors : "-");
    vv_buffer_add_string(text, e->is_ours ? " ours " : " other ");
    vv_buffer_add_string(text, *e->run ? e->run : "-");
    vv_buffer_add8(text, '\n');
}

static void ledger_add_digest(struct vv_buffer *text)
{
    char line[DIGEST_LINE + 1];
    snprintf(line, sizeof line, "digest %016" PRIx64 "\n",
        vv_hash_of(text->data, text->size));
    vv_buffer_add_string(text, line);
}

/* Returns true if these are the first bytes of a ledger, or nothing but zeros:
 * a crash may leave zeros in a file that was not synced. */
static bool ledger_may_replace(const char *bytes, size_t size)
{
    size_t zeros = 0;
    while (zeros < size && bytes[zeros] == '\0')
        zeros++;
    return zeros == size ||
           (size >= MARK_SIZE && memcmp(bytes, head, MARK_SIZE) == 0);
}

/* Checks the file that the ledger replaces. Called last before the rename, as
 * no system can replace a file only if it has a certain content. */
static varve_status ledger_check_place(
    struct vv_publication *p, const char *path, varve_error *error)
{
    char bytes[4 * MARK_SIZE];
    size_t size = sizeof bytes;
    varve_error reason = { 0 };
    varve_status status = vv_file_head(p->context, path, bytes, &size, &reason);
    if (status == VARVE_NOT_FOUND) {
        vv_publish_keep_existing(p);
        return VARVE_OK;
    }
    if (status && error)
        *error = reason;
    if (status || ledger_may_replace(bytes, size))
        return status;
    return vv_fail(error, VARVE_EXISTS,
        "%s: this file has the name of the ledger but is not one; it was not "
        "changed, and checkpoints are opened instead: move it to another name",
        path);
}

static varve_status ledger_publish(const struct vv_context *context,
    const char *path, int flags, const struct vv_buffer *text,
    varve_error *error)
{
    struct vv_publication p;
    VV_TRY(vv_publish_begin(&p, context, path, flags, error));
    varve_status status =
        vv_file_write(context, p.file, path, text->data, text->size, 0, error);
    if (!status)
        status = ledger_check_place(&p, path, error);
    return vv_publish_end(&p, status, error);
}

varve_status vv_ledger_write(const struct vv_ledger *l,
    const struct vv_context *context, const char *path, varve_error *error)
{
    struct vv_buffer text;
    vv_buffer_init(&text, &context->allocator);
    vv_buffer_add_string(&text, head);
    ledger_add_policy(&text, l);
    vv_buffer_add_string(&text, columns);
    for (size_t i = 0; i < l->count; i++)
        if (l->entries[i].is_read)
            ledger_add_entry(&text, &l->entries[i]);
    if (!text.failed)
        ledger_add_digest(&text);
    int flags = VV_PUBLISH_NO_SYNC | (l->is_swept ? VV_PUBLISH_NO_SWEEP : 0);
    varve_status status =
        text.failed ? vv_fail_memory(error, "a ledger")
                    : ledger_publish(context, path, flags, &text, error);
    vv_buffer_clear(&text);
    return status;
}

/* --- In ----------------------------------------------------------------- */

/* Advances *at to the end of a field: the next space, or `end`. Returns the
 * size of the field. */
static size_t ledger_next_field(const char **at, const char *end)
{
    const char *begin = *at;
    while (*at < end && **at != ' ')
        ++*at;
    return (size_t)(*at - begin);
}

static bool ledger_parse_known(const char *text, size_t size, int64_t *value)
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

/* Parses "-", for which *bits is `unknown`, or 16 hexadecimal digits. */
static bool ledger_parse_bits(
    const char *text, size_t size, uint64_t unknown, uint64_t *bits)
{
    *bits = unknown;
    return (size == 1 && *text == '-') ||
           vv_parse_hexadecimal(text, size, bits);
}

struct ledger_fields {
    const char *text[FIELDS];
    size_t sizes[FIELDS];
};

/* Splits a line into `count` fields. Returns false if there are fewer fields or
 * more. */
static bool ledger_split(
    const char *at, const char *end, size_t count, struct ledger_fields *f)
{
    for (size_t i = 0; i < count; i++) {
        f->text[i] = at;
        f->sizes[i] =
            i < count - 1 ? ledger_next_field(&at, end) : (size_t)(end - at);
        if (f->sizes[i] == 0 || (i < count - 1 && at == end))
            return false;
        at++;
    }
    return true;
}

static bool ledger_parse_size(const char *text, size_t size, size_t *value)
{
    uint64_t number;
    bool is_one = vv_parse_decimal(text, size, &number) && number <= SIZE_MAX;
    *value = is_one ? (size_t)number : 0;
    return is_one;
}

static bool ledger_parse_policy(
    const struct ledger_fields *f, struct vv_policy *p)
{
    const char *const *text = f->text;
    const size_t *sizes = f->sizes;
    *p = (struct vv_policy){ .best_is_larger = sizes[4] == 8 };
    return ledger_parse_size(text[0], sizes[0], &p->keep_last) &&
           vv_parse_decimal(text[1], sizes[1], &p->keep_every_steps) &&
           vv_parse_decimal(text[2], sizes[2], &p->keep_every_seconds) &&
           ledger_parse_size(text[3], sizes[3], &p->keep_best) &&
           vv_parse_decimal(text[5], sizes[5], &p->keep_bytes) &&
           ledger_parse_size(text[6], sizes[6], &p->keep_damaged);
}

static bool ledger_parse_metric(
    struct vv_ledger *l, const struct ledger_fields *f)
{
    struct vv_buffer path, name;
    size_t last = POLICY_FIELDS - 1;
    vv_buffer_init(&path, l->allocator);
    vv_buffer_init(&name, l->allocator);
    vv_buffer_add(&path, f->text[last], f->sizes[last]);
    bool is_good = vv_path_next_name(vv_buffer_string(&path), &name) != NULL &&
                   !path.failed && !name.failed;
    if (is_good)
        l->metric = vv_copy_string(l->allocator, vv_buffer_string(&name));
    vv_buffer_clear(&name);
    vv_buffer_clear(&path);
    return l->metric != NULL;
}

static bool ledger_parse_entry(
    const char *at, const char *end, struct vv_entry *e)
{
    struct ledger_fields f;
    uint64_t metric;
    if (!ledger_split(at, end, FIELDS, &f))
        return false;
    const char *const *fields = f.text;
    const size_t *sizes = f.sizes;
    *e = (struct vv_entry){ .is_read = true };
    e->is_ours = sizes[12] == 4 && memcmp(fields[12], "ours", 4) == 0;
    bool has_run = !(sizes[13] == 1 && *fields[13] == '-');
    bool has_ancestors = !(sizes[11] == 1 && *fields[11] == '-');
    if (sizes[13] >= sizeof e->run)
        return false;
    if (has_run)
        memcpy(e->run, fields[13], sizes[13]);
    bool is_good =
        vv_parse_padded(fields[0], sizes[0], &e->number, &e->is_padded) &&
        vv_parse_decimal(fields[1], sizes[1], &e->counter) &&
        ledger_parse_known(fields[2], sizes[2], &e->step) &&
        ledger_parse_known(fields[3], sizes[3], &e->time) &&
        ledger_parse_bits(fields[4], sizes[4], vv_bits_of(NAN), &metric) &&
        vv_parse_decimal(fields[5], sizes[5], &e->size) &&
        ledger_parse_known(fields[6], sizes[6], &e->modified) &&
        ledger_parse_bits(fields[7], sizes[7], 0, &e->identity) &&
        ledger_parse_bits(fields[8], sizes[8], 0, &e->parent) &&
        vv_parse_decimal(fields[9], sizes[9], &e->parent_counter) &&
        ledger_parse_bits(fields[10], sizes[10], 0, &e->origin) &&
        (!has_ancestors ||
            vv_ancestry_parse(&e->ancestry, fields[11], sizes[11]));
    e->metric = is_good ? vv_real_of(metric) : NAN;
    return is_good;
}

/* Returns true if the last line has the digest of the text before it. */
static bool ledger_is_whole(const char *text, size_t size)
{
    uint64_t digest;
    size_t front = sizeof head - 1;
    if (size < front + DIGEST_LINE ||
        (memcmp(text, head, front) != 0 && memcmp(text, head_2, front) != 0))
        return false;
    const char *line = text + size - DIGEST_LINE;
    return memcmp(line, "digest ", 7) == 0 && text[size - 1] == '\n' &&
           vv_parse_hexadecimal(line + 7, 16, &digest) &&
           digest == vv_hash_of(text, size - DIGEST_LINE);
}

/* Returns the next line and sets *line_end to its end; returns NULL past the
 * last one. */
static const char *ledger_next_line(
    const char **at, const char *end, const char **line_end)
{
    const char *begin = *at;
    *line_end = begin < end ? memchr(begin, '\n', (size_t)(end - begin)) : NULL;
    if (!*line_end)
        return NULL;
    *at = *line_end + 1;
    return begin;
}

/* Returns VARVE_CORRUPT if a line is invalid. The digest of the file does not
 * rule that out. */
static varve_status ledger_parse_entries(struct vv_ledger *l, const char *at,
    const char *end, bool *has_entries, varve_error *error)
{
    const char *line_end;
    const char *line;
    size_t front = sizeof columns - 1;
    if ((size_t)(end - at) < front || memcmp(at, columns, front) != 0)
        return VARVE_OK;
    at += front;
    while ((line = ledger_next_line(&at, end, &line_end)) != NULL) {
        struct vv_entry entry;
        if (ledger_parse_entry(line, line_end, &entry) &&
            !vv_ledger_add(l, &entry))
            return vv_fail_memory(error, "a ledger");
    }
    *has_entries = true;
    return VARVE_OK;
}

static varve_status ledger_parse(struct vv_ledger *l, const char *path,
    const char *text, size_t size, bool *has_entries, varve_error *error)
{
    const char *at = text + sizeof head - 1;
    const char *end = text + size - DIGEST_LINE;
    const char *line_end;
    struct ledger_fields fields;
    const char *line = ledger_is_whole(text, size)
                           ? ledger_next_line(&at, end, &line_end)
                           : NULL;
    if (!line || !ledger_split(line, line_end, POLICY_FIELDS, &fields) ||
        !ledger_parse_policy(&fields, &l->policy))
        return vv_fail(error, VARVE_CORRUPT,
            "%s: the ledger is damaged; checkpoints are opened instead", path);
    if (!ledger_parse_metric(l, &fields))
        return vv_fail_memory(error, "the name of a metric");
    return ledger_parse_entries(l, at, end, has_entries, error);
}

varve_status vv_ledger_read(struct vv_ledger *l,
    const struct vv_context *context, const char *path, bool *has_entries,
    varve_error *error)
{
    int file;
    uint64_t size;
    *has_entries = false;
    VV_TRY(vv_file_open(context, path, &file, &size, error));
    char *text =
        size <= MOST_BYTES ? vv_allocate(l->allocator, (size_t)size + 1) : NULL;
    varve_status status =
        size > MOST_BYTES
            ? vv_fail(error, VARVE_CORRUPT,
                  "%s: the ledger is too large (%" PRIu64 " bytes)", path, size)
        : text ? vv_file_read(context, file, path, text, (size_t)size, 0, error)
               : vv_fail_memory(error, "a ledger");
    if (!status)
        status = ledger_parse(l, path, text, (size_t)size, has_entries, error);
    vv_release(l->allocator, text, text ? (size_t)size + 1 : 0);
    vv_file_close(context, file);
    return status;
}
