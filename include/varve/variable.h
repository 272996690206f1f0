/* variable.h - Adds values to a graph: variables, slot variables and custom
 * states.
 *
 *     float kernel[784][10];
 *     int64_t step = 0;
 *     varve_add_variable(layer, "kernel", varve_array(&kernel[0][0], 784, 10));
 *     varve_add_variable(root, "step", varve_scalar(&step));
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_VARIABLE_H
#define VARVE_VARIABLE_H

#include <varve/graph.h>
#include <varve/tensor.h>

VARVE_BEGIN_DECLS

/* --- Variables ---------------------------------------------------------- */

/* Adds a variable: a leaf that views memory of the program.
 *
 *     varve_add_variable(layer, "kernel", varve_array(w, 784, 10));
 *
 * The memory must stay valid at its address until varve_rebind, varve_untrack
 * of the last edge, varve_remove or varve_graph_free. For memory that the
 * program swaps or reallocates use varve_array_at (memory.h).
 *
 * If a restoration holds a pending value for the variable, the call restores
 * it.
 *
 * Two nodes must not share a byte of memory. Otherwise each call that restores,
 * resumes or saves, and each dry run, returns VARVE_MISUSE before it changes a
 * value or writes a file, and the message contains both paths. If one value has
 * two names, add one node and track it under the second name with varve_track.
 * There are four exceptions:
 *
 * - A node with the tag VARVE_TAG_LOCAL may overlap any other node.
 * - Fixed values may overlap each other.
 * - Memory that is accessed through functions (memory.h) is not compared.
 * - Snapshots do not compare memory, because they copy all values at one
 *   moment.
 *
 * Errors:
 *
 * - Records VARVE_BAD_SHAPE if the type, rank or size of the view is not valid.
 * - Records VARVE_MISUSE if the address is NULL and the view has elements.
 * - Records VARVE_BAD_NAME or VARVE_DUPLICATE as varve_add_object. */
VARVE_API varve_node *varve_add_variable(
    varve_node *parent, const char *name, varve_tensor view);

/* A callback that fills a new tensor with its initial value.
 *
 * If the result is not VARVE_OK, the variable has no value and the graph
 * records the error. */
typedef varve_status varve_initializer(const varve_tensor *tensor, void *user);

/* Adds a variable like varve_add_variable, but without an edge. Connect it with
 * varve_track; the first varve_track restores a pending value. */
VARVE_API varve_node *varve_add_detached_variable(
    varve_graph *graph, varve_tensor view);

/* Adds a variable that a restoration compares and does not write, such as the
 * size of a lattice or the configuration of a network.
 *
 * A restoration compares the value bit for bit. If it differs, the restoration
 * returns VARVE_MISMATCH with both values and changes nothing. For a pending
 * value that is compared later, the graph records VARVE_MISMATCH. A dry run
 * reads no values, so it does not compare.
 *
 * The result is an ordinary variable with the tag VARVE_TAG_FIXED. varve_tag
 * can add this tag to any variable or state before it is restored. A
 * library-owned variable that has no value yet is filled instead of compared.
 *
 * The library records a checksum of the value when the node is tagged. Each
 * save and snapshot compares it and returns VARVE_MISUSE with the path if the
 * value differs: the memory was freed or has moved, or the program has changed
 * the value. After an intended change call varve_tag with VARVE_TAG_FIXED
 * again. The checksum is also updated by a restoration that compares or fills
 * the value, by a snapshot that is restored, and by varve_retype. For a state,
 * for memory that is accessed through functions, and for memory without a
 * value, the first save, snapshot or restoration records the checksum. */
VARVE_API varve_node *varve_add_fixed_variable(
    varve_node *parent, const char *name, varve_tensor view);

/* Adds a variable whose memory the library allocates and frees.
 *
 * The memory is aligned to 64 bytes and zeroed. The shape VARVE_SCALAR stands
 * for a single element.
 *
 * If a restoration holds a pending value for the variable, the call restores
 * it. Otherwise the call runs `initializer` with `user`; with NULL the value
 * stays zero. A restored variable is never initialized.
 *
 *     varve_node *w = varve_add_allocated_variable(layer, "kernel",
 *         VARVE_FLOAT32, VARVE_SHAPE(784, 10), fill_kernel, NULL);
 *     float *kernel = varve_data(w); */
