/* page_out.c - bytes gathered and handed on; JSON that is at home in HTML.
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "name.h"

enum { GATHERED = 1 << 16 };

void vv_page_out_begin(
    struct vv_page_out *out, const varve_allocator *allocator)
{
    vv_buffer_init(&out->buffer, allocator);
    vv_buffer_reserve(&out->buffer, GATHERED + 4096);
    out->status = VARVE_OK;
}

void vv_page_out_fail(struct vv_page_out *out, varve_status status)
{
    if (!out->status)
        out->status = status;
}

static void hand_on(struct vv_page_out *out)
{
    if (out->buffer.failed && !out->status)
        out->status = vv_fail_memory(out->error, "a page");
    if (!out->status && out->buffer.size > 0)
        out->status = out->sink(
            out->user, out->buffer.data, out->buffer.size, out->error);
    out->buffer.size = 0;
}

varve_status vv_page_out_end(struct vv_page_out *out)
{
    hand_on(out);
    vv_buffer_clear(&out->buffer);
    return out->status;
}

static void add(struct vv_page_out *out, const void *bytes, size_t size)
{
    vv_buffer_add(&out->buffer, bytes, size);
    if (out->buffer.size >= GATHERED || out->buffer.failed)
        hand_on(out);
}

void vv_page_out_text(struct vv_page_out *out, const char *text)
{
    add(out, text, strlen(text));
}

void vv_page_out_comma(struct vv_page_out *out, size_t index)
{
    if (index > 0)
        add(out, ",", 1);
}

void vv_page_out_number(struct vv_page_out *out, uint64_t number)
{
    char text[24];
    add(out, text, vv_decimal(number, text));
}

void vv_page_out_real(struct vv_page_out *out, double number)
{
    char text[64];
    snprintf(text, sizeof text, "%.17g", number);
    vv_page_out_text(out, isfinite(number) ? vv_set_point(text) : "null");
}

/* --- Strings ------------------------------------------------------------ */

/* The character at the front of a text, and how many bytes it has; U+FFFD of
 * one byte where there is none. */
static size_t take(const char *text, size_t size, uint32_t *point)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    *point = s[0];
    if (length == 1)
        return 1;
    if (length > size || !vv_utf8_is_valid(text, length)) {
        *point = 0xfffd;
        return 1;
    }
    *point = s[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++)
        *point = *point << 6 | (s[i] & 0x3fu);
    return length;
}

/* Whether it may not stand in a page as it is. */
static bool is_escaped(uint32_t point)
{
    switch (point) {
    case '"':
    case '\\':
    case '<':
    case '>':
    case '&':
    case 0x61c:  /* an Arabic mark of direction, */
    case 0xfeff: /* and a mark of the order of bytes */
    case 0xfffd: return true;
    default: break;
    }
    return point < 0x20 || (point >= 0x7f && point < 0xa0) ||
           (point >= 0x200b && point <= 0x200f) ||
           (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2060 && point <= 0x206f);
}

/* All of them are below U+10000. */
static void add_escape(struct vv_page_out *out, uint32_t point)
{
    char text[8];
    snprintf(text, sizeof text, "\\u%04x", (unsigned)(point & 0xffff));
    add(out, text, 6);
}

void vv_page_out_string(struct vv_page_out *out, const char *text, size_t size)
{
    size_t plain = 0; /* where the run that needs no escape began */
    uint32_t point;
    add(out, "\"", 1);
    for (size_t i = 0, step; i < size; i += step) {
        step = take(text + i, size - i, &point);
        if (!is_escaped(point))
            continue;
        add(out, text + plain, i - plain);
        add_escape(out, point);
        plain = i + step;
    }
    add(out, text + plain, size - plain);
    add(out, "\"", 1);
}

void vv_page_out_maybe(struct vv_page_out *out, const char *text)
{
    if (text)
        vv_page_out_string(out, text, strlen(text));
    else
        add(out, "0", 1);
}
