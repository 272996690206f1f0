/* reached.h - Fields that are not stored contiguously: bit-fields, and rows
 * with separate pointers. Functions copy the values of their variables.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REACHED_H
#define VV_REACHED_H

#include <varve/struct.h>

#include "disjoint.h"
#include "node.h"

/* Returns true for a field of this kind. */
static inline bool vv_is_reached(const varve_field *field)
{
    return field->ones || field->is_row_pointers;
}

/* Returns an error message if such a field is invalid, or NULL. The extents of
 * the object must have been checked. */
const char *vv_reached_bad(const varve_field *field, const void *object);

/* Returns the number of elements in a row. The extents of the object must have
 * been checked. */
uint64_t vv_reached_length(
    const varve_field *field, const void *object, uint64_t row);

/* Makes the variable of such a field, without an edge. Returns nil if out of
 * memory. */
varve_node *vv_reached_new(
    varve_graph *graph, const varve_field *field, const void *object);

/* Returns true if the variable uses the current memory of the field: the same
 * pointers and lengths. Returns false if the program has bound it to other
 * memory. */
bool vv_reached_is_over(
    const varve_node *node, const varve_field *field, const void *object);

/* Binds the variable to the current memory. Records an error if out of memory.
 */
void vv_reached_rebind(
    varve_node *node, const varve_field *field, const void *object);

/* Return the number of address ranges of such a node, and one of them. The
 * number is 0 for other nodes. */
size_t vv_reached_pieces(const varve_node *node);
struct vv_address_range vv_reached_piece(const varve_node *node, size_t piece);

/* Return true if both nodes are bit-fields, and if these share a bit. */
bool vv_reached_are_bits(const varve_node *a, const varve_node *b);
bool vv_reached_share_bits(const varve_node *a, const varve_node *b);

/* Returns true if both nodes are for the same member of the same object. */
bool vv_reached_alike(const varve_node *a, const varve_node *b);

#endif
