/* reached.h - fields whose values do not lie in one piece: bit-fields, and rows
 * behind pointers of their own. Their variables are copied by functions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REACHED_H
#define VV_REACHED_H

#include <varve/struct.h>

#include "apart.h"
#include "node.h"

/* Whether a field is one of them. */
static inline bool vv_is_reached(const varve_field *field)
{
    return field->ones || field->is_row_pointers;
}

/* Why such a field of an object whose extents were checked cannot be; NULL: it
 * can. */
const char *vv_reached_bad(const varve_field *field, const void *object);

/* How many elements a row has, of an object whose extents were checked. */
uint64_t vv_reached_length(
    const varve_field *field, const void *object, uint64_t row);

/* The variable of such a field, without an edge; nil without memory. */
varve_node *vv_reached_new(
    varve_graph *graph, const varve_field *field, const void *object);

/* Whether the variable uses the memory that the field has now: the same
 * pointers, the same lengths. False too of what the program has bound to other
 * memory. */
bool vv_reached_is_over(
    const varve_node *node, const varve_field *field, const void *object);

/* Brings it there; without memory a mistake. */
void vv_reached_rebind(
    varve_node *node, const varve_field *field, const void *object);

/* How many pieces of memory a node has that is over such a field; 0: it is
 * another node. */
size_t vv_reached_pieces(const varve_node *node);
struct vv_address_range vv_reached_piece(const varve_node *node, size_t piece);

/* Whether two bit-fields share a bit; false where both are not bit-fields. */
bool vv_reached_are_bits(const varve_node *a, const varve_node *b);
bool vv_reached_share_bits(const varve_node *a, const varve_node *b);

/* Whether both are over the same member of the same object. */
bool vv_reached_alike(const varve_node *a, const varve_node *b);

#endif
