/* flax_sample.h - Builds msgpack files from hexadecimal digits, for reading
 * items or whole files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_FLAX_SAMPLE_H
#define UNIT_FLAX_SAMPLE_H

#include "hex.h"
#include "msgpack_in.h"
#include "readers.h"

#define FLAX_PATH "model.msgpack"

/* Arrays of float32: one of [2] with the numbers 1 and 2, one of [1] with 3,
 * and one without dimensions, 4. */
#define FLAX_ONE_TWO \
    "c7 15 01 93 91 02 a7 666c6f61743332 c4 08 0000803f 00000040 "
#define FLAX_THREE "c7 11 01 93 91 01 a7 666c6f61743332 c4 04 00004040 "
#define FLAX_FOUR "c7 10 01 93 90 a7 666c6f61743332 c4 04 00008040 "

static inline struct vv_buffer flax_bytes(const char *digits)
{
    struct vv_buffer b = new_bytes();
    size_t size;
    unsigned char *bytes = hex_bytes(digits, &size);
    vv_buffer_add(&b, bytes, size);
    free(bytes);
    return b;
}

/* --- Items ---------------------------------------------------------------- */

struct part {
    struct world w;
    struct vv_foreign *foreign;
    struct vv_msgpack in;
    varve_error error;
};

static inline void part_begin(struct part *p, const char *digits)
{
    struct vv_buffer b = flax_bytes(digits);
    *p = (struct part){ .w = world_new() };
    p->foreign = world_foreign(&p->w, FLAX_PATH, &b);
    p->foreign->context = &p->w.context;
    p->in = (struct vv_msgpack){ .window = { .foreign = p->foreign,
        .error = &p->error }, .end = b.size };
    vv_buffer_clear(&b);
}

static inline void part_end(struct part *p)
{
    vv_foreign_free(p->foreign);
    world_free(&p->w);
}

/* --- Whole files ---------------------------------------------------------- */

/* Opens a reader; the world must be freed after it. */
static inline varve_reader *flax_open(struct world *w, const char *digits)
{
    struct vv_buffer b = flax_bytes(digits);
    varve_error error = { 0 };
    *w = world_new();
    varve_reader *reader = open_bytes(w, FLAX_PATH, &b, &error);
    cr_assert(reader, "%s: %s", digits, error.message);
    vv_buffer_clear(&b);
    return reader;
}

static inline void flax_refused(const char *digits, varve_status status,
    const char *says)
{
    struct vv_buffer b = flax_bytes(digits);
    check_refused(FLAX_PATH, &b, status, says);
    vv_buffer_clear(&b);
}

#endif
