/* pickle_out.c - Writes opcodes in the form that Python's pickle.py produces.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pickle_out.h"

#include <string.h>

#include "bytes.h"

enum op {
    OP_PROTOCOL = 0x80,
    OP_NOTE = 'r',
    OP_NOTE_SHORT = 'q',
    OP_NOTED = 'j',
    OP_NOTED_SHORT = 'h',
    OP_INTEGER = 'J',
    OP_INTEGER8 = 'K',
    OP_INTEGER16 = 'M',
    OP_REAL = 'G',
    OP_LONG8 = 0x8a,
    OP_LONG32 = 0x8b,
    OP_TEXT = 'X',
    OP_GLOBAL = 'c',
    OP_STOP = '.',
    PROTOCOL = 2,
};

void vv_pickle_out_begin(
    struct vv_pickle_out *out, const varve_allocator *allocator)
{
    *out = (struct vv_pickle_out){ 0 };
    vv_buffer_init(&out->bytes, allocator);
    vv_buffer_add8(&out->bytes, OP_PROTOCOL);
    vv_buffer_add8(&out->bytes, PROTOCOL);
}

void vv_pickle_out_end(struct vv_pickle_out *out)
{
    vv_buffer_add8(&out->bytes, OP_STOP);
}

void vv_pickle_out_clear(struct vv_pickle_out *out)
{
    vv_buffer_clear(&out->bytes);
}

/* --- The memo ------------------------------------------------------------- */

static void pickle_out_add_number(
    struct vv_pickle_out *out, enum op small, enum op large, uint32_t number)
{
    vv_buffer_add8(&out->bytes, (uint8_t)(number <= UINT8_MAX ? small : large));
    if (number <= UINT8_MAX)
        vv_buffer_add8(&out->bytes, (uint8_t)number);
    else
        vv_buffer_add32(&out->bytes, number);
}

uint32_t vv_pickle_out_note(struct vv_pickle_out *out)
{
    pickle_out_add_number(out, OP_NOTE_SHORT, OP_NOTE, out->noted);
    return out->noted++;
}

void vv_pickle_out_noted(struct vv_pickle_out *out, uint32_t number)
{
    pickle_out_add_number(out, OP_NOTED_SHORT, OP_NOTED, number);
}

/* --- Numbers -------------------------------------------------------------- */

void vv_pickle_out_long(
    struct vv_pickle_out *out, const unsigned char *bytes, size_t size)
{
    vv_buffer_add8(&out->bytes, size <= UINT8_MAX ? OP_LONG8 : OP_LONG32);
    if (size <= UINT8_MAX)
        vv_buffer_add8(&out->bytes, (uint8_t)size);
    else
        vv_buffer_add32(&out->bytes, (uint32_t)size);
    if (size > 0)
        vv_buffer_add(&out->bytes, bytes, size);
}

void vv_pickle_out_unsigned(struct vv_pickle_out *out, uint64_t value)
{
    unsigned char bytes[9] = { 0 };
    if (value <= INT64_MAX) {
        vv_pickle_out_integer(out, (int64_t)value);
        return;
    }
    vv_store64(bytes, value);
    vv_pickle_out_long(out, bytes, sizeof bytes);
}

void vv_pickle_out_integer(struct vv_pickle_out *out, int64_t value)
{
    unsigned char bytes[8];
    if (value >= 0 && value <= UINT8_MAX) {
        vv_buffer_add8(&out->bytes, OP_INTEGER8);
        vv_buffer_add8(&out->bytes, (uint8_t)value);
    } else if (value >= 0 && value <= UINT16_MAX) {
        vv_buffer_add8(&out->bytes, OP_INTEGER16);
        vv_buffer_add8(&out->bytes, (uint8_t)value);
        vv_buffer_add8(&out->bytes, (uint8_t)(value >> 8));
    } else if (value >= INT32_MIN && value <= INT32_MAX) {
        vv_buffer_add8(&out->bytes, OP_INTEGER);
        vv_buffer_add32(&out->bytes, (uint32_t)value);
    } else {
        vv_store64(bytes, (uint64_t)value);
        vv_pickle_out_long(out, bytes, sizeof bytes);
    }
}

void vv_pickle_out_real(struct vv_pickle_out *out, uint64_t bits)
{
    vv_buffer_add8(&out->bytes, OP_REAL);
    for (int shift = 56; shift >= 0; shift -= 8)
        vv_buffer_add8(&out->bytes, (uint8_t)(bits >> shift));
}

/* --- Texts ---------------------------------------------------------------- */

void vv_pickle_out_text(
    struct vv_pickle_out *out, const char *bytes, size_t size)
{
    vv_buffer_add8(&out->bytes, OP_TEXT);
    vv_buffer_add32(&out->bytes, (uint32_t)size);
    if (size > 0)
        vv_buffer_add(&out->bytes, bytes, size);
}

/* Writes each byte as a character of Latin-1, encoded in UTF-8. */
static void add_latin(
    struct vv_pickle_out *out, const unsigned char *bytes, size_t size)
{
    size_t at = out->bytes.size + 1;
    vv_buffer_add8(&out->bytes, OP_TEXT);
    vv_buffer_add32(&out->bytes, 0);
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] >= 0x80)
            vv_buffer_add8(&out->bytes, (uint8_t)(0xc0 | bytes[i] >> 6));
        vv_buffer_add8(&out->bytes,
            bytes[i] < 0x80 ? bytes[i] : (uint8_t)(0x80 | (bytes[i] & 0x3f)));
    }
    if (!out->bytes.failed)
        vv_store32(out->bytes.data + at, (uint32_t)(out->bytes.size - at - 4));
}

void vv_pickle_out_bytes(
    struct vv_pickle_out *out, const unsigned char *bytes, size_t size)
{
    vv_pickle_out_global(out, "_codecs", "encode");
    vv_pickle_out_op(out, VV_OP_MARK);
    add_latin(out, bytes, size);
    vv_pickle_out_shared_text(out, "latin1");
    vv_pickle_out_op(out, VV_OP_TUPLE);
    vv_pickle_out_op(out, VV_OP_CALL);
}

/* Returns true after writing a reference to the memo if the text was written
 * before. */
static bool pickle_out_is_shared(struct vv_pickle_out *out, const char *text)
{
    for (size_t i = 0; i < out->shared_count; i++) {
        if (strcmp(out->shared[i].text, text) == 0) {
            vv_pickle_out_noted(out, out->shared[i].number);
            return true;
        }
    }
    return false;
}

static void pickle_out_share(struct vv_pickle_out *out, const char *text)
{
    if (out->shared_count == VV_PICKLE_SHARED)
        return;
    out->shared[out->shared_count].text = text;
    out->shared[out->shared_count++].number = vv_pickle_out_note(out);
}

void vv_pickle_out_shared_text(struct vv_pickle_out *out, const char *text)
{
    if (pickle_out_is_shared(out, text))
        return;
    vv_pickle_out_text(out, text, strlen(text));
    pickle_out_share(out, text);
}

void vv_pickle_out_global(
    struct vv_pickle_out *out, const char *module, const char *name)
{
    if (pickle_out_is_shared(out, name))
        return;
    vv_buffer_add8(&out->bytes, OP_GLOBAL);
    vv_buffer_add_string(&out->bytes, module);
    vv_buffer_add8(&out->bytes, '\n');
    vv_buffer_add_string(&out->bytes, name);
    vv_buffer_add8(&out->bytes, '\n');
    pickle_out_share(out, name);
}
