/* pickle_out.c - numbers in the shortest form that Python's own pickler has.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pickle_out.h"

#include <string.h>

#include "bytes.h"

enum {
    PROTOCOL = 0x80,
    GLOBAL = 'c',
    PUT = 'q',
    LONG_PUT = 'r',
    GET = 'h',
    LONG_GET = 'j',
    TEXT = 'X',
    INTEGER8 = 'K',
    INTEGER16 = 'M',
    INTEGER32 = 'J',
    INTEGER_OF_SIZE = 0x8a,
    REAL = 'G',
    STOP = '.',
};

void vv_pickle_out_begin(
    struct vv_pickle_out *out, const varve_allocator *allocator)
{
    *out = (struct vv_pickle_out){ .memo = 0 };
    vv_buffer_init(&out->bytes, allocator);
    vv_buffer_add8(&out->bytes, PROTOCOL);
    vv_buffer_add8(&out->bytes, 2);
}

void vv_pickle_out_end(struct vv_pickle_out *out)
{
    vv_buffer_add8(&out->bytes, STOP);
}

void vv_pickle_out_clear(struct vv_pickle_out *out)
{
    vv_buffer_clear(&out->bytes);
}

void vv_pickle_put(struct vv_pickle_out *out, enum vv_pickle_op op)
{
    vv_buffer_add8(&out->bytes, (uint8_t)op);
}

/* --- Leaves --------------------------------------------------------------- */

void vv_pickle_put_text(
    struct vv_pickle_out *out, const void *bytes, size_t size)
{
    vv_buffer_add8(&out->bytes, TEXT);
    vv_buffer_add32(&out->bytes, (uint32_t)size);
    vv_buffer_add(&out->bytes, bytes, size);
}

/* The bytes of a number in two's complement, lowest first, with its sign. */
static void add_long(struct vv_pickle_out *out, uint64_t number, bool is_below)
{
    unsigned char bytes[9];
    uint8_t size = 8;
    vv_store64(bytes, number);
    bytes[8] = is_below ? 0xff : 0;
    while (size > 0 && bytes[size] == bytes[8] &&
           bytes[size - 1] >> 7 == bytes[8] >> 7)
        size--;
    vv_buffer_add8(&out->bytes, INTEGER_OF_SIZE);
    vv_buffer_add8(&out->bytes, (uint8_t)(size + 1));
    vv_buffer_add(&out->bytes, bytes, size + 1);
}

void vv_pickle_put_integer(struct vv_pickle_out *out, int64_t number)
{
    struct vv_buffer *b = &out->bytes;
    if (number >= 0 && number <= UINT8_MAX) {
        vv_buffer_add8(b, INTEGER8);
        vv_buffer_add8(b, (uint8_t)number);
    } else if (number >= 0 && number <= UINT16_MAX) {
        vv_buffer_add8(b, INTEGER16);
        vv_buffer_add8(b, (uint8_t)number);
        vv_buffer_add8(b, (uint8_t)(number >> 8));
    } else if (number >= INT32_MIN && number <= INT32_MAX) {
        vv_buffer_add8(b, INTEGER32);
        vv_buffer_add32(b, (uint32_t)number);
    } else {
        add_long(out, (uint64_t)number, number < 0);
    }
}

void vv_pickle_put_unsigned(struct vv_pickle_out *out, uint64_t number)
{
    if (number <= INT64_MAX)
        vv_pickle_put_integer(out, (int64_t)number);
    else
        add_long(out, number, false);
}

void vv_pickle_put_real(struct vv_pickle_out *out, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    vv_buffer_add8(&out->bytes, REAL);
    for (int shift = 56; shift >= 0; shift -= 8)
        vv_buffer_add8(&out->bytes, (uint8_t)(bits >> shift));
}

/* --- The memo ------------------------------------------------------------- */

static void add_memo(
    struct vv_pickle_out *out, uint8_t near, uint8_t far, uint32_t at)
{
    vv_buffer_add8(&out->bytes, at <= UINT8_MAX ? near : far);
    if (at <= UINT8_MAX)
        vv_buffer_add8(&out->bytes, (uint8_t)at);
    else
        vv_buffer_add32(&out->bytes, at);
}

uint32_t vv_pickle_remember(struct vv_pickle_out *out)
{
    add_memo(out, PUT, LONG_PUT, out->memo);
    return out->memo++;
}

void vv_pickle_put_again(struct vv_pickle_out *out, uint32_t remembered)
{
    add_memo(out, GET, LONG_GET, remembered);
}

static void add_line(struct vv_pickle_out *out, const char *text)
{
    vv_buffer_add_string(&out->bytes, text);
    vv_buffer_add8(&out->bytes, '\n');
}

void vv_pickle_put_global(
    struct vv_pickle_out *out, const char *module, const char *name)
{
    for (unsigned i = 0; i < out->global_count; i++) {
        const struct vv_pickle_known *g = &out->globals[i];
        if (strcmp(g->module, module) == 0 && strcmp(g->name, name) == 0) {
            vv_pickle_put_again(out, g->at);
            return;
        }
    }
    vv_buffer_add8(&out->bytes, GLOBAL);
    add_line(out, module);
    add_line(out, name);
    out->globals[out->global_count++] =
        (struct vv_pickle_known){ module, name, vv_pickle_remember(out) };
}
