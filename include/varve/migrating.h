/* migrating.h - structs that move between processes: particles, cells of a mesh
 * that is refined, walkers.
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
 * However the program itself keeps them, each process hands out its own for a
 * save; after a restoration, by any number of processes, each is put where it
 * belongs. In a file they are what is private to processes
 * (varve/rank_local.h), with an array for each field: `atoms/0/id`,
 * `atoms/0/position`, `atoms/1/id`,
 * ... docs/processes.md shows it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_MIGRATING_H
#define VARVE_MIGRATING_H

#include <varve/comm.h>
#include <varve/graph.h>
#include <varve/struct.h>

VARVE_BEGIN_DECLS

/* How a program has them. */
typedef struct varve_migrating {
    const varve_field *fields; /* of one of them: numbers, and arrays of these
                                  in the struct itself. Borrowed */
    size_t size;               /* of a struct */

    /* How many this process has now, and writes them, one behind the other. No
     * node is added or removed there. */
    size_t (*count)(void *user);
    void (*get)(void *user, void *structs);

    /* The process has none any more. */
    void (*clear)(void *user);
    /* The rank of the process whose one is, the same at all of them. NULL: that
     * of the process that saved it, modulo how many there are now. */
    uint32_t (*owner)(void *user, const void *one);
    /* Takes one of this process's, in the order in which they were saved.
     * Fields that the file has not are zero; VARVE_OK, or why not. */
    varve_status (*put)(void *user, const void *one);

    void *user;
    varve_reserved reserved;
} varve_migrating;

/* Adds them as `name`; `comm` is that of the saves, of which only rank and size
 * are looked at; NULL: one process. Returns the node of this process's, which
 * is not for adding to. `migrating` is copied. VARVE_MISUSE for another kind of
 * field, and where a function other than `owner` is missing.
 *
 * They are asked for by each call that saves or takes values, and held in
 * memory until the next one. After all other values of a restoration `clear`
 * is called, then `put` for each: with `owner` a process reads those of all, 16
 * MiB at a time, else its own. What does not fit, has an owner that is no rank
 * or is a field that the table has not fails it with VARVE_PARTIALLY_RESTORED;
 * a field that only the file shall have is VARVE_FIELD_GONE. A snapshot puts
 * them back where there are as many as it has taken. A save asks `owner` as
 * well, and is VARVE_MISUSE with the number of the first whose owner is no
 * rank, such as a particle at exactly the upper bound of the grid: no
 * restoration could put it anywhere. */
VARVE_API varve_node *varve_add_migrating(varve_node *parent, const char *name,
    const varve_comm *comm, const varve_migrating *migrating);

VARVE_END_DECLS

#endif
