/* json_in.c - Parses one item of the grammar of RFC 8259 at a time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "json_in.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "name.h"
#include "try.h"

enum { MOST_SHOWN = 100 };

const char *vv_json_kind_text(enum vv_json_kind kind)
{
    static const char *const texts[] = {
        "an object",
        "an array",
        "a string",
        "an unsigned 64-bit integer",
        "a number",
        "true",
        "false",
        "null",
    };
    return texts[kind];
}

varve_status vv_json_fail(const struct vv_json_in *in, size_t at,
    const char *expected, const char *found)
{
    vv_fail(in->error, VARVE_CORRUPT,
        "%s: JSON at offset %" PRIu64 ": expected %s, found %s", in->path,
        in->base + at, expected, found);
    if (in->of)
        vv_fail_of(in->error, in->path, "tensor", in->of->text,
            (size_t)vv_json_shown(in->of));
    return VARVE_CORRUPT;
}

/* Returns the size of a UTF-8 byte order mark, or 0. */
static size_t mark_size(const void *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

bool vv_json_begins_object(const unsigned char *text, size_t size)
{
    for (size_t i = mark_size(text, size); i < size; i++) {
        if (!memchr(" \t\n\r", text[i], 4))
            return text[i] == '{';
    }
    return false;
}

void vv_json_skip_mark(struct vv_json_in *in)
{
    in->at += mark_size(in->bytes + in->at, in->size - in->at);
}

int vv_json_shown(const struct vv_json_item *item)
{
    size_t size = item->size < MOST_SHOWN ? item->size : MOST_SHOWN;
    while (size < item->size && size > 0 &&
           ((unsigned char)item->text[size] & 0xc0) == 0x80)
        size--;
    return (int)size;
}

static void json_in_skip_space(struct vv_json_in *in)
{
    for (; in->at < in->size; in->at++) {
        char c = in->bytes[in->at];
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
            return;
    }
}

/* Fails with the character at `in->at` as the one that was found. */
static varve_status fail_here(const struct vv_json_in *in, const char *expected)
{
    char found[16] = "the end";
    if (in->at < in->size) {
        unsigned char c = (unsigned char)in->bytes[in->at];
        bool plain = c > 0x20 && c < 0x7f;
        snprintf(found, sizeof found, plain ? "'%c'" : "byte 0x%02x", c);
    }
    return vv_json_fail(in, in->at, expected, found);
}

/* --- Strings ------------------------------------------------------------ */

/* Returns the value of four hexadecimal digits, or -1. */
static int code_unit(const char *at)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = vv_hexadecimal(at[i]);
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

static size_t json_in_encode(uint32_t c, char utf8[4])
{
    if (c < 0x80) {
        utf8[0] = (char)c;
        return 1;
    }
    size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = size; --i > 0; c >>= 6)
        utf8[i] = (char)(0x80 | (c & 0x3f));
    static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    utf8[0] = (char)(first[size] | c);
    return size;
}

/* Decodes the escape sequence at a backslash; `left` bytes are available.
 * Returns the number of bytes of its UTF-8 encoding, or 0 if it is not valid.
 * Sets *step to the size of the sequence. */
static size_t unescape_one(
    const char *at, size_t left, char utf8[4], size_t *step)
{
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    const char *name = left > 1 ? memchr(names, at[1], 8) : NULL;
    *step = 2;
    if (name) {
        utf8[0] = values[name - names];
        return 1;
    }
    int unit = left >= 6 && at[1] == 'u' ? code_unit(at + 2) : -1;
    *step = 6;
    if (unit < 0 || (unit >= 0xdc00 && unit < 0xe000))
        return 0;
    if (unit < 0xd800 || unit >= 0xe000)
        return json_in_encode((uint32_t)unit, utf8);
    int low =
        left >= 12 && at[6] == '\\' && at[7] == 'u' ? code_unit(at + 8) : -1;
    *step = 12;
    if (low < 0xdc00 || low >= 0xe000)
        return 0;
    return json_in_encode(
        0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00),
        utf8);
}

/* Skips an escape sequence at `in->at`. */
static varve_status read_escape(
    struct vv_json_in *in, struct vv_json_item *item)
{
    char utf8[4];
    size_t step;
    size_t size =
        unescape_one(in->bytes + in->at, in->size - in->at, utf8, &step);
    if (size == 0)
        return vv_json_fail(in, in->at, "a valid escape sequence",
            "an invalid one or an unpaired surrogate");
    item->has_nul |= size == 1 && utf8[0] == '\0';
    item->length += size;
    in->at += step;
    return VARVE_OK;
}

