/* variable.h - The memory and type of a variable.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VARIABLE_H
#define VV_VARIABLE_H

#include <stddef.h>

#include <varve/variable.h>

#include "node.h"

/* Releases memory that did not come from the allocator. */
struct vv_borrowed {
    /* to fill in */
    void (*release)(struct vv_borrowed *self, void *data);
};

/* Data that variables with memory of the program rarely need. */
struct vv_variable_extra {
    /* to read */
    void *string_bytes; /* the memory that restored string elements point to */
    size_t string_size;
    bool is_owned; /* the library owns the memory */
    bool is_bare;  /* made without memory, and has none without a value */
    /* to fill in */
    struct vv_borrowed *borrowed; /* or NULL; owner of memory such as a
                                     mapping */
    /* own */
    varve_initializer *initializer;
    void *initializer_user;
};

/* Ends after the extents that its rank needs, or one more, because there may be
 * many variables. So the tensor must be copied with vv_tensor_copy and never
 * assigned. The pools have room after the last variable, because a program may
 * copy the complete struct that varve_value returns. */
struct vv_variable {
    /* to read */
    struct vv_variable_extra *extra; /* or NULL; always set for library-owned
                                        variables and strings */
    /* to fill in: its memory; must be last */
    varve_tensor tensor;
};

#define VV_VARIABLE_SIZE(extents)                                              \
    (offsetof(struct vv_variable, tensor.shape) + (extents) * sizeof(uint64_t))

/* Controls whether new library-owned variables of a graph are made without
 * memory, which their values bring later. Returns false if out of memory. */
bool vv_defer_memory(varve_graph *graph, bool defer);

/* Does the same for running initializers: see varve_defer_initializers. */
bool vv_defer_initializers(varve_graph *graph, bool defer);

/* Returns true if a graph has variables in read-only memory. */
bool vv_has_read_only(const varve_graph *graph);

/* Makes a variable without edges. An invalid view records an error and returns
 * nil. The error message contains `parent`, which may be the owner of a slot,
 * and `name`. */
varve_node *vv_variable_new(
    varve_node *parent, const char *name, varve_tensor view, bool is_owned);

/* Called after a library-owned variable has its edge or slot. Allocates its
 * memory and runs its initializer unless it is restored. */
void vv_variable_settle(varve_node *node);

/* Does the same for a new variable. No initializer runs if initializers are
 * deferred. */
void vv_variable_begin(varve_node *node);

/* Adds an edge to a new library-owned variable, with its initializer, and
 * begins its value. Accepts nil. */
varve_node *vv_variable_attach(varve_node *parent, const char *name,
    varve_node *node, varve_initializer *initializer, void *user);

/* Runs the initializer, or leaves the memory unchanged if there is none. The
 * variable is then initialized. Returns VARVE_CALLBACK or VARVE_NO_MEMORY. */
varve_status vv_variable_run_initializer(varve_node *node, varve_error *error);

/* Returns a copy of a variable with another view. Both share the extra data.
 * The copy belongs to no node yet. Returns NULL if out of memory. */
struct vv_variable *vv_variable_like(
    varve_node *node, const varve_tensor *view);

/* Frees a struct vv_variable, but not its memory or its extra data. */
void vv_variable_give(varve_graph *graph, struct vv_variable *variable);

/* Frees library-owned memory of `variable`, which is the variable of the node
 * or a copy from vv_variable_like. `is_older`: it is the previous memory of the
 * node, which may be borrowed. */
void vv_variable_release(
    varve_node *node, struct vv_variable *variable, bool is_older);

/* Returns the extra data of a variable, allocating it if needed, or NULL if out
 * of memory. */
struct vv_variable_extra *vv_variable_extra(varve_node *node);

/* Sets the initializer. Returns false if out of memory. */
bool vv_variable_set_initializer(
    varve_node *node, varve_initializer *initializer, void *user);

/* Returns true if the library owns the memory. */
static inline bool vv_variable_is_owned(const struct vv_variable *variable)
{
    return variable->extra && variable->extra->is_owned;
}

/* Returns true if there is memory to copy from. Library-owned variables without
 * a saved value may have none before the first access. */
static inline bool vv_variable_has_memory(const varve_node *node)
{
    return node->variable->tensor.data || node->variable->tensor.memory;
}

/* Returns true if the variable has elements but the memory of the program is
 * missing, because the pointer that it follows is NULL. */
static inline bool vv_variable_is_null(const struct vv_variable *variable)
{
    return !variable->tensor.data && !variable->tensor.memory &&
           !vv_variable_is_owned(variable) &&
           varve_tensor_size(&variable->tensor) > 0;
}

/* Returns VARVE_MISUSE with the path in that case. */
varve_status vv_variable_check_there(
    const varve_node *node, varve_error *error);

/* Allocates zeroed memory for a library-owned variable that has none. Returns
 * false if out of memory. */
bool vv_variable_allocate(varve_node *node);

/* Replaces the memory by borrowed memory, which must be large enough. */
void vv_variable_borrow(
    varve_node *node, void *data, struct vv_borrowed *borrowed);

/* Takes ownership of the bytes that string elements now point to. */
void vv_variable_keep_strings(varve_node *node, void *bytes, size_t size);

/* Runs the initializer of a library-owned variable without a value. */
void vv_variable_initialize(varve_node *node);

/* Called if the saved value of a pending variable will not be delivered.
 * Initializes the variable. */
void vv_variable_give_up(varve_node *node);

/* Does the same, but leaves the variable in the state of a new one. */
void vv_variable_go_without(varve_node *node);

/* Changes the view to one that was checked. Records an error if out of memory.
 * The memory description of the view may be that of the variable. */
void vv_variable_rebind(varve_node *node, const varve_tensor *view);

/* Makes a library-owned variable without memory a view of a value that a
 * function copies out, and that cannot be copied in. Returns false if out of
 * memory. */
bool vv_variable_reach(varve_node *node, const varve_memory *memory);

#endif
