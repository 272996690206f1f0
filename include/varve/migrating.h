/* migrating.h - Saves and restores structs that move between processes, such as
 * particles, mesh cells and walkers.
 *
 *     static const varve_field atom_fields[] = {
 *         VARVE_FIELD(struct atom, id),
 *         VARVE_FIELD_ARRAY(struct atom, position),
 *         VARVE_FIELDS_END,
 *     };
 *     const varve_migrating atoms = { atom_fields, sizeof(struct atom),
 *         .count = count_atoms, .get = get_atoms, .clear = clear_atoms,
 *         .owner = owner_of_atom, .put = put_atom, .user = &sim };
 *     varve_add_migrating(root, "atoms", comm, &atoms);
 *
 * The program may store the structs in any container. For a save each process
 * copies its own structs; a restore, by any number of processes, gives each
 * struct to the process that owns it. The file contains rank-local nodes
 * (rank_local.h) with an array for each field: `atoms/0/id`,
 * `atoms/0/position`, `atoms/1/id` and so on. docs/processes.md explains it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_MIGRATING_H
#define VARVE_MIGRATING_H

#include <varve/comm.h>
#include <varve/graph.h>
#include <varve/struct.h>

VARVE_BEGIN_DECLS

/* Describes the structs and provides callbacks to access them. All callbacks
 * are required, except for `owner`. */
typedef struct varve_migrating {
    const varve_field *fields; /* fields of the struct: numbers, and arrays of
                                  numbers inside the struct; borrowed */
    size_t size;               /* bytes of a struct */

    /* Returns the number of structs of this process. It must not add or remove
     * nodes. */
    size_t (*count)(void *user);
    /* Copies the structs of this process to the array `structs`. It must not
     * add or remove nodes. */
    void (*get)(void *user, void *structs);

    /* Removes all structs of this process. */
    void (*clear)(void *user);
    /* Returns the rank that owns a struct. The result must be the same on all
     * ranks. NULL: the rank that saved it, modulo the current number of
     * ranks. */
    uint32_t (*owner)(void *user, const void *one);
    /* Adds a struct to this process. The structs are passed in the order in
     * which they were saved. Fields that the file lacks are zero. Returns
     * VARVE_OK, or an error to fail the restore. */
    varve_status (*put)(void *user, const void *one);

    void *user; /* first argument of the callbacks */
    varve_reserved reserved;
} varve_migrating;

/* Adds structs that move between processes under the name `name`.
 *
 * `comm` is the communicator of the saves; only its rank and size are used.
 * NULL means a single process. `migrating` is copied. Not collective.
 *
 * Returns the node of this process. Do not add nodes to it.
 *
 * - Fails with VARVE_MISUSE if a field has an unsupported type, or if a
 *   required callback is NULL.
 *
 * Each function that saves or compares values gets the structs with `count` and
 * `get`, and they stay in memory until the next one. A save also calls `owner`.
 * It fails with VARVE_MISUSE if the result is not a rank, because the struct
 * could not be restored. An example is a particle at exactly the upper bound of
 * the grid. The message has the index of the first such struct.
 *
 * A restore calls `clear` after all other values are restored, and then `put`
 * for each struct of this process. With `owner` each process reads the structs
 * of all ranks, 16 MiB at a time; without it, only its own. The restore fails
 * with VARVE_PARTIALLY_RESTORED:
 *
 * - if a field does not match,
 * - if the owner of a struct is not a rank,
 * - if the file has a field that the table lacks. Add VARVE_FIELD_GONE for such
 *   a field.
 *
 * A snapshot restores the structs if their number has not changed. */
VARVE_API varve_node *varve_add_migrating(varve_node *parent, const char *name,
    const varve_comm *comm, const varve_migrating *migrating);

VARVE_END_DECLS

#endif
