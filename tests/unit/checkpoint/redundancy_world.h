/* redundancy_world.h - Creates nodes as folders of one disk in memory, with one
 * rank each, whose files are protected, lost and rebuilt.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_REDUNDANCY_WORLD_H
#define UNIT_REDUNDANCY_WORLD_H

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protect.h"
#include "rebuild.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test_context.h"
#include "support/thread_comm.h"
#include "system.h"
#include "member_status.h"

enum { MOST_NODES = 9 };

static struct {
    struct memory *memory;
    struct vv_context context;
    uint32_t count, scheme, group_size;
    uint32_t domains[MOST_NODES];
    size_t round_size;
    bool has_no_shift;
    uint64_t number;
    unsigned char *bytes[MOST_NODES];
    size_t sizes[MOST_NODES];
    varve_status got[MOST_NODES];
    varve_error errors[MOST_NODES];
    bool is_rebuild;
} world;

static inline const char *node_path(uint32_t rank, const char *name)
{
    static _Thread_local char paths[4][64];
    static _Thread_local unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "node-%u/%s", (unsigned)rank, name);
    return path;
}

/* Creates a node for each of `count` ranks. */
static inline void begin_world(uint32_t count, uint32_t scheme)
{
    memset(&world, 0, sizeof world);
    world.memory = memory_new();
    world.context = test_context(memory_system(world.memory));
    world.count = count;
    world.scheme = scheme;
    world.group_size = 4;
    world.round_size = 64;
    world.number = 17;
    for (uint32_t i = 0; i < count; i++)
        world.domains[i] = i;
}

static inline void end_world(void)
{
    for (uint32_t i = 0; i < MOST_NODES; i++)
        free(world.bytes[i]);
    cr_assert_eq(memory_open_count(world.memory), 0);
    memory_free(world.memory);
}

/* Creates a file of a rank, as a save would leave it. */
static inline void put_file(uint32_t rank, size_t size, uint64_t *random)
{
    free(world.bytes[rank]);
    world.bytes[rank] = malloc(size + 1);
    world.sizes[rank] = size;
    for (size_t i = 0; i < size; i++)
        world.bytes[rank][i] = (unsigned char)proof_next(random);
    memory_put(world.memory, node_path(rank, "f.varve"), world.bytes[rank],
        size);
}

static inline void put_files(size_t largest, uint64_t seed)
{
    for (uint32_t i = 0; i < world.count; i++)
        put_file(i, 1 + (size_t)(proof_next(&seed) % largest), &seed);
}

static inline void lose(uint32_t rank, const char *name)
{
    const struct vv_system *system = memory_system(world.memory);
    system->remove(
        system->state, VV_WORKING_DIRECTORY, node_path(rank, name));
}

static inline void lose_node(uint32_t rank)
{
    lose(rank, "f.varve");
    lose(rank, "f.parity");
}

static inline struct vv_redundancy redundancy_of(const varve_comm *comm)
{
    return (struct vv_redundancy){
        .context = &world.context,
        .comm = comm,
        .scheme = world.scheme,
        .group_size = world.group_size,
        .domains = world.domains,
        .round_size = world.round_size,
    };
}

static inline void run_one(const varve_comm *comm, void *user)
{
    varve_comm own = *comm;
    uint32_t i = comm->rank;
    (void)user;
    if (world.has_no_shift)
        own.shift = NULL;
    const struct vv_redundancy r = redundancy_of(&own);
    const struct vv_redundant_file file = {
        .number = world.number,
        .path = node_path(i, "f.varve"),
        .parity = node_path(i, "f.parity"),
    };
    world.errors[i] = (varve_error){ 0 };
    world.got[i] =
        world.is_rebuild
            ? vv_rebuild(&r, &file, NULL, NULL, &world.errors[i])
            : vv_protect(&r, &file, VARVE_OK, &world.errors[i]);
}

/* Runs until `calls` calls of the communicator have succeeded. Returns the
 * number of calls. */
static inline long run_until(bool is_rebuild, long calls)
{
    world.is_rebuild = is_rebuild;
    return thread_comm_run(world.count, 1, calls, run_one, NULL);
}

/* Returns the status, which must be the same on all ranks. */
static inline varve_status run_all(bool is_rebuild)
{
    run_until(is_rebuild, -1);
    for (uint32_t i = 1; i < world.count; i++) {
        cr_assert_eq(world.got[i], world.got[0], "rank %u: %s", i,
            world.errors[i].message);
        cr_assert_str_eq(world.errors[i].message, world.errors[0].message);
    }
    return world.got[0];
}

static inline void protect_all(void)
{
    cr_assert_ok(run_all(false), world.errors[0]);
}

static inline bool has_file_of(uint32_t rank)
{
    size_t size;
    const unsigned char *bytes =
        memory_bytes(world.memory, node_path(rank, "f.varve"), &size);
    return bytes && size == world.sizes[rank] &&
           memcmp(bytes, world.bytes[rank], size) == 0;
}

static inline void check_whole(void)
{
    for (uint32_t i = 0; i < world.count; i++)
        cr_assert(has_file_of(i), "the file of rank %u", i);
}

#endif
