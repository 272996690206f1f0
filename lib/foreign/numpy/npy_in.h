/* npy_in.h - Parses the header of a NumPy array (numpy/lib/format.py, "NEP 1"):
 * signature, version, length, and a Python dictionary as text.
 *
 * Supports versions 1.0, 2.0 and 3.0. The dictionary is parsed with a small
 * grammar, in one pass and without recursion. No Python code is evaluated and
 * no pickle is read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NPY_IN_H
#define VV_NPY_IN_H

#include <varve/error.h>
#include <varve/tensor.h>

#include "buffer.h"

/* --- The header ----------------------------------------------------------- */

enum vv_npy_kind {
    VV_NPY_NUMBERS, /* an element type that Varve has */
    VV_NPY_BYTES,   /* S: byte strings of equal size, padded with NUL */
    VV_NPY_TEXT,    /* U: UTF-32 strings of equal size, padded with NUL */
    VV_NPY_OPAQUE,  /* bytes of a type that Varve does not have */
};

struct vv_npy_header {
    enum vv_npy_kind kind;
    varve_tensor type;  /* without data; for VV_NPY_OPAQUE only the shape */
    uint64_t count;     /* number of elements */
    uint64_t item_size; /* size of an element in the file */
    uint64_t size;      /* size of the data: count * item_size */
    bool is_structured; /* opaque; item_size and size are set by
                           vv_npy_take_size */
    bool is_big_endian;
    bool is_fortran;   /* the first extent varies fastest */
    unsigned version;  /* 1 to 3 */
    const char *descr; /* the type as text, borrowed from the parsed bytes */
    size_t descr_size;
};

/* The number of bytes needed to determine the size of the header, which every
 * array has; and the size of the longest header, including these. */
enum { VV_NPY_BEGIN = 12, VV_NPY_LONGEST = 12 + 65536 };

/* Returns true if the file begins like an array of any version. */
bool vv_npy_is_one(const void *head, size_t size);

/* Determines the offset of the data from the first VV_NPY_BEGIN bytes. `where`
 * is the file and entry in error messages. Returns VARVE_TOO_NEW, VARVE_LIMIT,
 * VARVE_CORRUPT or VARVE_NOT_A_CHECKPOINT on failure. */
varve_status vv_npy_measure(const unsigned char *bytes, const char *where,
    uint64_t *data_offset, varve_error *error);

/* Parses everything before the data; `size` is the result of vv_npy_measure.
 * Returns VARVE_CORRUPT, VARVE_LIMIT for more than VARVE_MAX_RANK dimensions,
 * or VARVE_NOT_A_CHECKPOINT for pickled objects. */
varve_status vv_npy_parse(struct vv_npy_header *header,
    const unsigned char *bytes, size_t size, const char *where,
    varve_error *error);

/* Compares the number of bytes after the header with the size of the array.
 * Returns VARVE_TRUNCATED or VARVE_CORRUPT. The size of a structured type is
 * not known from the header: it is set from the number of bytes, which must be
 * a multiple of the number of elements. */
varve_status vv_npy_take_size(struct vv_npy_header *header, uint64_t found,
    const char *where, varve_error *error);

/* Returns true if the data is stored as in a Varve file: little-endian numbers
 * in row-major order, or opaque bytes. */
bool vv_npy_is_plain(const struct vv_npy_header *header);

/* Appends the tag of a state with opaque bytes: "numpy:" and the type. For V2
 * (as which bfloat16 is written) the byte order is omitted, because it has no
 * meaning. For a type of more than 4 KiB the tag is "numpy:[...]". */
void vv_npy_tag(const struct vv_npy_header *header, struct vv_buffer *tag);

/* --- Types ---------------------------------------------------------------- */

/* Maps types of NumPy, such as <f4, to element types. */

/* Parses header->descr, which must not be a structured type, and sets kind,
 * element type, byte order and size. Without a byte order character the data is
 * little-endian, as on nearly all machines that write such files. Returns false
 * if it is not a valid type. */
bool vv_npy_read_type(struct vv_npy_header *header);

/* Returns true if a type is that of Python objects. */
bool vv_npy_is_object(const char *descr, size_t size);

/* Returns NumPy's name of an element type: "<f4". bfloat16 and float8, which
 * NumPy does not have, are <V2 and |V1, as ml_dtypes writes them. Returns NULL
 * for strings, whose type includes their size. */
const char *vv_npy_type_of(varve_dtype dtype);

#endif
