/* variable.h - the typed memory behind a variable.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VARIABLE_H
#define VV_VARIABLE_H

#include <stddef.h>

#include <varve/variable.h>

#include "node.h"

/* Lets go of memory that did not come from the allocator. */
struct vv_borrowed {
    /* to fill in */
    void (*release)(struct vv_borrowed *self, void *data);
};

/* What a variable over the program's memory seldom has. */
struct vv_variable_extra {
    /* to read */
    void *string_bytes; /* what restored string elements point into */
    size_t string_size;
    bool is_owned; /* the library owns the memory */
    bool is_bare;  /* made without memory: without a value it has none */
    /* to fill in */
    struct vv_borrowed *borrowed; /* if it came from elsewhere (a mapping) */
    /* own */
    varve_initializer *initializer;
    void *initializer_user;
};

/* It ends behind the extents that its rank has, or one more, for there may be
 * many: its tensor is copied with vv_tensor_copy, and none is assigned to it.
 * (A program may copy the whole of what varve_value gives it: behind the last
 * one there is room.) */
struct vv_variable {
    /* to read */
    struct vv_variable_extra *extra; /* or NULL; where the library owns its
                                        memory, and of strings, it is there */
    /* to fill in: its memory; last */
    varve_tensor tensor;
};

#define VV_VARIABLE_SIZE(extents)                                              \
    (offsetof(struct vv_variable, tensor.shape) + (extents) * sizeof(uint64_t))

/* From now on library-owned variables of a graph get no memory at first: their
 * values will bring it; or no longer. False without memory. */
bool vv_defer_memory(varve_graph *graph, bool defer);

/* The same of running their initializers: see varve_defer_initializers. */
bool vv_defer_initializers(varve_graph *graph, bool defer);

/* Whether a graph has variables in memory that nothing is copied in. */
bool vv_has_read_only(const varve_graph *graph);

/* A variable node without edges. A view that cannot be gives a mistake and nil;
 * `parent`, or the owner of a slot, and `name` say where. */
varve_node *vv_variable_new(
    varve_node *parent, const char *name, varve_tensor view, bool is_owned);

/* What happens to a library-owned variable once its edge or slot is there: it
 * gets memory, and if nothing restores it its initializer runs. */
void vv_variable_settle(varve_node *node);

/* The same when it is new: where initializers are deferred, none runs. */
void vv_variable_begin(varve_node *node);

/* Hangs a library-owned variable that was just made at an edge, with what runs
 * first, and begins it. A node that is nil stays so. */
varve_node *vv_variable_attach(varve_node *parent, const char *name,
    varve_node *node, varve_initializer *initializer, void *user);

/* Runs the initializer, or where there is none leaves the memory as it is; the
 * variable is initialized then. VARVE_CALLBACK, or VARVE_NO_MEMORY. */
varve_status vv_variable_run_initializer(varve_node *node, varve_error *error);

/* What a variable would be with another view: with the same extra part, and no
 * node's yet. NULL without memory. */
struct vv_variable *vv_variable_like(
    varve_node *node, const varve_tensor *view);
void vv_variable_give(varve_graph *graph, struct vv_variable *variable);

/* Frees the library's memory that `variable`, which is the node's or is like
 * it, is over; `is_older`: what the node had before, which may have come from
 * elsewhere. */
void vv_variable_release(
    varve_node *node, struct vv_variable *variable, bool is_older);

/* Its extra part, made if need be; NULL without memory. */
struct vv_variable_extra *vv_variable_extra(varve_node *node);

/* Sets what runs first; false without memory. */
bool vv_variable_set_initializer(
    varve_node *node, varve_initializer *initializer, void *user);

/* Whether the library owns its memory. */
static inline bool vv_variable_is_owned(const struct vv_variable *variable)
{
    return variable->extra && variable->extra->is_owned;
}

/* Whether there is memory to copy from: a library-owned one that a file has no
 * value for has none before somebody asks. */
static inline bool vv_variable_has_memory(const varve_node *node)
{
    return node->variable->tensor.data || node->variable->tensor.memory;
}

/* Whether it is over memory of the program that is not there: a pointer which
 * it follows is NULL, and there should be elements. */
static inline bool vv_variable_is_null(const struct vv_variable *variable)
{
    return !variable->tensor.data && !variable->tensor.memory &&
           !vv_variable_is_owned(variable) &&
           varve_tensor_size(&variable->tensor) > 0;
}

/* VARVE_MISUSE, with its path, if it is. */
varve_status vv_variable_check_there(
    const varve_node *node, varve_error *error);

/* Zeroed memory for a library-owned variable that has none; false without. */
bool vv_variable_allocate(varve_node *node);

/* Takes memory from elsewhere instead; it must be large enough. */
void vv_variable_borrow(
    varve_node *node, void *data, struct vv_borrowed *borrowed);

/* Takes over the bytes that string elements now point into. */
void vv_variable_keep_strings(varve_node *node, void *bytes, size_t size);

/* Runs the initializer of a library-owned variable that holds no value. */
void vv_variable_initialize(varve_node *node);

/* A variable whose value was to come, and will not, gets its own. */
void vv_variable_give_up(varve_node *node);

/* The same as if nothing had ever been to come: it is as it is when it is new.
 */
void vv_variable_go_without(varve_node *node);

/* Lets it be over another view, which was checked; a mistake without memory.
 * (The table of the view may be the one that it has.) */
void vv_variable_rebind(varve_node *node, const varve_tensor *view);

/* Lets a library-owned variable that has no memory view a value that a function
 * copies out, and nobody in; false without memory. */
bool vv_variable_reach(varve_node *node, const varve_memory *memory);

#endif
