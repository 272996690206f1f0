/* variable.h - what has a value: variables, slot variables, state.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_VARIABLE_H
#define VARVE_VARIABLE_H

#include <varve/graph.h>
#include <varve/tensor.h>

VARVE_BEGIN_DECLS

/* --- Variables ---------------------------------------------------------- */

/* A leaf over memory that the program owns. The memory stays where it is until
 * varve_rebind, varve_untrack of its last edge, varve_remove, or
 * varve_graph_free; for memory that is swapped or allocated again the view is
 * varve_array_at (varve/memory.h). If a restoration is waiting for it, its
 * value arrives here.
 *     varve_add_variable(layer, "kernel", varve_array(w, 784, 10));
 * Two nodes must not share a byte of memory. A call that reads, plans, resumes
 * or saves fails with VARVE_MISUSE then, before it changes a value or writes a
 * file, and the message has both paths. One value with two names is one node,
 * which varve_track adds under the second name. A node with the tag
 * VARVE_TAG_LOCAL may overlap any other. Fixed values may overlap each other.
 * Memory that functions reach (varve/memory.h) is not compared. Snapshots do
 * not compare memory: all their values are copied at one moment, so two copies
 * of a byte are equal. */
VARVE_API varve_node *varve_add_variable(
    varve_node *parent, const char *name, varve_tensor view);

/* Fills a new tensor. Anything but VARVE_OK leaves the variable without a value
 * and is the graph's mistake from then on. */
typedef varve_status varve_initializer(const varve_tensor *tensor, void *user);

/* The same without an edge, for varve_track: a value arrives where it is
 * tracked first. */
VARVE_API varve_node *varve_add_detached_variable(
    varve_graph *graph, varve_tensor view);

/* A leaf whose value a restoration must find as it is, such as the size of a
 * lattice or the configuration of a network: it is compared, bit for bit, and
 * never written. Where it differs the restoration is VARVE_MISMATCH with both
 * values and changes nothing; so is it where it comes later, to the mistake of
 * the graph. It is an ordinary one with the tag VARVE_TAG_FIXED, which any
 * variable or state can be given before it is restored; memory of the library
 * that has no value yet is filled. A plan reads no values, so it compares none.
 *
 * A checksum of the value is recorded when it is tagged, and each save and
 * each snapshot compares it: VARVE_MISUSE with the path where the value
 * differs, since its memory was freed or has moved, or the program has changed
 * it. A program that changes it calls varve_tag with VARVE_TAG_FIXED again. A
 * restoration that finds or fills the value, a snapshot that is put back, and
 * varve_retype record it anew. The value of a state, of memory that functions
 * reach, and of memory that has no value yet is recorded by the first save,
 * snapshot or restoration. */
VARVE_API varve_node *varve_add_fixed_variable(
    varve_node *parent, const char *name, varve_tensor view);

/* A leaf whose memory the library allocates, aligned to 64 bytes, zeroed; of
 * the shape VARVE_SCALAR a single element. A value that a restoration holds for
 * it arrives here; only if there is none the initializer runs (NULL: it stays
 * zero). Never both. */
VARVE_API varve_node *varve_add_allocated_variable(varve_node *parent,
    const char *name, varve_dtype dtype, varve_shape shape,
    varve_initializer *initializer, void *user);

/* The variable that `parent` has under this name, if it is of this type and
 * shape (else it is a mistake, VARVE_MISMATCH); where there is none, a new one
 * as by varve_add_allocated_variable. So parts of a program share a variable by
 * its name, whichever comes first. */
VARVE_API varve_node *varve_find_or_add_variable(varve_node *parent,
    const char *name, varve_dtype dtype, varve_shape shape,
    varve_initializer *initializer, void *user);

/* The memory of a variable, where its first element is; NULL where functions
 * reach it (varve/memory.h), and for any other node. What a graph of a file
 * (varve/structure.h) has no value for gets its memory here, zeroed: NULL, and
 * VARVE_NO_MEMORY as the graph's mistake, where there is none. */
