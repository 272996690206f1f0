/* state_file_in.c - Parses the protobuf text format, restricted to four fields
 * of strings and numbers (protobuf.dev, "Text Format Language").
 *
 * SPDX-License-Identifier: MIT
 */
#include "state_file_in.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "try.h"

enum { LARGEST_RECORD = 16 << 20 };

struct text {
    const char *path;
    const char *begin, *at, *end;
    varve_error *error;
};

static varve_status state_file_in_fail(
    const struct text *t, const char *expected)
{
    return vv_fail(t->error, VARVE_CORRUPT, "%s: offset %zu: expected %s",
        t->path, (size_t)(t->at - t->begin), expected);
}

/* --- Tokens --------------------------------------------------------------- */

static void state_file_in_skip_space(struct text *t)
{
    while (t->at < t->end) {
        if (*t->at == '#') {
            while (t->at < t->end && *t->at != '\n')
                t->at++;
        } else if (memchr(" \t\r\n\v\f", *t->at, 6)) {
            t->at++;
        } else {
            return;
        }
    }
}

static bool state_file_in_take(struct text *t, char c)
{
    state_file_in_skip_space(t);
    if (t->at == t->end || *t->at != c)
        return false;
    t->at++;
    return true;
}

static bool state_file_in_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

static int state_file_in_digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* Parses at least one and at most `most` digits. Returns false if there is
 * none. */
static bool state_file_in_take_digits(
    struct text *t, int base, int most, unsigned *value)
{
    int count = 0;
    *value = 0;
    while (count < most && t->at < t->end &&
           state_file_in_digit_of(*t->at) < base) {
        *value = *value * (unsigned)base +
                 (unsigned)state_file_in_digit_of(*t->at++);
        count++;
    }
    return count > 0;
}

/* Parses the escape sequence after a backslash. */
static varve_status take_escape(struct text *t, struct vv_buffer *to)
{
    static const char plain[] = "abfnrtv\\'\"?";
    static const char meant[] = "\a\b\f\n\r\t\v\\'\"?";
    unsigned value;
    if (t->at == t->end)
        return state_file_in_fail(t, "an escape sequence");
    const char *known = memchr(plain, *t->at, sizeof plain - 1);
    if (known) {
        t->at++;
        vv_buffer_add8(to, (uint8_t)meant[known - plain]);
        return VARVE_OK;
    }
    bool is_hex = *t->at == 'x' || *t->at == 'X';
    t->at += is_hex;
    if (!state_file_in_take_digits(
            t, is_hex ? 16 : 8, is_hex ? 2 : 3, &value) ||
        value == 0 || value > 255)
        return state_file_in_fail(t, "an escape sequence of one byte");
    vv_buffer_add8(to, (uint8_t)value);
    return VARVE_OK;
}

/* Parses one or more adjacent strings and concatenates them. */
static varve_status state_file_in_take_string(
    struct text *t, struct vv_buffer *to)
{
    to->size = 0;
    bool any = false;
    for (;; any = true) {
        state_file_in_skip_space(t);
        if (t->at == t->end || (*t->at != '"' && *t->at != '\''))
            return any ? VARVE_OK : state_file_in_fail(t, "a string");
        char quote = *t->at++;
        while (t->at < t->end && *t->at != quote) {
            char c = *t->at++;
            if (c == '\n' || c == '\0')
                return state_file_in_fail(t, "the end of the string");
            if (c == '\\')
                VV_TRY(take_escape(t, to));
            else
                vv_buffer_add8(to, (uint8_t)c);
        }
        if (t->at == t->end)
            return state_file_in_fail(t, "the end of the string");
        t->at++;
    }
}

static varve_status state_file_in_take_number(struct text *t)
{
    state_file_in_skip_space(t);
    const char *begin = t->at;
    while (t->at < t->end &&
           (state_file_in_is_word(*t->at) || memchr("+-.", *t->at, 3)))
        t->at++;
    return t->at > begin ? VARVE_OK : state_file_in_fail(t, "a number");
}

/* --- Fields --------------------------------------------------------------- */

enum field { LATEST, ALL, TIMES, PRESERVED, FIELDS };

static const char *const field_names[FIELDS] = {
    "model_checkpoint_path",
    "all_model_checkpoint_paths",
    "all_model_checkpoint_timestamps",
    "last_preserved_timestamp",
};

static enum field state_file_in_take_field(struct text *t)
{
    state_file_in_skip_space(t);
    const char *begin = t->at;
    while (t->at < t->end && state_file_in_is_word(*t->at))
        t->at++;
    size_t size = (size_t)(t->at - begin);
    for (enum field f = LATEST; f < FIELDS; f++) {
        if (strlen(field_names[f]) == size &&
            memcmp(field_names[f], begin, size) == 0)
            return f;
    }
    t->at = begin;
    return FIELDS;
}

