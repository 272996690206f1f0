/* move.h - Transfers one value from the file into the memory of the program: as
 * a copy, as mapped pages, or into a buffer of another shape.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MOVE_H
#define VV_MOVE_H

#include <stdatomic.h>
#include <stddef.h>

#include <varve/error.h>

#include "bytes.h"
#include "context.h"
#include "delivery.h"
#include "layout.h"
#include "part.h"
#include "piece_table.h"

/* --- Mappings ------------------------------------------------------------- */

/* Maps pages of a file as the memory of a variable. */

/* A range of an open file. */
struct vv_range {
    const char *path; /* for error messages */
    int file;
    uint64_t offset;
    size_t size;
};

/* Maps a range, private and writable. Sets *data to its memory and *owner to a
 * struct vv_borrowed that releases it. */
varve_status vv_mapping_new(const struct vv_context *context,
    const struct vv_range *range, void **owner, void **data,
    varve_error *error);

/* Accepts NULL. */
void vv_mapping_free(void *owner, void *data);

/* --- Moves ---------------------------------------------------------------- */

/* Values up to this size may be read together. */
enum { VV_SMALL_VALUE = 256 * 1024 };

/* The ways to store the bytes of a value in a variable. Those up to
 * VV_MOVE_STRINGS write to its memory. */
enum vv_move_mode {
    VV_MOVE_PLAIN,   /* unchanged */
    VV_MOVE_CAST,    /* converted element by element */
    VV_MOVE_RESIZE,  /* the box that both shapes have in common, possibly
                        converted */
    VV_MOVE_BOX,     /* the part of the value that a slice has, or a value in
                        several pieces, possibly converted */
    VV_MOVE_STRINGS, /* gathered first, then an array of strings that points
                        to them */
    VV_MOVE_STATE,   /* gathered first, for a callback */
    VV_MOVE_MAPPED,  /* not copied: pages of the file become the memory */
    VV_MOVE_VERIFY,  /* not stored: only verified */
};

struct vv_move {
    varve_node *node;
    uint32_t value;
    uint8_t mode;
    uint8_t older_state;      /* enum varve_variable_state before the
                                 delivery */
    atomic_bool is_touched;   /* memory that the program can access was
                                 written to; set by several threads */
    uint8_t is_fresh : 1;     /* into new memory that the program cannot
                                 access yet */
    uint8_t is_staged : 1;    /* into memory that is exchanged with that of
                                 the variable */
    uint8_t is_boxed : 1;     /* chunks are parts of a box (vv_move_box) */
    uint8_t is_elsewhere : 1; /* the variable is strided or in device memory */
    uint8_t is_fixed : 1;     /* nothing is written; elements are compared as
                                 they are read */
    uint8_t needs : 2;        /* number of sets of enum vv_need that it
                                 belongs to */
    void *target; /* destination of the elements; NULL if they are copied in
                     directly */
    union {
        void *block; /* for strings and states the bytes as stored; for a
                        mapping its owner */
        atomic_uint_fast64_t inexact; /* otherwise: number of elements that a
                                         cast could not represent; for fixed
                                         values also of pieces that differ */
    };
};

/* There is one move for each value. */
_Static_assert(sizeof(struct vv_move) <= 32, "small");

/* Returns true if all bytes of a value are gathered in a block first. */
static inline bool vv_move_gathers(const struct vv_move *move)
{
    return move->mode == VV_MOVE_STRINGS || move->mode == VV_MOVE_STATE;
}

/* Returns true if elements may be converted to another type. */
static inline bool vv_move_casts(const struct vv_move *move)
{
    return move->mode == VV_MOVE_CAST || move->mode == VV_MOVE_RESIZE ||
           move->mode == VV_MOVE_BOX;
}

/* Returns the offset of a value of `size` bytes in a staging that is aligned to
 * VV_ALIGNMENT. Small values are aligned as in a file, so that they can be read
 * together without a copy. For others a power of two that divides their size
 * suffices. */
static inline uint64_t vv_staged_place(uint64_t size, uint64_t offset)
{
    const uint64_t unit = size & (0 - size);
    const bool is_large = size >= VV_PAGED_SIZE || unit > VV_ALIGNMENT;
    if (size < VV_ALIGNMENT)
        return size ? vv_align_up(offset, VV_SMALL_ALIGNMENT) : offset;
    return vv_align_up(offset, is_large ? VV_ALIGNMENT : unit);
}

/* Sorts moves by the numbers of their values. */
void vv_moves_sort(struct vv_move *moves, size_t count);

/* Implements vv_mode_of for a value that differs in type, shape or form, or has
 * no variable. */
enum vv_move_mode vv_mode_of_other(const struct vv_delivery *d,
    const varve_node *node, uint32_t value, bool is_in_pieces);

/* Returns the mode of a move to a node that the value fits; NULL: none. */
static inline enum vv_move_mode vv_mode_of(const struct vv_delivery *d,
    const varve_node *node, uint32_t value, bool is_in_pieces)
{
    return node && !is_in_pieces && vv_is_alike(d->pairing, node, value) &&
                   node->variable->tensor.dtype != VARVE_STRING
               ? VV_MOVE_PLAIN
               : vv_mode_of_other(d, node, value, is_in_pieces);
}

