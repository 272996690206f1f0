/* flax_in.c - Recognizes Flax files, which have no signature, and reads the
 * tree and its slots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_in.h"

#include <string.h>

#include "flax_array.h"
#include "flax_decode.h"
#include "flax_slots.h"
#include "flax_tree.h"
#include "name.h"
#include "try.h"

/* --- Bidding -------------------------------------------------------------- */

/* Msgpack has no signature. The bid searches for the first bytes of an array
 * (an extension of type 1 that contains a list of three, the first of which is
 * a list), preceded only by maps, their keys, and plain numbers and texts. */

struct sight {
    const unsigned char *at, *end;
};

/* Returns the number after a marker byte. */
static uint64_t flax_in_take_number(struct sight *s, size_t width)
{
    uint64_t number = 0;
    if ((size_t)(s->end - s->at) < width) {
        s->at = s->end;
        return 0;
    }
    while (width-- > 0)
        number = number << 8 | *s->at++;
    return number;
}

/* Skips bytes. Returns false if they are not all available. */
static bool flax_in_pass(struct sight *s, uint64_t size)
{
    if (size > (uint64_t)(s->end - s->at))
        return false;
    s->at += size;
    return true;
}

static bool pass_text(struct sight *s, unsigned mark)
{
    if (mark >= 0xa0 && mark <= 0xbf)
        return flax_in_pass(s, mark & 0x1f);
    if (mark >= 0xd9 && mark <= 0xdb)
        return flax_in_pass(
            s, flax_in_take_number(s, (size_t)1 << (mark - 0xd9)));
    return false;
}

static bool pass_map(struct sight *s, unsigned mark)
{
    if (mark == 0xde || mark == 0xdf)
        return flax_in_pass(s, mark == 0xde ? 2 : 4);
    return mark >= 0x80 && mark <= 0x8f;
}

static bool pass_scalar(struct sight *s, unsigned mark)
{
    static const unsigned char sizes[] = { 4, 8, 1, 2, 4, 8, 1, 2, 4, 8 };
    if (mark <= 0x7f || mark >= 0xe0 || mark == 0xc0 || mark == 0xc2 ||
        mark == 0xc3)
        return true;
    if (mark >= 0xca && mark <= 0xd3)
        return flax_in_pass(s, sizes[mark - 0xca]);
    return pass_text(s, mark);
}

static bool is_array(struct sight s, unsigned mark)
{
    if (mark >= 0xc7 && mark <= 0xc9)
        flax_in_take_number(&s, (size_t)1 << (mark - 0xc7));
    else if (mark < 0xd4 || mark > 0xd8)
        return false;
    return s.end - s.at >= 3 && s.at[0] == VV_FLAX_ARRAY && s.at[1] == 0x93 &&
           ((s.at[2] & 0xf0) == 0x90 || s.at[2] == 0xdc);
}

/* Returns true if the file begins with a map that contains an array, possibly
 * preceded by other values: a map begins with a key, and a value is followed by
 * one. */
static bool flax_in_looks_like_one(const struct vv_candidate *c)
{
    struct sight s = { c->head, c->head + c->head_size };
    if (s.at == s.end || !pass_map(&s, *s.at++))
        return false;
    while (s.at < s.end && pass_text(&s, *s.at++) && s.at < s.end) {
        unsigned mark = *s.at++;
        if (is_array(s, mark))
            return true;
        if (!pass_map(&s, mark) && !pass_scalar(&s, mark))
            return false;
    }
    return false;
}

static enum vv_bid flax_in_bid(const struct vv_candidate *c)
{
    bool is_called = vv_text_ends_in(c->path, strlen(c->path), ".msgpack");
    struct sight s = { c->head, c->head + c->head_size };
    if (flax_in_looks_like_one(c))
        return VV_BID_LIKELY;
    if (!is_called)
        return VV_BID_NONE;
    return s.at < s.end && pass_map(&s, *s.at++) ? VV_BID_LIKELY : VV_BID_NAME;
}

/* --- Entry points --------------------------------------------------------- */

static varve_status flax_in_open_source(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    foreign->decode = vv_flax_decode;
    VV_TRY(vv_flax_tree_add(foreign, draft, error));
    return draft->failed ? VARVE_OK : vv_flax_slots_add(draft, error);
}

const struct vv_foreign_format vv_flax_format = {
    .format = VARVE_FORMAT_FLAX, .bid = flax_in_bid, .open = flax_in_open_source
};