VARVE_API varve_node *varve_add_allocated_variable(varve_node *parent,
    const char *name, varve_dtype dtype, varve_shape shape,
    varve_initializer *initializer, void *user);

/* Returns the variable of this name, or adds it like
 * varve_add_allocated_variable.
 *
 * Parts of a program can thus share a variable by its name, in any order.
 *
 * - Records VARVE_MISMATCH if the existing node is not a variable of this type
 *   and shape. */
VARVE_API varve_node *varve_find_or_add_variable(varve_node *parent,
    const char *name, varve_dtype dtype, varve_shape shape,
    varve_initializer *initializer, void *user);

/* Returns the address of the first element of a variable.
 *
 * The result is NULL if the memory is accessed through functions (memory.h),
 * and for any other node.
 *
 * If a graph of a file (structure.h) has no value for the variable, the call
 * allocates zeroed memory. If that fails, it returns NULL and records
 * VARVE_NO_MEMORY. */
VARVE_API void *varve_data(const varve_node *node);

/* Returns the type, shape and memory of a variable.
 *
 * The `data` member is NULL as long as the variable has no memory. The result
 * belongs to the graph and is valid until the variable is rebound, resized or
 * removed. For any other node it is NULL. */
VARVE_API const varve_tensor *varve_value(const varve_node *node);

/* Changes the memory of a variable that the program owns.
 *
 * The new view must have the same element type. Its address, strides, functions
 * and shape may differ; for a slice the shape must be the same. Results of
 * earlier calls of varve_value become invalid.
 *
 * An open restoration uses the new shape for values that are still pending. A
 * snapshot that was taken before cannot be restored (VARVE_MISMATCH) as long as
 * the shape differs.
 *
 * - Records VARVE_MISUSE if the node is not a variable over the program's
 *   memory.
 * - Records VARVE_MISMATCH if the element type differs or the view has no
 *   memory. */
VARVE_API void varve_rebind(varve_node *node, varve_tensor view);

/* Changes the element type of a library-owned variable and converts its value.
 *
 * The conversion is that of VARVE_CAST_ANY. `*inexact` is set to the number of
 * elements that could not be converted exactly; `inexact` may be NULL. The
 * memory gets another address. A snapshot or file with the previous type no
 * longer fits.
 *
 * - Returns VARVE_MISMATCH for a conversion between strings and numbers.
 * - Returns VARVE_MISUSE if the node is not a library-owned variable. */
VARVE_API varve_status varve_retype(varve_node *node, varve_dtype dtype,
    uint64_t *inexact, varve_error *error) VARVE_MUST_CHECK;

/* Marks the value of a variable as changed by the program.
 *
 * For any other node the call marks all variables that are reachable from it.
 * Only saves with the option `increment.only_dirty` use the marks. Changes that
 * the library makes are marked automatically.
 *
 * A variable that a failed restore left partially restored can be saved again
 * after this call.
 *
 *     weights[7] += 0.5f;
 *     varve_mark_dirty(weights_node);
 *
 * For a variable the call takes constant time. */
VARVE_API void varve_mark_dirty(varve_node *node);

/* Marks `count` rows of a variable as changed, beginning with row `first`.
 *
 * A row is an index of the outermost dimension. Other changes of the variable
 * must be marked too. An incremental save with `increment.only_dirty` checksums
 * and writes only the pages of 4 KiB of the value that contain marked elements.
 * For strings, and for values smaller than 64 KiB, it checksums the whole
 * value.
 *
 * The call takes time in proportion to the number of marked pages, and four
 * bytes of memory for each page of the variable.
 *
 * - Returns VARVE_MISUSE with the path, and marks nothing, if the variable does
 *   not have these rows or is a scalar, or if the node is not a variable. */
