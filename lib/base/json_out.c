/* json_out.c - Writes JSON strings with escapes, and numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "json_out.h"

#include <stdio.h>
#include <string.h>

#include "name.h"

static void add_unit(struct vv_buffer *to, uint32_t unit)
{
    char escape[8];
    snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unit & 0xffff));
    vv_buffer_add_string(to, escape);
}

/* Adds a character below 0x80. */
static void add_plain(struct vv_buffer *to, char c)
{
    static const char values[] = "\"\\\b\f\n\r\t";
    static const char names[] = "\"\\bfnrt";
    const char *value = c ? strchr(values, c) : NULL;
    if (value) {
        vv_buffer_add8(to, '\\');
        vv_buffer_add8(to, (uint8_t)names[value - values]);
    } else if ((unsigned char)c < 0x20) {
        add_unit(to, (unsigned char)c);
    } else {
        vv_buffer_add8(to, (uint8_t)c);
    }
}

void vv_json_add_string(struct vv_buffer *to, const char *text, size_t size)
{
    vv_buffer_add8(to, '"');
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)text[i] < 0x80)
            add_plain(to, text[i]);
        else
            vv_buffer_add8(to, (uint8_t)text[i]);
    }
    vv_buffer_add8(to, '"');
}

/* Returns the first character of valid UTF-8, and sets *step to its size in
 * bytes. */
static uint32_t character(const char *text, size_t *step)
{
    unsigned char first = (unsigned char)text[0];
    *step = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    uint32_t value = first & masks[*step];
    for (size_t i = 1; i < *step; i++)
        value = value << 6 | ((unsigned char)text[i] & 0x3f);
    return value;
}

void vv_json_add_ascii(struct vv_buffer *to, const char *text, size_t size)
{
    size_t step;
    vv_buffer_add8(to, '"');
    for (size_t i = 0; i < size; i += step) {
        uint32_t c = character(text + i, &step);
        if (c < 0x7f) {
            add_plain(to, (char)c);
        } else if (c < 0x10000) {
            add_unit(to, c);
        } else {
            add_unit(to, 0xd800 + ((c - 0x10000) >> 10));
            add_unit(to, 0xdc00 + ((c - 0x10000) & 0x3ff));
        }
    }
    vv_buffer_add8(to, '"');
}

void vv_json_add_number(struct vv_buffer *to, uint64_t number)
{
    vv_buffer_add_decimal(to, number);
}