/* Reads a string whose opening quote is at `in->at`. */
static varve_status json_in_read_string(
    struct vv_json_in *in, struct vv_json_item *item)
{
    size_t begin = ++in->at;
    item->kind = VV_JSON_STRING;
    item->text = in->bytes + begin;
    while (in->at < in->size && in->bytes[in->at] != '"') {
        if (in->bytes[in->at] == '\\') {
            VV_TRY(read_escape(in, item));
            continue;
        }
        if ((unsigned char)in->bytes[in->at] < 0x20)
            return fail_here(in, "a string character");
        in->at++;
        item->length++;
    }
    item->size = in->at - begin;
    if (in->at == in->size)
        return fail_here(in, "'\"'");
    in->at++;
    if (!vv_utf8_is_valid(item->text, item->size))
        return vv_json_fail(in, item->at, "a string in UTF-8", "invalid bytes");
    return VARVE_OK;
}

/* Decodes the next byte or escape sequence of a valid string. Returns the
 * number of bytes in utf8. */
static size_t next_bytes(const char **at, char utf8[4])
{
    size_t step = 1;
    size_t size = 1;
    utf8[0] = **at;
    if (**at == '\\')
        size = unescape_one(*at, 12, utf8, &step);
    *at += step;
    return size;
}

void vv_json_unescape(const struct vv_json_item *string, struct vv_buffer *to)
{
    const char *at = string->text;
    const char *end = at + string->size;
    while (at < end && !to->failed) {
        const char *escape = memchr(at, '\\', (size_t)(end - at));
        const char *plain_end = escape ? escape : end;
        vv_buffer_add(to, at, (size_t)(plain_end - at));
        at = plain_end;
        if (at < end) {
            char utf8[4];
            size_t size = next_bytes(&at, utf8);
            vv_buffer_add(to, utf8, size);
        }
    }
}

/* Iterates over the unescaped bytes of a string; next_byte returns -1 at its
 * end. */
struct reading {
    const char *at;
    char utf8[4];
    size_t size, used;
};

static int next_byte(struct reading *r)
{
    if (r->used == r->size) {
        if (*r->at == '"')
            return -1;
        r->size = next_bytes(&r->at, r->utf8);
        r->used = 0;
    }
    return (unsigned char)r->utf8[r->used++];
}

int vv_json_compare(const char *a, const char *b)
{
    struct reading x = { .at = a }, y = { .at = b };
    for (;;) {
        int p = next_byte(&x);
        int q = next_byte(&y);
        if (p != q)
            return p < q ? -1 : 1;
        if (p < 0)
            return 0;
    }
}

bool vv_json_begins(const char *a, const char *b)
{
    struct reading x = { .at = a }, y = { .at = b };
    int q;
    while ((q = next_byte(&y)) >= 0) {
        if (next_byte(&x) != q)
            return false;
    }
    return true;
}

bool vv_json_is(const struct vv_json_item *string, const char *text)
{
    struct reading r = { .at = string->text };
    if (string->length != strlen(text))
        return false;
    for (; *text; text++) {
        if (next_byte(&r) != (unsigned char)*text)
            return false;
    }
    return true;
}

/* --- Numbers and words -------------------------------------------------- */

static size_t pass_digits(struct vv_json_in *in)
{
    size_t begin = in->at;
    while (in->at < in->size && in->bytes[in->at] >= '0' &&
           in->bytes[in->at] <= '9')
        in->at++;
    return in->at - begin;
}

static bool json_in_pass(struct vv_json_in *in, const char *any)
{
    bool is_there = in->at < in->size && in->bytes[in->at] != '\0' &&
                    strchr(any, in->bytes[in->at]);
    in->at += is_there;
    return is_there;
}

static varve_status read_number(
    struct vv_json_in *in, struct vv_json_item *item)
{
    item->text = in->bytes + in->at;
    item->kind = VV_JSON_NUMBER;
    json_in_pass(in, "-");
    size_t begin = in->at;
    size_t digits = pass_digits(in);
    if (digits == 0)
        return fail_here(in, "a digit");
    if (digits > 1 && in->bytes[begin] == '0')
        return vv_json_fail(
            in, begin, "a number without leading zeros", "a leading zero");
    if (json_in_pass(in, ".") && pass_digits(in) == 0)
        return fail_here(in, "a digit");
    if (json_in_pass(in, "eE")) {
        json_in_pass(in, "+-");
        if (pass_digits(in) == 0)
            return fail_here(in, "a digit");
    }
    item->size = (size_t)(in->bytes + in->at - item->text);
    /* Fails unless there are only digits. */
    if (vv_parse_decimal(item->text, item->size, &item->number))
        item->kind = VV_JSON_UNSIGNED;
    return VARVE_OK;
}

