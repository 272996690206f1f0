/* struct_memory.h - Allocates the memory and the texts that structs own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STRUCT_MEMORY_H
#define VV_STRUCT_MEMORY_H

#include <varve/struct.h>
#include <varve/variable.h>

#include "node.h"

/* --- Texts ---------------------------------------------------------------- */

/* A text that a struct owns through a pointer, as a state over the pointer.
 *
 * The bytes are the text without its NUL, as those of text in place are. NULL
 * is one byte 0, which text in place takes as none. */

struct vv_owned_text {
    struct vv_attachment attachment;
    const varve_field *field;
    void *at; /* the member, a pointer */
    /* to read */
    char *text;  /* the recorded text, or NULL */
    size_t size; /* its size with the NUL; 0: none */
};

extern const struct vv_attachment_kind vv_owned_text_kind;

/* Returns the attachment of a node, or NULL. */
static inline struct vv_owned_text *vv_owned_text_of(const varve_node *node)
{
    return vv_attachment_find(node, &vv_owned_text_kind);
}

/* Makes a node without edges. Returns nil if out of memory. */
varve_node *vv_owned_text_new(
    varve_graph *graph, const varve_field *field, const void *object);

/* Returns true if a node belongs to the member of that object. Records the
 * current text. */
bool vv_owned_text_look(
    varve_node *node, const varve_field *field, const void *object);

/* Changes the node to the member of another object. */
void vv_owned_text_rebind(
    varve_node *node, const varve_field *field, const void *object);

/* --- Memory of fields ----------------------------------------------------- */

/* Allocates memory for saved values of fields whose pointer is NULL. */

/* The on-demand callback of struct nodes (varve_set_on_demand). `user` is the
 * struct vv_struct of the node. */
void vv_struct_offered(void *user, varve_node *node, const varve_offer *offer);

#endif
