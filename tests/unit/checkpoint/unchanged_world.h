/* unchanged_world.h - Creates graphs for saves that do not examine all values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_UNCHANGED_WORLD_H
#define UNIT_UNCHANGED_WORLD_H

#include "layered_world.h"

static const varve_write_options touched = {
    .incremental = true, .increment.only_dirty = true
};

static inline void save_to(
    const char *prefix, const varve_write_options *options)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_save(incremental.root, prefix, options, &error), error);
}

static inline void save_touched(void)
{
    save_to("run/m", &touched);
}

static inline varve_node *named(const char *name)
{
    varve_node *node = varve_find(incremental.root, name);
    cr_assert(node, "%s", name);
    return node;
}

static inline bool have_same_values(const char *one, const char *other)
{
    uint8_t a[16], b[16];
    digest_of(one, a);
    digest_of(other, b);
    return memcmp(a, b, 16) == 0;
}

#endif