VARVE_API varve_status varve_mark_rows_dirty(varve_node *node, uint64_t first,
    uint64_t count, varve_error *error) VARVE_MUST_CHECK;

/* Marks a box of a variable, such as some columns, as changed, like
 * varve_mark_rows_dirty. For a slice the box is relative to the part that this
 * process holds. */
VARVE_API varve_status varve_mark_box_dirty(varve_node *node,
    const varve_box *box, varve_error *error) VARVE_MUST_CHECK;

/* The state of a variable's value. */
typedef enum varve_variable_state {
    VARVE_DECLARED = 0,    /* it has no value yet */
    VARVE_INITIALIZED = 1, /* it has a value of the program or of an
                              initializer */
    VARVE_RESTORED = 2,    /* it has a value that was restored */
    VARVE_PENDING = 3      /* its saved value could not be restored, so it has
                              no value or an older one; varve_restoration_retry
                              tries again */
} varve_variable_state;

/* Returns the state of a variable's value. For a node that is neither a
 * variable nor a state the result is VARVE_DECLARED. */
VARVE_API varve_variable_state varve_state_of(const varve_node *node);

/* Visits the variables that have no value, which are VARVE_DECLARED or
 * VARVE_PENDING, in the order of varve_walk.
 *
 * Returns VARVE_OK, or the result of the callback if that ended the walk. */
VARVE_API varve_status varve_report_uninitialized(
    varve_node *root, varve_visit *visit, void *user, varve_error *error);

/* --- Global names ------------------------------------------------------- */

/* Sets the global name of a variable or state, for formats that identify values
 * by name.
 *
 * `name` is UTF-8, such as "model/dense/kernel", and must be unique in the
 * graph. NULL removes the name. Each file that contains the node contains its
 * global name.
 *
 * During a restore, a node that was not matched by an edge, alias or rename
 * takes the saved value whose path is the global name of the node, or the saved
 * value that has the same global name. A node without a global name is never
 * matched by global names of a file that has an object graph (Varve's format,
 * TensorFlow's object-based format). In formats that identify values by name
 * only, such a node takes the value whose name is its path. Matches by path
 * have priority. If another node has already taken the value, the report lists
 * a conflict.
 *
 * The call restores a pending value that matches the name, even if an
 * initializer has already run.
 *
 * - Records VARVE_DUPLICATE if another node has this global name.
 * - Records VARVE_BAD_NAME if the name is not valid.
 * - Records VARVE_MISUSE if the node is neither a variable nor a state. */
VARVE_API void varve_set_global_name(varve_node *node, const char *name);

/* Returns the global name of a node, or NULL if it has none. */
VARVE_API const char *varve_global_name(const varve_node *node);

/* --- Slot variables ----------------------------------------------------- */

/* Add a slot variable: a value that belongs to a pair of owner and variable,
 * such as the momentum that an optimizer keeps for a kernel.
 *
 *     varve_add_slot(optimizer, kernel, "momentum",
 *         varve_array(momentum, 784, 10));
 *
 * A slot is saved if its owner and its variable are both reachable from the
 * saved root. It is restored when owner, variable and slot exist; they can be
 * added in any order. The view, the allocated memory and the initializer have
 * the same meaning as in varve_add_variable and varve_add_allocated_variable.
 *
 * - Records VARVE_DUPLICATE if the slot exists already.
 * - Records VARVE_MISUSE if `variable` is itself a slot variable, or not a
 *   variable. */
VARVE_API varve_node *varve_add_slot(varve_node *owner, varve_node *variable,
    const char *name, varve_tensor view);
VARVE_API varve_node *varve_add_allocated_slot(varve_node *owner,
    varve_node *variable, const char *name, varve_dtype dtype,
    varve_shape shape, varve_initializer *initializer, void *user);

/* Adds a slot like varve_add_allocated_slot, with the type and shape of its
 * variable. For a slice (slice.h) the slot is the same part. */
VARVE_API varve_node *varve_add_slot_like(varve_node *owner,
    varve_node *variable, const char *name, varve_initializer *initializer,
    void *user);

/* Returns the slot variable of this owner, variable and name, or NULL if there
 * is none. */
