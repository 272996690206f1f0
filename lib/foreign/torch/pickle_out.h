/* pickle_out.h - a pickle of protocol 2, opcode by opcode, of those that torch
 * itself writes and that its `weights_only` takes (torch/_weights_only_
 * unpickler.py).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PICKLE_OUT_H
#define VV_PICKLE_OUT_H

#include "buffer.h"

enum { VV_PICKLE_GLOBALS = 32 };

struct vv_pickle_out {
    /* to read */
    struct vv_buffer bytes; /* all of it; look at bytes.failed */
    /* own */
    uint32_t memo; /* how many are remembered */
    struct vv_pickle_known {
        const char *module, *name;
        uint32_t at; /* in the memo */
    } globals[VV_PICKLE_GLOBALS];
    unsigned global_count;
};

void vv_pickle_out_begin(
    struct vv_pickle_out *out, const varve_allocator *allocator);
void vv_pickle_out_end(struct vv_pickle_out *out);
void vv_pickle_out_clear(struct vv_pickle_out *out);

/* Opcodes without an argument. */
enum vv_pickle_op {
    VV_OP_NONE = 'N',
    VV_OP_MARK = '(',
    VV_OP_EMPTY_DICT = '}',
    VV_OP_SETITEMS = 'u', /* all since the mark */
    VV_OP_EMPTY_LIST = ']',
    VV_OP_APPENDS = 'e',
    VV_OP_EMPTY_TUPLE = ')',
    VV_OP_TUPLE = 't',
    VV_OP_OUTSIDE = 'Q', /* what a persistent id stands for */
    VV_OP_REDUCE = 'R',  /* calls */
    VV_OP_FALSE = 0x89,
    VV_OP_TRUE = 0x88
};
void vv_pickle_put(struct vv_pickle_out *out, enum vv_pickle_op op);

/* UTF-8, of less than 2^32 bytes. */
void vv_pickle_put_text(
    struct vv_pickle_out *out, const void *bytes, size_t size);
void vv_pickle_put_integer(struct vv_pickle_out *out, int64_t number);
void vv_pickle_put_unsigned(struct vv_pickle_out *out, uint64_t number);
void vv_pickle_put_real(struct vv_pickle_out *out, double number);

/* A function or class. Both are literals; there are at most VV_PICKLE_GLOBALS
 * of them. */
void vv_pickle_put_global(
    struct vv_pickle_out *out, const char *module, const char *name);

/* Remembers what was made last, and makes it again. */
uint32_t vv_pickle_remember(struct vv_pickle_out *out);
void vv_pickle_put_again(struct vv_pickle_out *out, uint32_t remembered);

#endif
