/* test_system.c - Tests that all systems have all functions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stddef.h>
#include <string.h>

#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "system.h"

typedef void any_function(void);

/* Returns true for functions about file names, which only some systems have. */
static bool is_of_names(size_t offset)
{
    return offset == offsetof(struct vv_system, create_private) ||
           offset == offsetof(struct vv_system, look) ||
           offset == offsetof(struct vv_system, set_access);
}

/* Returns true for functions for prefetching, which only stores have. */
static bool is_of_plans(size_t offset)
{
    return offset == offsetof(struct vv_system, plan) ||
           offset == offsetof(struct vv_system, drop_plan);
}

/* After its state a system contains only functions. */
static void check(const char *name, const struct vv_system *system)
{
    const unsigned char *at = (const unsigned char *)system;
    for (size_t i = offsetof(struct vv_system, open_file); i < sizeof *system;
         i += sizeof(any_function *)) {
        any_function *function;
        memcpy(&function, at + i, sizeof function);
        if ((!system->look && is_of_names(i)) ||
            (!system->plan && is_of_plans(i)))
            continue;
        cr_assert(function, "%s has no function %zu", name,
            (i - offsetof(struct vv_system, open_file)) / sizeof function);
    }
}

TEST(system, has_every_function_in_each_implementation)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    cr_assert(vv_posix_system.look);
    check("posix_system", &vv_posix_system);
    check("memory_system", memory_system(memory));
    check("faulty_system", faulty_system(faulty));
    faulty_free(faulty);
    memory_free(memory);
}
