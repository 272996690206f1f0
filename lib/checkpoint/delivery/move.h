/* move.h - one value on its way from the file into the program's memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MOVE_H
#define VV_MOVE_H

#include <stdatomic.h>

#include "mapping.h"
#include "delivery.h"
#include "part.h"

/* Up to this, values may be read together. */
enum { VV_SMALL_VALUE = 256 * 1024 };

/* How the bytes of a value become the memory of a variable. */
enum vv_move_mode {
    VV_MOVE_PLAIN,   /* as they are */
    VV_MOVE_CAST,    /* element by element */
    VV_MOVE_RESIZE,  /* the box that both shapes have, perhaps cast */
    VV_MOVE_BOX,     /* what a slice has of the value, or the pieces of it put
                        together, perhaps cast */
    VV_MOVE_STRINGS, /* all of them first, then an array that points at them */
    VV_MOVE_STATE,   /* all of them, for a callback */
    VV_MOVE_MAPPED,  /* not at all: the file's pages become the memory */
    VV_MOVE_VERIFY,  /* nowhere: only their digests matter */
};

struct vv_move {
    varve_node *node;
    uint32_t value;
    uint8_t mode;
    uint8_t older_state;      /* varve_variable_state before the value */
    atomic_bool is_touched;   /* visible memory was written to */
    uint8_t is_fresh : 1;     /* into memory that nobody has seen yet */
    uint8_t is_staged : 1;    /* into memory exchanged with the variable's */
    uint8_t is_boxed : 1;     /* chunks are parts of a box: see vv_move_box */
    uint8_t is_elsewhere : 1; /* the variable's memory has to be copied in */
    uint8_t is_fixed : 1;     /* nothing is written: elements are compared as
                                 they come */
    uint8_t needs : 2;        /* to how many of enum vv_need it belongs */
    void *target; /* where elements go; NULL where they are copied in at once */
    union {
        void *block; /* strings and states: the bytes as they lie in the file;
                        mapped: what owns the mapping */
        atomic_uint_fast64_t inexact; /* the rest: values that a cast could
                                         not keep; of what is fixed, also
                                         pieces that differ */
    };
};

/* There are as many as there are values. */
_Static_assert(sizeof(struct vv_move) <= 32, "small");

/* Whether all bytes of a value are gathered in a block first. */
static inline bool vv_move_gathers(const struct vv_move *move)
{
    return move->mode == VV_MOVE_STRINGS || move->mode == VV_MOVE_STATE;
}

/* Whether elements may become those of another type. */
static inline bool vv_move_casts(const struct vv_move *move)
{
    return move->mode == VV_MOVE_CAST || move->mode == VV_MOVE_RESIZE ||
           move->mode == VV_MOVE_BOX;
}

/* Puts moves in the order of the values' numbers. */
void vv_moves_sort(struct vv_move *moves, size_t count);

/* A value on its way to a node that it fits, or no further than to be verified;
 * then the node may be gone. */
struct vv_move vv_move_of(const struct vv_delivery *d, varve_node *node,
    uint32_t value, bool only_verify);

/* Which box of its value a move that is boxed takes; what is outside the value
 * has nothing to come. */
varve_box vv_move_box(const struct vv_delivery *d, const struct vv_move *move);

/* Sets *chunk to the first one from there on that has to be read; false if
 * there is none. Of a box those that it meets, unless the value is verified by
 * a sum over all of it. */
bool vv_move_reads(
    const struct vv_delivery *d, const struct vv_move *move, uint64_t *chunk);

/* The bytes of all of these. */
uint64_t vv_move_size(const struct vv_delivery *d, const struct vv_move *move);

/* Why a value cannot be had as pages of its file, "" where it is too small for
 * that to be worth a word, or mapped already; NULL where it can, and then
 * `*range`, unless that is NULL, is where it lies. */
const char *vv_move_obstacle(const struct vv_delivery *d,
    const varve_node *node, uint32_t value, struct vv_range *range);

/* Whether a value that is wanted without memory (`leaves_values`) can be read
 * in pieces whenever it is asked for, and is large enough for that. */
bool vv_move_may_stay(const struct vv_delivery *d, const struct vv_move *move);

/* Whether elements are copied in as they come; and whether functions of the
 * program copy them, in or out. */
static inline bool vv_move_copies_in(const struct vv_move *move)
{
    return move->is_elsewhere && !move->is_staged && !move->is_fixed;
}

bool vv_move_goes_far(const struct vv_move *move);

/* Puts verified bytes of a value, from `first` on, where they belong, if the
 * move is not boxed. Whole elements; may be called for several parts of a value
 * at once, unless it goes far. `bytes` may be changed. Only what is copied in
 * can fail. */
varve_status vv_move_bytes(const struct vv_delivery *d, struct vv_move *move,
    uint64_t first, void *bytes, size_t size, varve_error *error);

/* The same of one that is boxed: what the box has of the part. */
varve_status vv_move_part(const struct vv_delivery *d, struct vv_move *move,
    const struct vv_chunk_part *part, void *bytes, varve_error *error);

/* Where all bytes of a part belong as they are, or NULL. */
void *vv_move_place(const struct vv_delivery *d, const struct vv_move *move,
    const struct vv_chunk_part *part);

/* Makes the array of a string move from its block. VARVE_CORRUPT when lengths
 * and size disagree. */
varve_status vv_move_strings(
    const struct vv_delivery *d, struct vv_move *move, varve_error *error);

/* The status of a failure: VARVE_PARTIALLY_RESTORED where it left variables
 * with new bytes, which the message names; else as it was. */
varve_status vv_moves_failed(const struct vv_delivery *d,
    const struct vv_move *moves, size_t count, varve_status status,
    varve_error *error);

/* Checks the bytes of a chunk of a value, with `only_bools` no checksum but
 * still that bools are 0 or 1. A failure names the node that it is for, if
 * there is one. */
varve_status vv_check_piece(const struct vv_delivery *d, const varve_node *node,
    uint32_t value, uint64_t chunk, const void *bytes, bool only_bools,
    varve_error *error);

#endif
