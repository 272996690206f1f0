/* leases.h - Provides what the tests of leases and watches share: a memory
 * system below one that can fail, and the checks of a deletion.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LEASES_H
#define LEASES_H

#include <errno.h>

#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "system.h"

#define A_MILLISECOND ((int64_t)1000000)

struct sea {
    struct memory *memory;
    struct faulty *faulty;
    struct vv_context context;
};

static inline struct sea sea_new(void)
{
    struct sea sea = { .memory = memory_new() };
    sea.faulty = faulty_new(memory_system(sea.memory));
    sea.context = test_context(faulty_system(sea.faulty));
    return sea;
}

/* Checks that all files are closed. */
static inline void sea_free(struct sea *sea)
{
    cr_assert_eq(memory_open_count(sea->memory), 0);
    faulty_free(sea->faulty);
    memory_free(sea->memory);
}

static inline void put(struct sea *sea, const char *path)
{
    memory_put(sea->memory, path, "bytes", 5);
}

static inline void delete(struct sea *sea, const char *path)
{
    const struct vv_system *s = memory_system(sea->memory);
    cr_assert_eq(s->remove(s->state, VV_WORKING_DIRECTORY, path), 0);
}

/* Opens a file, locks it exclusively and returns the descriptor. */
static inline int lock_alone(struct sea *sea, const char *path)
{
    const struct vv_system *s = memory_system(sea->memory);
    int file = s->open_file(s->state, VV_WORKING_DIRECTORY, path);
    cr_assert_geq(file, 0);
    cr_assert_eq(s->lock(s->state, file), 0);
    return file;
}

static inline void end_lock(struct sea *sea, int file)
{
    const struct vv_system *s = memory_system(sea->memory);
    cr_assert_eq(s->close(s->state, file), 0);
}

/* Returns true if a deletion would find a lease of the file. */
static inline bool is_leased(const struct vv_system *s, const char *path)
{
    int file = s->open_file(s->state, VV_WORKING_DIRECTORY, path);
    cr_assert_geq(file, 0, "%s: %d", path, file);
    int result = s->lock(s->state, file);
    cr_assert(result == 0 || result == -EWOULDBLOCK);
    s->close(s->state, file);
    return result != 0;
}

static inline int64_t elapsed_ms(struct sea *sea)
{
    const struct vv_system *s = memory_system(sea->memory);
    return s->uptime(s->state) / A_MILLISECOND;
}

#endif
