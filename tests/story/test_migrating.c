/* test_migrating.c - Tests particles that move between processes: each process
 * saves its own, and after a restore with another number of processes each has
 * those that belong to it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>
#include <string.h>

#include <varve/migrating.h>
#include <varve/reader.h>
#include <varve/snapshot.h>
#include <varve/collective.h>

#include "support/thread_comm.h"

enum { ATOMS = 1000, SAVED_BY = 4 };

/* [migrating] */
struct atom {
    int32_t id;
    char tag; /* not saved */
    double at[3];
};

static const varve_field atom_fields[] = {
    VARVE_FIELD(struct atom, id),
    VARVE_FIELD_ARRAY(struct atom, at, .older_names = "position"),
    VARVE_FIELDS_END,
};

/* A process with the atoms of a slab of the box, one slab for each rank. */
struct slab {
    uint32_t rank, ranks;
    size_t count;
    struct atom atoms[ATOMS];
};

static size_t count_atoms(void *user)
{
    const struct slab *s = user;
    return s->count;
}

static void get_atoms(void *user, void *structs)
{
    const struct slab *s = user;
    memcpy(structs, s->atoms, s->count * sizeof *s->atoms);
}

static void clear_atoms(void *user)
{
    struct slab *s = user;
    s->count = 0;
}

static uint32_t owner_of_atom(void *user, const void *one)
{
    const struct slab *s = user;
    const struct atom *a = one;
    return (uint32_t)(a->at[0] * s->ranks);
}

static varve_status put_atom(void *user, const void *one)
{
    struct slab *s = user;
    if (s->count == ATOMS)
        return VARVE_LIMIT;
    s->atoms[s->count++] = *(const struct atom *)one;
    return VARVE_OK;
}

static void add_atoms(varve_node *root, const varve_comm *comm, struct slab *s)
{
    varve_add_migrating(root, "atoms", comm,
        &(varve_migrating){ atom_fields, sizeof(struct atom),
            .count = count_atoms, .get = get_atoms, .clear = clear_atoms,
            .owner = owner_of_atom, .put = put_atom, .user = s });
}
/* [/migrating] */

static struct atom atom(int32_t id)
{
    double x = id * 7919 % ATOMS / (double)ATOMS;
    return (struct atom){ id, 'x', { x, id, -id } };
}

static void fill(struct slab *s, const varve_comm *comm)
{
    s->rank = comm->rank;
    s->ranks = comm->size;
    for (int32_t id = 0; id < ATOMS; id++) {
        struct atom a = atom(id);
        if (owner_of_atom(s, &a) == s->rank)
            put_atom(s, &a);
    }
}

static void save(const varve_comm *comm, void *user)
{
    varve_status *status = user;
    varve_graph *graph = story_graph();
    struct slab *s = calloc(1, sizeof *s);
    add_atoms(varve_graph_root(graph), comm, s);
    fill(s, comm); /* after they were added: the count is read by the save */
    status[comm->rank] = varve_write_all(comm, varve_graph_root(graph),
        test_path("p"), &(varve_write_options){ .no_sync = true }, NULL);
    varve_graph_free(graph);
    free(s);
}

static void save_all(void)
{
    varve_status status[SAVED_BY];
    thread_comm_run(SAVED_BY, 0, -1, save, status);
    for (int i = 0; i < SAVED_BY; i++)
        cr_assert_eq(status[i], VARVE_OK);
}

struct reading {
    struct slab slabs[2 * SAVED_BY];
    varve_error errors[2 * SAVED_BY];
};

static void restore(const varve_comm *comm, void *user)
{
    struct reading *reading = user;
    struct slab *s = &reading->slabs[comm->rank];
    varve_error *error = &reading->errors[comm->rank];
    varve_graph *graph = story_graph();
    s->rank = comm->rank;
    s->ranks = comm->size;
    s->count = 3; /* of those it had at first */
    add_atoms(varve_graph_root(graph), comm, s);
    varve_restoration *r = varve_read_all(
        comm, varve_graph_root(graph), test_path("p"), NULL, error);
    error->status = r ? varve_assert_consumed(r, error) : error->status;
    varve_restoration_free(r);
    varve_graph_free(graph);
}

static void assert_owned(const struct slab *s)
{
    size_t mine = 0;
    for (int32_t id = 0; id < ATOMS; id++) {
        struct atom a = atom(id);
        mine += owner_of_atom((void *)s, &a) == s->rank;
    }
    cr_assert_eq(s->count, mine);
    for (size_t i = 0; i < s->count; i++) {
        struct atom a = atom(s->atoms[i].id);
        cr_assert_eq(owner_of_atom((void *)s, &s->atoms[i]), s->rank);
        cr_assert_eq(memcmp(a.at, s->atoms[i].at, sizeof a.at), 0);
        cr_assert_eq(s->atoms[i].tag, 0);
    }
}

TEST(migrating, reach_their_owners_with_any_number_of_processes)
{
    save_all();
    for (uint32_t ranks = 1; ranks <= 2 * SAVED_BY; ranks++) {
        struct reading *reading = calloc(1, sizeof *reading);
        thread_comm_run(ranks, 0, -1, restore, reading);
        for (uint32_t i = 0; i < ranks; i++) {
            cr_assert_eq(reading->errors[i].status, VARVE_OK, "%u of %u: %s",
                i, ranks, reading->errors[i].message);
            assert_owned(&reading->slabs[i]);
        }
        free(reading);
    }
}

/* Exactly at the upper bound of the box. */
TEST(migrating, are_not_saved_if_one_has_no_valid_owner)
{
    static struct slab s = { .ranks = 1, .count = 2 };
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    s.atoms[0] = atom(1);
    s.atoms[1] = atom(2);
    s.atoms[1].at[0] = 1;
    add_atoms(root, NULL, &s);
    varve_write_options quick = { .no_sync = true };
    const char *path = test_path("p");
    cr_assert_eq(varve_write(root, path, &quick, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "1: the owner must be below 1, found 1"), "%s",
        error.message);
    cr_assert_eq(test_file_count(), 0);
    s.atoms[1].at[0] = 0.999;
    cr_assert_ok(varve_write(root, path, &quick, &error), error);
    varve_graph_free(graph);
}

TEST(migrating, are_saved_as_arrays)
{
    varve_saved_node node;
    varve_error error = { 0 };
    save_all();
    varve_reader *reader = varve_reader_open(test_path("p"), NULL, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert(varve_reader_find(reader, "atoms/3/at", &node));
    cr_assert_eq(node.value.rank, 2);
    cr_assert_eq(node.value.shape[0], ATOMS / SAVED_BY);
    cr_assert_eq(node.value.shape[1], 3);
    varve_reader_free(reader);
}