VARVE_API varve_node *varve_find_slot(
    varve_node *owner, varve_node *variable, const char *name);

/* A slot of an owner. */
typedef struct varve_slot {
    const char *name;
    varve_node *variable;
    varve_node *node; /* the slot variable */
} varve_slot;

/* Iterate over the slots of an owner, in the order in which they were added.
 * Each call returns NULL at the end. */
VARVE_API const varve_slot *varve_slot_first(const varve_node *owner);
VARVE_API const varve_slot *varve_slot_next(const varve_slot *slot);

/* --- State -------------------------------------------------------------- */

/* Appends bytes to the saved form of a state. A failure is recorded in the
 * sink, and the save returns it. */
VARVE_API void varve_put(varve_sink *sink, const void *bytes, size_t size);

/* Callbacks that save and load a state that is not a tensor, in a byte format
 * of the program. */
typedef struct varve_state_callbacks {
    /* Writes the state with varve_put.
     *
     * Saves and snapshots call it. A restoration of several states also calls
     * it, before anything changes, to be able to undo the restoration. It does
     * not do so with VARVE_ONE_PASS, and not for the state that is loaded last,
     * so never for a single state. States whose `save` fails in this case are
     * loaded after the others. */
    varve_status (*save)(void *self, varve_sink *sink);
    /* Loads the state from `size` bytes, which are borrowed for the call. It is
     * called after the variables below the node have been restored.
     *
     * If the result is not VARVE_OK, the callback must have left the state
     * unchanged. The restoration then fails, with VARVE_NO_MEMORY if that was
     * the result, otherwise with VARVE_CALLBACK. States that were loaded before
     * are loaded again with their previous bytes. If their `save` failed, the
     * restoration returns VARVE_PARTIALLY_RESTORED and names them. */
    varve_status (*load)(void *self, const void *bytes, size_t size);
} varve_state_callbacks;

/* Adds a state: a node that saves bytes by callbacks, and may have children
 * like an object.
 *
 * `callbacks` is copied, and both functions are required. `self` is passed to
 * them and must stay valid as long as the node is in use.
 *
 *     const varve_state_callbacks callbacks = { save_queue, load_queue };
 *     varve_add_state(root, "queue", &callbacks, &queue);
 *
 * - Records VARVE_MISUSE if a function is NULL. */
VARVE_API varve_node *varve_add_state(varve_node *parent, const char *name,
    const varve_state_callbacks *callbacks, void *self);

/* --- Children on demand ------------------------------------------------- */

/* A child that the file has and the program's node does not have. It is
 * borrowed for the call. */
typedef struct varve_offer {
    const char *name;
    varve_kind kind;
    const varve_tensor *value; /* type and shape of a variable; NULL for other
                                  kinds */
    uint64_t count;            /* number of edges of this child in the file */
} varve_offer;

/* A callback that a restore calls for each edge that the file has and `node`
 * does not have, in the order of the file.
 *
 * It may add a child of that name to `node`; the child is then restored.
 *
 * The callback is not called in these cases:
 *
 * - The edge leads to a node of the file that is already matched with a node of
 *   the program. The library then adds the edge itself (in a list, if it is the
 *   next position), so that shared nodes and cycles are reproduced.
 * - The program had a child under that path and has removed or replaced it.
 * - varve_drop_pending has discarded the values of the child. */
typedef void varve_on_demand(
    void *user, varve_node *node, const varve_offer *offer);

/* Sets a callback that creates children of a node on demand during a restore,
 * so that an empty container can be filled from a file.
 *
 * A read verifies the complete file before the first call of a callback, so a
 * damaged file adds no children. It does not with `only`, `subtree`,
 * `no_verify`, `map`, `salvage.on` or VARVE_ONE_PASS, and in a collective read,
 * except in a resume of a manager. If a read fails for another reason, the
 * added children remain.
 *
 * The node is an object, list, dict or state. NULL removes the callback. */
VARVE_API void varve_set_on_demand(
    varve_node *node, varve_on_demand *callback, void *user);

VARVE_END_DECLS

#endif