static varve_status take_value(
    struct text *t, enum field field, struct vv_buffer *to)
{
    return field == LATEST || field == ALL ? state_file_in_take_string(t, to)
                                           : state_file_in_take_number(t);
}

static varve_status state_file_in_take_list(
    struct text *t, enum field field, struct vv_buffer *to)
{
    if (state_file_in_take(t, ']'))
        return VARVE_OK;
    do
        VV_TRY(take_value(t, field, to));
    while (state_file_in_take(t, ','));
    return state_file_in_take(t, ']')
               ? VARVE_OK
               : state_file_in_fail(t, "the end of the list");
}

static varve_status state_file_in_take_all(
    struct text *t, struct vv_buffer *latest, struct vv_buffer *other)
{
    for (state_file_in_skip_space(t); t->at < t->end;
         state_file_in_skip_space(t)) {
        enum field field = state_file_in_take_field(t);
        struct vv_buffer *to = field == LATEST ? latest : other;
        if (field == FIELDS)
            return state_file_in_fail(t, "a field of a `checkpoint` record");
        if (!state_file_in_take(t, ':'))
            return state_file_in_fail(t, "a colon");
        if ((field == ALL || field == TIMES) && state_file_in_take(t, '['))
            VV_TRY(state_file_in_take_list(t, field, to));
        else
            VV_TRY(take_value(t, field, to));
        if (!state_file_in_take(t, ','))
            state_file_in_take(t, ';');
    }
    return latest->size > 0 ? VARVE_OK
                            : state_file_in_fail(t, "a model_checkpoint_path");
}

/* --- The file ------------------------------------------------------------- */

/* Returns true if a path is relative and does not leave the directory. */
static bool goes_down(const char *path)
{
    if (*path == '/')
        return false;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
            return false;
    }
    return true;
}

static void set_prefix(
    struct vv_buffer *prefix, const char *record, const char *latest)
{
    prefix->size = 0;
    vv_buffer_add(prefix, record, (size_t)(vv_path_name(record) - record));
    vv_buffer_add_string(
        prefix, goes_down(latest) ? latest : vv_path_name(latest));
    vv_buffer_string(prefix);
}

static varve_status state_file_in_parse(const struct vv_context *context,
    struct text *t, struct vv_buffer *prefix, struct vv_buffer *noted)
{
    struct vv_buffer latest, other;
    vv_buffer_init(&latest, &context->allocator);
    vv_buffer_init(&other, &context->allocator);
    varve_status status = state_file_in_take_all(t, &latest, &other);
    if (!status) {
        set_prefix(prefix, t->path, vv_buffer_string(&latest));
        noted->size = 0;
        vv_buffer_add_string(noted, vv_buffer_string(&latest));
        vv_buffer_string(noted);
    }
    /* If memory ran out, a path appears empty. */
    if (latest.failed || other.failed || prefix->failed || noted->failed)
        status = vv_fail_memory(t->error, "a `checkpoint` record");
    vv_buffer_clear(&latest);
    vv_buffer_clear(&other);
    return status;
}

varve_status vv_state_file_latest(const struct vv_context *context,
    const char *path, struct vv_buffer *prefix, struct vv_buffer *noted,
    varve_error *error)
{
    int file;
    uint64_t size;
    VV_TRY(vv_file_open(context, path, &file, &size, error));
    size_t room = size > LARGEST_RECORD ? 0 : (size_t)size + 1;
    char *text = room ? vv_allocate(&context->allocator, room) : NULL;
    varve_status status;
    if (room == 0)
        status = vv_fail(error, VARVE_LIMIT,
            "%s: the record is too large: the limit is %d bytes, it has "
            "%" PRIu64,
            path, LARGEST_RECORD, size);
    else if (!text)
        status = vv_fail_memory(error, "a `checkpoint` record");
    else
        status =
            vv_file_read(context, file, path, text, (size_t)size, 0, error);
    vv_file_close(context, file);
    if (!status) {
        struct text t = { path, text, text, text + size, error };
        status = state_file_in_parse(context, &t, prefix, noted);
    }
    vv_release(&context->allocator, text, room);
    return status;
}

bool vv_state_file_is_one(const struct vv_context *context, const char *path)
{
    char head[512];
    int file;
    uint64_t size;
    if (vv_file_open(context, path, &file, &size, NULL))
        return false;
    size_t part = size < sizeof head ? (size_t)size : sizeof head;
    bool is_read = !vv_file_read(context, file, path, head, part, 0, NULL);
    vv_file_close(context, file);
    struct text t = { path, head, head, head + part, NULL };
    return is_read && state_file_in_take_field(&t) != FIELDS;
}
