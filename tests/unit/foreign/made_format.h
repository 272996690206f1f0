/* made_format.h - Declares a test format whose files have any content that a
 * test requires.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_MADE_FORMAT_H
#define TEST_MADE_FORMAT_H

#include "arrays.h"
#include "failure.h"
#include "format_choice.h"

/* Variables of bytes, named "a", "b" and so on. */
struct made_value {
    uint64_t size;
    struct vv_place place;
    bool is_not_saved;
};

static struct made_value made_values[8];
static size_t made_count;
static int decode_count, free_count; /* number of calls */
static bool decode_fails;
static varve_status (*made_more)(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error);

/* Returns byte `i` of the decoded data of a number. */
static inline unsigned char decoded_byte(uint64_t number, uint64_t i)
{
    return (unsigned char)(number * 31 + i * 7 + (i >> 10) + 1);
}

static inline varve_status decode_made(const struct vv_foreign *f,
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

static inline void free_made(struct vv_foreign *f)
{
    cr_assert_str_eq(f->state, "state");
    free_count++;
}

static inline varve_status open_made(
    struct vv_foreign *f, struct vv_draft *draft, varve_error *error)
{
    static char state[] = "state";
    f->decode = decode_made;
    f->state = state;
    f->free = free_made;
    for (size_t i = 0; i < made_count; i++) {
        const struct made_value *v = &made_values[i];
        varve_tensor type = {
            .dtype = VARVE_UINT8, .rank = 1, .shape = { v->size }
        };
        uint32_t node = vv_draft_node(draft, VARVE_VARIABLE);
        vv_draft_edge(draft, 0, &"abcdefgh"[i], 1, node);
        vv_draft_value(
            draft, node, &type, 0, v->is_not_saved ? NULL : &v->place);
    }
    return made_more ? made_more(f, draft, error) : VARVE_OK;
}

static const struct vv_foreign_format made_format = {
    .format = VARVE_FORMAT_GGUF,
    .open = open_made,
};

/* Opens "dir/file", which must exist. */
static inline varve_status open_as_made(
    struct world *w, struct vv_opened *in, varve_error *error)
{
    decode_count = free_count = 0;
    decode_fails = false;
    return vv_checkpoint_open_as(
        in, &w->context, "dir/file", &made_format, error);
}

#endif
