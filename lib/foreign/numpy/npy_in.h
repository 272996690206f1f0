/* npy_in.h - the header of a NumPy array (numpy/lib/format.py, "NEP 1"): magic,
 * version, length, and a Python dictionary as text.
 *
 * Versions 1.0, 2.0 and 3.0. The dictionary is read by a small grammar of its
 * own, in one pass and without recursion; nothing of Python is evaluated, and a
 * pickle is never looked into.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_IN_H
#define VV_NPY_IN_H

#include <varve/error.h>
#include <varve/tensor.h>

#include "buffer.h"

enum vv_npy_kind {
    VV_NPY_NUMBERS, /* of an element type of ours */
    VV_NPY_BYTES,   /* S: byte strings of one size, NUL behind them */
    VV_NPY_TEXT,    /* U: UTF-32 of one size, NUL behind it */
    VV_NPY_OPAQUE,  /* of a type that we do not have: bytes */
};

struct vv_npy_header {
    enum vv_npy_kind kind;
    varve_tensor type;  /* without data; of what is opaque, the shape alone */
    uint64_t count;     /* of elements */
    uint64_t item_size; /* bytes of an element in the file */
    uint64_t size;      /* of the data: count * item_size */
    bool is_structured; /* opaque, and the two are set by vv_npy_take_size */
    bool is_big_endian;
    bool is_fortran;   /* the first extent runs fastest */
    unsigned version;  /* 1 to 3 */
    const char *descr; /* the type as it stands, borrowed from the bytes */
    size_t descr_size;
};

/* All that has to be read before the size of the header is known: fewer bytes
 * are no array. The longest header, with what is before it. */
enum { VV_NPY_BEGIN = 12, VV_NPY_LONGEST = 12 + 65536 };

/* Whether the first bytes of a file are those of an array of any version. */
bool vv_npy_is_one(const void *head, size_t size);

/* Finds where the data begins, from the first VV_NPY_BEGIN bytes. `where` names
 * file and entry for messages. VARVE_TOO_NEW, VARVE_LIMIT, VARVE_CORRUPT,
 * VARVE_NOT_A_CHECKPOINT. */
varve_status vv_npy_measure(const unsigned char *bytes, const char *where,
    uint64_t *data_offset, varve_error *error);

/* Parses everything before the data; `size` is what vv_npy_measure found.
 * VARVE_CORRUPT; VARVE_LIMIT for more than VARVE_MAX_RANK extents;
 * VARVE_NOT_A_CHECKPOINT for pickled objects. */
varve_status vv_npy_parse(struct vv_npy_header *header,
    const unsigned char *bytes, size_t size, const char *where,
    varve_error *error);

/* Compares the bytes that are there behind the header with those that it
 * promises: VARVE_TRUNCATED, VARVE_CORRUPT. A structured type, whose size only
 * its fields tell, takes what is there, if it is so much for each element. */
varve_status vv_npy_take_size(struct vv_npy_header *header, uint64_t found,
    const char *where, varve_error *error);

/* Whether the data lies as it would in a file of ours: little-endian numbers in
 * row-major order, or opaque bytes. */
bool vv_npy_is_plain(const struct vv_npy_header *header);

/* Appends what the state that holds opaque bytes is tagged with: "numpy:" and
 * the type as it stands; of V2 (which is how bfloat16 is written) without the
 * sign of its byte order, which has no meaning. For a type of more than 4 KiB,
 * "[...]". */
void vv_npy_tag(const struct vv_npy_header *header, struct vv_buffer *tag);

#endif