/* Returns a move of a value to a node that it fits. With `only_verify` the
 * value is only verified, and `node` may be NULL. */
static inline struct vv_move vv_move_of(const struct vv_delivery *d,
    varve_node *node, uint32_t value, bool only_verify)
{
    bool is_in_pieces = vv_piece_count(vv_index_of(d->pairing), value) > 1;
    enum vv_move_mode mode = vv_mode_of(d, node, value, is_in_pieces);
    return (struct vv_move){
        .node = node,
        .value = value,
        .mode = (uint8_t)(only_verify ? VV_MOVE_VERIFY : mode),
        .is_boxed =
            is_in_pieces || mode == VV_MOVE_BOX || mode == VV_MOVE_RESIZE,
    };
}

/* Returns the box of its value that a boxed move takes. Elements of the box
 * outside the value are not changed. */
varve_box vv_move_box(const struct vv_delivery *d, const struct vv_move *move);

/* Sets *chunk to the first chunk from *chunk on that must be read. Returns
 * false if there is none. For a box these are the chunks that intersect it,
 * unless the value has a single checksum that must be verified. */
bool vv_move_reads(
    const struct vv_delivery *d, const struct vv_move *move, uint64_t *chunk);

/* Returns the number of bytes of these chunks. */
uint64_t vv_move_size(const struct vv_delivery *d, const struct vv_move *move);

/* Returns the reason why a value cannot be mapped from its file: "" if it is
 * too small to mention or already mapped. Returns NULL if it can be mapped, and
 * sets *range unless `range` is NULL. */
const char *vv_move_obstacle(const struct vv_delivery *d,
    const varve_node *node, uint32_t value, struct vv_range *range);

/* Returns true if a value is large enough to be left in the file
 * (`leaves_from`) and can be read in pieces at any time. */
bool vv_move_may_stay(const struct vv_delivery *d, const struct vv_move *move);

/* Returns true if elements are copied in as they are read. */
static inline bool vv_move_copies_in(const struct vv_move *move)
{
    return move->is_elsewhere && !move->is_staged && !move->is_fixed;
}

/* Returns true if functions of the program copy the elements, in or out. Only
 * one thread at a time may store such a value. */
bool vv_move_goes_far(const struct vv_move *move);

/* Stores verified bytes of a value from `first` on, if the move is not boxed.
 * The bytes must be complete elements, and may be changed. Several threads may
 * store parts of one value at the same time, unless vv_move_goes_far. Only
 * copies by functions of the program can fail. */
varve_status vv_move_bytes(const struct vv_delivery *d, struct vv_move *move,
    uint64_t first, void *bytes, size_t size, varve_error *error);

/* Does the same for a boxed move: stores the intersection of the box and the
 * part. */
varve_status vv_move_part(const struct vv_delivery *d, struct vv_move *move,
    const struct vv_chunk_part *part, void *bytes, varve_error *error);

/* Returns the address where all bytes of a part are stored unchanged, or NULL.
 */
void *vv_move_place(const struct vv_delivery *d, const struct vv_move *move,
    const struct vv_chunk_part *part);

/* Makes the array of strings from the block. Returns VARVE_CORRUPT if lengths
 * and size disagree. */
varve_status vv_move_strings(
    const struct vv_delivery *d, struct vv_move *move, varve_error *error);

/* Returns the status of a failed transfer: VARVE_PARTIALLY_RESTORED if
 * variables have new bytes, with their names in the message; otherwise
 * `status`. */
varve_status vv_moves_failed(const struct vv_delivery *d,
    const struct vv_move *moves, size_t count, varve_status status,
    varve_error *error);

/* Checks a chunk again after a failure of vv_check_piece, with the name of the
 * variable for the message. */
varve_status vv_check_named(const struct vv_delivery *d, const varve_node *node,
    uint32_t value, uint64_t chunk, const void *bytes, bool only_bools,
    varve_error *error);

/* Verifies a chunk of a value. With `only_bools` only checks that bools are 0
 * or 1. The error message contains the name of the node, if there is one. */
static inline varve_status vv_check_piece(const struct vv_delivery *d,
    const varve_node *node, uint32_t value, uint64_t chunk, const void *bytes,
    bool only_bools, varve_error *error)
{
    varve_status status =
        only_bools
            ? vv_opened_check_bools(d->file, value, chunk, bytes, NULL, NULL)
            : vv_opened_check(d->file, value, chunk, bytes, NULL, NULL);
    return status
               ? vv_check_named(d, node, value, chunk, bytes, only_bools, error)
               : VARVE_OK;
}

/* --- Resized values ------------------------------------------------------- */

/* Allocates buffers for the values of a transfer that change the shape of their
 * variables. */

/* Allocates a buffer for a move, which becomes a move into fresh memory. The
 * move must not be relocated before vv_resize_buffers_settle. */
varve_status vv_resize_buffers_add(const struct vv_delivery *d,
    struct vv_buffer *resize_buffers, struct vv_move *move, varve_error *error);

/* Exchanges the memory and shapes of all variables with their buffers. A second
 * call undoes this. */
void vv_resize_buffers_exchange(struct vv_buffer *resize_buffers);

/* Frees the memory that is not used. The moves have no target any more. */
void vv_resize_buffers_settle(struct vv_buffer *resize_buffers);

#endif
