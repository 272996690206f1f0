/* test_context.h - what private functions of the library are handed in tests.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_TEST_CONTEXT_H
#define SUPPORT_TEST_CONTEXT_H

#include "context.h"
#include "support/test.h"

/* The counting allocator over any system: the real one, one in memory, a faulty
 * one over either. */
static inline struct vv_context test_context(const struct vv_system *system)
{
    return (struct vv_context){
        .allocator = *test_allocator(),
        .system = system,
    };
}

#endif
