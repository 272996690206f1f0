/* resizing.h - values whose shape changes between saves: a list of particles, a
 * permutation, a growing vocabulary.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RESIZING_H
#define VARVE_RESIZING_H

#include <varve/variable.h>

VARVE_BEGIN_DECLS

/* How a variable comes to the shape that a file has. */
typedef struct varve_resizing {
    /* Asked for memory when a value of another shape is about to come, before
     * anything has changed: as many elements as `coming`, which has type and
     * shape, and no data. The value is read straight into it. Anything but
     * VARVE_OK is a refusal: VARVE_CALLBACK with the path, and nothing changes.
     * For memory of the library NULL: it makes room itself. */
    varve_status (*make_room)(
        void *user, varve_node *node, const varve_tensor *coming, void **room);
    /* What became of the room, once for each that was made. Where it is taken
     * the variable has the new shape and is over it, and the memory that it had
     * is the program's to free; else the room is, and all is as it was. */
    void (*settle)(void *user, varve_node *node, void *room, bool is_taken);
} varve_resizing;

/* A leaf over memory that the program owns, as by varve_add_variable, that
 * takes the shape of what is restored into it; only its element type is fixed.
 * After a restoration varve_value tells its shape. It is the program that tells
 * of a shape which it gave it itself, by varve_rebind. */
VARVE_API varve_node *varve_add_resizable(varve_node *parent, const char *name,
    varve_tensor view, const varve_resizing *resizing, void *user);

/* The same of a variable that is there, also of one whose memory is the
 * library's, or of a slot variable; `resizing` is copied, NULL takes it away.
 * What was to come before and did not fit comes with the next
 * varve_restoration_retry. A slice cannot: VARVE_MISUSE. */
VARVE_API void varve_set_resizing(
    varve_node *variable, const varve_resizing *resizing, void *user);

/* Calls make_room for each value of a restoration, even if the value has the
 * shape that the variable already has. A restoration makes all these calls
 * before it changes a value. So make_room can compare the shapes of several
 * variables, such as the columns of one table, and refuse those that differ.
 * This holds until varve_set_resizing is called again. VARVE_MISUSE for a node
 * without resizing. */
VARVE_API void varve_always_resize(varve_node *variable);

VARVE_END_DECLS

#endif