VARVE_API void *varve_data(const varve_node *node);

/* Type, shape and memory of a variable, NULL as long as it has none; NULL for
 * any other node. */
VARVE_API const varve_tensor *varve_value(const varve_node *node);

/* The program moved the memory of a variable it owns: the same type, another
 * address, other strides or functions, and perhaps another shape (of a slice,
 * the same). What varve_value
 * gave before is valid no longer. A restoration that is open delivers by the
 * new shape what still waits; a snapshot that was taken before is of no use
 * (VARVE_MISMATCH) unless the shape comes back. */
VARVE_API void varve_rebind(varve_node *node, varve_tensor view);

/* Gives a library-owned variable another element type. Its value becomes what
 * VARVE_CAST_ANY makes of it, at another address; `*inexact`, which may be
 * NULL, is how many elements were not kept exactly. What was restored into it
 * before no longer fits. VARVE_MISMATCH where strings would become numbers or
 * numbers strings, VARVE_MISUSE for any other node. */
VARVE_API varve_status varve_retype(varve_node *node, varve_dtype dtype,
    uint64_t *inexact, varve_error *error) VARVE_MUST_CHECK;

/* Says that the program has changed the value of a variable; of any other node,
 * those of all variables that can be reached from it. Only saves that count on
 * it (`increment.only_dirty` in varve_write_options) take notice; what the
 * library itself changes need not be said. It costs next to nothing for a
 * variable. What a restoration has left half restored can be saved again. */
VARVE_API void varve_mark_dirty(varve_node *node);

/* The same of `count` rows of a variable, from row `first` on: parts of its
 * outermost dimension. What else of it changed must be touched too. An
 * incremental save then sums and writes the pages of 4 KiB of the value that
 * have something of these rows, and no others; of strings, and of what is
 * smaller than 64 KiB, all. It costs as much as it says pages, and four bytes
 * of memory for each page of the variable. VARVE_MISUSE, by path, for rows that
 * it does not have, a scalar, or another node; nothing is touched then. */
VARVE_API varve_status varve_mark_rows_dirty(varve_node *node, uint64_t first,
    uint64_t count, varve_error *error) VARVE_MUST_CHECK;

/* The same of a box of a variable, such as some columns; of a slice, in the
 * part that this process has. */
VARVE_API varve_status varve_mark_box_dirty(varve_node *node,
    const varve_box *box, varve_error *error) VARVE_MUST_CHECK;

/* What is known of a variable's value. */
typedef enum varve_variable_state {
    VARVE_DECLARED = 0,    /* it holds none yet */
    VARVE_INITIALIZED = 1, /* the program's own, or an initializer's */
    VARVE_RESTORED = 2,    /* from a file */
    VARVE_PENDING = 3      /* it holds none of its own, or an older one, as the
                              value that waits could not be delivered;
                              varve_restoration_retry tries again */
} varve_variable_state;

/* Of a node that is no variable or state VARVE_DECLARED. */
VARVE_API varve_variable_state varve_state_of(const varve_node *node);

/* Visits, as varve_walk does, the variables that hold no value: declared or
 * pending ones. */
VARVE_API varve_status varve_report_uninitialized(
    varve_node *root, varve_visit *visit, void *user, varve_error *error);

/* --- Global names ------------------------------------------------------- */

/* Names a variable or state for files that know values by name: UTF-8, such as
 * "model/dense/kernel"; unique in the graph (VARVE_DUPLICATE). It is in every
 * file that has the node. NULL takes it away.
 *
 * While a file is read, a node that no edge, alias or rename leads to takes the
 * value that the file has at the path of its global name, or under that global
 * name itself. A node without a global name is never matched by the global
 * names of a file that has an object graph (Varve's format, TensorFlow's
 * object-based format). In formats that know values by name alone, such a node
 * takes the value whose key is its own path. Paths go first; what another node
 * has already is a conflict in the report. A value can come as soon as the name
 * is given, when an initializer may have run. */
VARVE_API void varve_set_global_name(varve_node *node, const char *name);

