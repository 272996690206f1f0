/* test_context.h - Creates the context that tests pass to private functions of
 * the library.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_TEST_CONTEXT_H
#define SUPPORT_TEST_CONTEXT_H

#include "context.h"
#include "support/test.h"

/* Combines the counting allocator with any system: the real one, one in memory,
 * or a faulty one over either. */
static inline struct vv_context test_context(const struct vv_system *system)
{
    return (struct vv_context){
        .allocator = *test_allocator(),
        .system = system,
    };
}

#endif
