/* binding.h - who is bound to whom.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BINDING_H
#define VV_BINDING_H

#include "pairing.h"

/* Binds a node of the program to a node of the file, decides about the value,
 * and queues the node. Where another one holds the node of the file and has the
 * better claim, this one is a conflict: it is matched below all the same, and
 * given a copy of the value where that is asked for. */
void vv_bind(
    struct vv_pairing *p, varve_node *node, uint32_t file, enum vv_how how);

/* The node of the file that a node of the program holds or claims, or
 * VV_NONE. */
uint32_t vv_file_node_of(const struct vv_pairing *p, const varve_node *node);

/* Whether it is that of the program's nodes that claim it which has it. */
static inline bool vv_is_holder(
    const struct vv_pairing *p, const varve_node *node, uint32_t file)
{
    return file != VV_NONE && p->node_of[file] == node;
}

/* Whether it is one of them. */
bool vv_stands_for(
    const struct vv_pairing *p, const varve_node *node, uint32_t file);

enum vv_how vv_how_of(const struct vv_pairing *p, const varve_node *node);

/* The next file node after that: an object that holds them may stand for
 * several. VV_NONE at the end. */
uint32_t vv_next_partner(
    const struct vv_pairing *p, const varve_node *node, uint32_t file);

/* Makes a claim that was deferred, unless its node is gone. */
void vv_bind_deferred(struct vv_pairing *p, size_t i);

/* Notes a claim that is made when those by path have been. */
void vv_defer(
    struct vv_pairing *p, varve_node *node, uint32_t file, enum vv_how how);

/* Forgets all claims of nodes that are not holders, to match them again. */
void vv_forget_claims(struct vv_pairing *p);

/* Whether matching has come to the node at all. */
bool vv_is_known(const struct vv_pairing *p, const varve_node *node);

/* Room in the arrays by number for every node there is; false without. */
bool vv_know_numbers(struct vv_pairing *p);

/* Adds a pair; without memory all is matched again. */
void vv_add_pair(struct vv_pairing *p, struct vv_buffer *buffer,
    varve_node *node, uint32_t file);

/* Remembers that matching has to be done again when there is memory. */
void vv_out_of_memory(struct vv_pairing *p);

/* The file's number of a name of the program, or VV_NONE. */
uint32_t vv_find_in_file(
    const struct vv_pairing *p, const struct vv_name *name);

/* The same, kept for the next time. */
uint32_t vv_name_in_file(struct vv_pairing *p, const struct vv_name *name);

/* A pair of a queue by its place; its node is NULL if it was freed. */
struct vv_pair vv_queued(const struct vv_buffer *queue, size_t i);

/* Releases what is bound to nodes that cannot be reached any more; false
 * without memory to find them: their own may be gone then. */
bool vv_sweep(struct vv_pairing *p);

/* Whether matching has come to the node, and it can still be reached. */
bool vv_is_held(struct vv_pairing *p, const varve_node *node);

/* Forgets a node that is about to be freed. */
void vv_forget_node(struct vv_pairing *p, varve_node *node);

#endif