/* The global name of a node, or NULL. */
VARVE_API const char *varve_global_name(const varve_node *node);

/* --- Slot variables ----------------------------------------------------- */

/* State that belongs to a pair (owner, variable), such as an optimizer's
 * momentum for a kernel. It is saved when both are reachable from the root of
 * the save, and restored when both are there and the slot is made, in whatever
 * order that happens. A slot that is there already is a mistake, and so is a
 * slot for a slot variable. */
VARVE_API varve_node *varve_add_slot(varve_node *owner, varve_node *variable,
    const char *name, varve_tensor view);
VARVE_API varve_node *varve_add_allocated_slot(varve_node *owner,
    varve_node *variable, const char *name, varve_dtype dtype,
    varve_shape shape, varve_initializer *initializer, void *user);

/* The same of the type and shape of its variable; for a slice (varve/slice.h)
 * the same part. */
VARVE_API varve_node *varve_add_slot_like(varve_node *owner,
    varve_node *variable, const char *name, varve_initializer *initializer,
    void *user);

/* The slot variable, or NULL. */
VARVE_API varve_node *varve_find_slot(
    varve_node *owner, varve_node *variable, const char *name);

/* A slot as seen from its owner. */
typedef struct varve_slot {
    const char *name;
    varve_node *variable;
    varve_node *node; /* the slot variable */
} varve_slot;

/* The slots of an owner, in the order they were made. */
VARVE_API const varve_slot *varve_slot_first(const varve_node *owner);
VARVE_API const varve_slot *varve_slot_next(const varve_slot *slot);

/* --- State -------------------------------------------------------------- */

/* Appends bytes to what a state's `save` gives. A failure is remembered; the
 * save reports it. */
VARVE_API void varve_put(varve_sink *sink, const void *bytes, size_t size);

/* State that is not a tensor, as bytes of the program's own making. */
typedef struct varve_state_callbacks {
    /* Writes the state with varve_put. Called by a save and a snapshot; and by
     * a restoration of several states at once, before anything changes, for
     * what an undo would need: not in VARVE_ONE_PASS, and not for the state
     * that is loaded last, so never for a single one. A state that fails then
     * is loaded behind those that do not. */
    varve_status (*save)(void *self, varve_sink *sink);
    /* Takes the state back, once the values of the node's own variables are
     * there. Anything but VARVE_OK leaves it as it was and fails the
     * restoration, VARVE_NO_MEMORY as that, all else as VARVE_CALLBACK: states
     * that have taken theirs before are called again with their older bytes, or
     * VARVE_PARTIALLY_RESTORED names those whose `save` had failed. */
    varve_status (*load)(void *self, const void *bytes, size_t size);
} varve_state_callbacks;

/* A node that saves bytes by callbacks, and may have children like an object.
 * `callbacks` is copied; both functions must be there. */
VARVE_API varve_node *varve_add_state(varve_node *parent, const char *name,
    const varve_state_callbacks *callbacks, void *self);

/* --- Children on demand ------------------------------------------------- */

/* What a file has under a name that the program's node lacks. Borrowed. */
typedef struct varve_offer {
    const char *name;
    varve_kind kind;
    const varve_tensor *value; /* type and shape of a variable, else NULL */
    uint64_t count;            /* edges that lead on from it in the file */
} varve_offer;

/* Asked for each edge that the file has and `node` lacks, in the file's order;
 * may add a child of that name to `node`, which is then restored. An edge to
 * what the program has already is not asked for but made (in a list, if it is
 * the next), so that a graph is as shared as its file, with its cycles. A child
 * that the program has had under that path, and has removed or replaced since,
 * is not offered again. Neither is one whose values were discarded by
 * varve_drop_pending. */
typedef void varve_on_demand(
    void *user, varve_node *node, const varve_offer *offer);

/* Lets an object, list, dict or state make its children on demand, so that an
 * empty container can be filled from a file. NULL stops it. */
VARVE_API void varve_set_on_demand(
    varve_node *node, varve_on_demand *callback, void *user);

VARVE_END_DECLS

#endif
