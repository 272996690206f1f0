/* pickle_out.h - Writes a pickle of protocol 2, opcode by opcode.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PICKLE_OUT_H
#define VV_PICKLE_OUT_H

#include "buffer.h"

/* Opcodes without arguments. */
enum vv_pickle_op {
    VV_OP_MARK = '(',
    VV_OP_DICT = '}',
    VV_OP_LIST = ']',
    VV_OP_NOTHING = ')', /* the empty tuple */
    VV_OP_NONE = 'N',
    VV_OP_TRUE = 0x88,
    VV_OP_FALSE = 0x89,
    VV_OP_CALL = 'R',
    VV_OP_OUTSIDE = 'Q',
    /* These take the stack from the last mark: */
    VV_OP_TUPLE = 't',
    VV_OP_APPEND = 'e',
    VV_OP_SET = 'u',
};

enum { VV_PICKLE_SHARED = 64 };

struct vv_pickle_out {
    /* to read */
    struct vv_buffer bytes;
    /* own */
    uint32_t noted; /* entries in the memo */
    size_t shared_count;
    struct {
        const char *text;
        uint32_t number;
    } shared[VV_PICKLE_SHARED];
};

void vv_pickle_out_begin(
    struct vv_pickle_out *out, const varve_allocator *allocator);
void vv_pickle_out_end(struct vv_pickle_out *out);
void vv_pickle_out_clear(struct vv_pickle_out *out);

static inline void vv_pickle_out_op(
    struct vv_pickle_out *out, enum vv_pickle_op op)
{
    vv_buffer_add8(&out->bytes, (uint8_t)op);
}

/* Stores the last value in the memo and returns its number. */
uint32_t vv_pickle_out_note(struct vv_pickle_out *out);
void vv_pickle_out_noted(struct vv_pickle_out *out, uint32_t number);

void vv_pickle_out_integer(struct vv_pickle_out *out, int64_t value);
void vv_pickle_out_unsigned(struct vv_pickle_out *out, uint64_t value);
void vv_pickle_out_real(struct vv_pickle_out *out, uint64_t bits);
/* Adds an integer in little-endian two's complement of fewer than 2^31 bytes.
 */
void vv_pickle_out_long(
    struct vv_pickle_out *out, const unsigned char *bytes, size_t size);

/* Adds valid UTF-8 of fewer than 2^32 bytes. */
void vv_pickle_out_text(
    struct vv_pickle_out *out, const char *bytes, size_t size);

/* Adds any bytes. Bytes from 128 on take two bytes each. */
void vv_pickle_out_bytes(
    struct vv_pickle_out *out, const unsigned char *bytes, size_t size);

/* Adds a text or a global, which is written once and then taken from the memo.
 * The strings must be static and unique among texts and names of globals. */
void vv_pickle_out_shared_text(struct vv_pickle_out *out, const char *text);
void vv_pickle_out_global(
    struct vv_pickle_out *out, const char *module, const char *name);

#endif
