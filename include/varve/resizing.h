/* resizing.h - Variables whose shape may differ between saves, such as a list
 * of particles or a growing vocabulary.
 *
 *     static const varve_resizing resizing = { make_room, settle };
 *     varve_add_resizable(root, "particles",
 *         varve_array(particles, count, 3), &resizing, &simulation);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RESIZING_H
#define VARVE_RESIZING_H

#include <varve/variable.h>

VARVE_BEGIN_DECLS

/* Callbacks with which a restore resizes a variable. */
typedef struct varve_resizing {
    /* Allocates memory for a value of a different shape and sets `*room`. It is
     * also called if the pointer of the variable is NULL.
     *
     * `coming` has the type and shape of the value, and no data. The value is
     * read directly into the memory. A restore makes these calls before it
     * changes anything. If the result is not VARVE_OK, the restore returns
     * VARVE_CALLBACK with the path and changes nothing.
     *
     * NULL for a library-owned variable, which the library resizes. */
    varve_status (*make_room)(
        void *user, varve_node *node, const varve_tensor *coming, void **room);
    /* The library calls it once for each memory block that `make_room` has set.
     * If `is_taken` is true, the variable now uses `room` and has the new
     * shape, and the program frees the previous memory. Otherwise nothing has
     * changed, and the program frees `room`. NULL for a library-owned
     * variable. */
    void (*settle)(void *user, varve_node *node, void *room, bool is_taken);
} varve_resizing;

/* Adds a variable over memory of the program that takes the shape of the value
 * that is restored into it.
 *
 * The element type is fixed. varve_value returns the current shape. If the
 * program itself changes the shape, it must call varve_rebind. `resizing` is
 * copied, and both functions are required. */
VARVE_API varve_node *varve_add_resizable(varve_node *parent, const char *name,
    varve_tensor view, const varve_resizing *resizing, void *user);

/* Makes an existing variable resizable.
 *
 * The variable may be over the program's memory, library-owned, or a slot
 * variable. `resizing` is copied; NULL makes the variable fixed again. For a
 * library-owned variable both callbacks must be NULL. A pending value that did
 * not fit before is restored by the next varve_restoration_retry.
 *
 * - Records VARVE_MISUSE for a slice, for a node that is not a variable, and if
 *   the callbacks do not match the ownership of the memory. */
VARVE_API void varve_set_resizing(
    varve_node *variable, const varve_resizing *resizing, void *user);

/* Makes restores call `make_room` for each value of a variable, even if its
 * shape has not changed.
 *
 * A restore makes all these calls before it changes a value. `make_room` can
 * therefore compare the shapes of several variables, such as the columns of a
 * table, and reject those that differ. The setting lasts until
 * varve_set_resizing is called again.
 *
 * - Records VARVE_MISUSE if the variable is not resizable. */
VARVE_API void varve_always_resize(varve_node *variable);

VARVE_END_DECLS

#endif
