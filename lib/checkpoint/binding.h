/* binding.h - who is bound to whom.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BINDING_H
#define VV_BINDING_H

#include "restoration.h"

static inline const struct vv_index *vv_index_of(
    const struct varve_restoration *r)
{
    return &r->file.parsed.index;
}

/* Binds a node of the program to a node of the file, decides about the value,
 * and queues the node; or notes a conflict. */
void vv_bind(struct varve_restoration *r, varve_node *node, uint32_t file);

/* The node of the file that a node of the program is bound to, or VV_NONE. */
uint32_t vv_file_node_of(
    const struct varve_restoration *r, const varve_node *node);

/* The next one after that: an object may stand for several. VV_NONE at the
 * end. */
uint32_t vv_next_partner(const struct varve_restoration *r, uint32_t file);

/* Whether matching has come to the node at all. */
bool vv_is_known(const struct varve_restoration *r, const varve_node *node);

/* Notes how a node was come to, where paths matter. */
void vv_visit(struct varve_restoration *r, varve_node *node, struct vv_via via);

/* Appends the path of the node with this number. */
void vv_add_via_path(
    const struct varve_restoration *r, uint32_t number, struct vv_buffer *path);

/* Room in the arrays by number for every node there is; false without. */
bool vv_know_numbers(struct varve_restoration *r);

/* Remembers that matching has to be done again when there is memory. */
void vv_out_of_memory(struct varve_restoration *r);

/* The file's number of a name of the program, or VV_NONE. */
uint32_t vv_name_in_file(
    struct varve_restoration *r, const struct vv_name *name);

/* A pair of a queue by its place; its node is NULL if it was freed. */
struct vv_pair vv_queued(const struct vv_buffer *queue, size_t i);

/* Decides what becomes of the value of a pair that is bound. */
void vv_decide(struct varve_restoration *r, varve_node *node, uint32_t file);

/* Releases what is bound to nodes that cannot be reached any more; false
 * without memory to find them: their own may be gone then. */
bool vv_sweep(struct varve_restoration *r);

/* Forgets a node that is about to be freed. */
void vv_forget_node(struct varve_restoration *r, varve_node *node);

/* Whether a value fits a node, as the options allow. */
bool vv_value_fits(struct varve_restoration *r, const varve_node *node,
    const varve_tensor *saved);

/* Whether `resize` names this node and its rank is that of the value. */
bool vv_is_resized(const struct varve_restoration *r, const varve_node *node,
    const varve_tensor *saved);

#endif
