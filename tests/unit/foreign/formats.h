/* formats.h - a format whose files hold whatever a test says.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_FORMATS_H
#define TEST_FORMATS_H

#include "arrays.h"
#include "failure.h"
#include "checkpoint_in.h"

/* Variables of bytes, called "a", "b" and so on. */
struct told_value {
    uint64_t size;
    struct vv_place place;
    bool is_not_saved;
};

static struct told_value told_values[8];
static size_t told_count;
static int decode_count, free_count; /* calls */
static bool decode_fails;
static varve_status (*told_more)(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error);

/* Byte `i` of what is decoded under a number. */
static inline unsigned char decoded_byte(uint64_t number, uint64_t i)
{
    return (unsigned char)(number * 31 + i * 7 + (i >> 10) + 1);
}

static inline varve_status decode_told(const struct vv_foreign *f,
    uint64_t number, unsigned char *bytes, size_t size, varve_error *error)
{
    (void)f;
    decode_count++;
    memset(bytes, 0xee, size);
    if (decode_fails)
        return vv_fail(error, VARVE_CORRUPT, "burnt");
    for (size_t i = 0; i < size; i++)
        bytes[i] = decoded_byte(number, i);
    return VARVE_OK;
}

static inline void free_told(struct vv_foreign *f)
{
    cr_assert_str_eq(f->state, "state");
    free_count++;
}

static inline varve_status open_told(
    struct vv_foreign *f, struct vv_draft *draft, varve_error *error)
{
    static char state[] = "state";
    f->decode = decode_told;
    f->state = state;
    f->free = free_told;
    for (size_t i = 0; i < told_count; i++) {
        const struct told_value *v = &told_values[i];
        varve_tensor type = {
            .dtype = VARVE_UINT8, .rank = 1, .shape = { v->size } };
        uint32_t node = vv_draft_node(draft, VARVE_VARIABLE);
        vv_draft_edge(draft, 0, &"abcdefgh"[i], 1, node);
        vv_draft_value(
            draft, node, &type, 0, v->is_not_saved ? NULL : &v->place);
    }
    return told_more ? told_more(f, draft, error) : VARVE_OK;
}

static const struct vv_foreign_format told_format = {
    .format = VARVE_FORMAT_GGUF,
    .open = open_told,
};

/* Opens "dir/file", which has to be there. */
static inline varve_status open_as_told(
    struct world *w, struct vv_opened *in, varve_error *error)
{
    decode_count = free_count = 0;
    decode_fails = false;
    return vv_checkpoint_open_as(
        in, &w->context, "dir/file", &told_format, error);
}

#endif