static varve_status read_word(struct vv_json_in *in, struct vv_json_item *item)
{
    static const struct {
        const char *word;
        size_t size;
        enum vv_json_kind kind;
    } words[] = {
        { "true", 4, VV_JSON_TRUE },
        { "false", 5, VV_JSON_FALSE },
        { "null", 4, VV_JSON_NULL },
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (in->size - in->at >= words[i].size &&
            memcmp(in->bytes + in->at, words[i].word, words[i].size) == 0) {
            item->kind = words[i].kind;
            in->at += words[i].size;
            return VARVE_OK;
        }
    }
    return fail_here(in, "a value");
}

/* --- Structure ---------------------------------------------------------- */

varve_status vv_json_value(struct vv_json_in *in, struct vv_json_item *item)
{
    json_in_skip_space(in);
    *item = (struct vv_json_item){ .at = in->at };
    in->is_open = false;
    char c = in->at < in->size ? in->bytes[in->at] : '\0';
    if (c == '{' || c == '[') {
        item->kind = c == '{' ? VV_JSON_OBJECT : VV_JSON_ARRAY;
        in->is_open = true;
        in->at++;
        return VARVE_OK;
    }
    if (c == '"')
        return json_in_read_string(in, item);
    if (c == '-' || (c >= '0' && c <= '9'))
        return read_number(in, item);
    return read_word(in, item);
}

varve_status vv_json_expect(
    struct vv_json_in *in, enum vv_json_kind kind, struct vv_json_item *item)
{
    VV_TRY(vv_json_value(in, item));
    if (item->kind == kind)
        return VARVE_OK;
    if (item->kind != VV_JSON_UNSIGNED && item->kind != VV_JSON_NUMBER)
        return vv_json_fail(in, item->at, vv_json_kind_text(kind),
            vv_json_kind_text(item->kind));
    char found[MOST_SHOWN + 8];
    snprintf(found, sizeof found, "%.*s", vv_json_shown(item), item->text);
    return vv_json_fail(in, item->at, vv_json_kind_text(kind), found);
}

/* Skips the end of an object or array, or the comma before the next part. */
static varve_status json_in_next_part(
    struct vv_json_in *in, char end, bool *more)
{
    json_in_skip_space(in);
    bool is_first = in->is_open;
    bool is_end = in->at < in->size && in->bytes[in->at] == end;
    in->is_open = false;
    *more = !is_end;
    if (is_end) {
        in->at++;
        return VARVE_OK;
    }
    if (!is_first && !json_in_pass(in, ","))
        return fail_here(in, end == '}' ? "',' or '}'" : "',' or ']'");
    json_in_skip_space(in);
    return VARVE_OK;
}

varve_status vv_json_member(
    struct vv_json_in *in, struct vv_json_item *name, bool *more)
{
    *name = (struct vv_json_item){ .at = in->at };
    VV_TRY(json_in_next_part(in, '}', more));
    if (!*more)
        return VARVE_OK;
    name->at = in->at;
    if (in->at == in->size || in->bytes[in->at] != '"')
        return fail_here(in, "the name of a member");
    VV_TRY(json_in_read_string(in, name));
    json_in_skip_space(in);
    if (!json_in_pass(in, ":"))
        return fail_here(in, "':'");
    return VARVE_OK;
}

varve_status vv_json_element(struct vv_json_in *in, bool *more)
{
    return json_in_next_part(in, ']', more);
}

/* Moves to the next value of the innermost object or array, if there is one. */
static varve_status next_to_skip(
    struct vv_json_in *in, bool in_object, bool *more)
{
    struct vv_json_item name;
    return in_object ? vv_json_member(in, &name, more)
                     : vv_json_element(in, more);
}

varve_status vv_json_skip(struct vv_json_in *in)
{
    uint64_t objects = 0; /* one bit for each open container: 1 for an object, 0
                             for an array */
    unsigned depth = 0;
    bool more = true;
    do {
        if (more) {
            struct vv_json_item item;
            VV_TRY(vv_json_value(in, &item));
            bool opens = item.kind <= VV_JSON_ARRAY;
            if (opens && depth == VV_JSON_SKIP_DEPTH)
                return vv_fail(in->error, VARVE_LIMIT,
                    "%s: JSON at offset %" PRIu64
                    ": objects and arrays are nested more than %d deep",
                    in->path, in->base + item.at, VV_JSON_SKIP_DEPTH);
            if (opens) {
                objects = objects << 1 | (item.kind == VV_JSON_OBJECT);
                depth++;
            }
        } else {
            objects >>= 1;
            depth--;
        }
        if (depth > 0)
            VV_TRY(next_to_skip(in, objects & 1, &more));
    } while (depth > 0);
    return VARVE_OK;
}

varve_status vv_json_end(struct vv_json_in *in)
{
    json_in_skip_space(in);
    if (in->at < in->size)
        return fail_here(in, "the end");
    return VARVE_OK;
}
