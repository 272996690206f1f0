/* test_bundle_key.c - Tests resolving checkpoint keys in the object graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "bundle_key.h"
#include "drafts.h"

#define VALUE "/.ATTRIBUTES/VARIABLE_VALUE"

/* Builds node 0: a (1), "d.x/y" (2); node 1: w (3), back (0), state (4); a slot
 * of 1 for 3 and one of the root (5, 6). */
static void build(struct drafted *t)
{
    draft_begin(t);
    uint32_t a = vv_draft_node(&t->d, VARVE_OBJECT);
    uint32_t d = vv_draft_node(&t->d, VARVE_OBJECT);
    uint32_t w = add_floats(t, 0), m = add_floats(t, 4), n = add_floats(t, 8);
    uint32_t state = vv_draft_node(&t->d, VARVE_STATE);
    vv_draft_state(&t->d, state, 3, &(struct vv_place){ 0 });
    add_edge(t, 0, "a", a);
    add_edge(t, 0, "d.x/y", d);
    add_edge(t, a, "w", w);
    add_edge(t, d, "w", w);
    add_edge(t, a, "back", 0);
    add_edge(t, a, "state", state);
    vv_draft_slot(&t->d, a, w, "m/n", 3, m);
    vv_draft_slot(&t->d, 0, w, "m", 1, n);
}

static bool leads(const struct drafted *t, const char *key, uint32_t node)
{
    struct vv_buffer scratch;
    vv_buffer_init(&scratch, test_allocator());
    bool result = vv_bundle_key_leads(
        &t->in.parsed.index, key, strlen(key), node, &scratch);
    vv_buffer_clear(&scratch);
    return result;
}

TEST(bundle_key, leads_by_any_path_and_as_a_slot)
{
    static const struct {
        const char *key;
        uint32_t node;
        bool leads;
    } rows[] = {
        { "a/w" VALUE, 4, true },
        { "d..x.Sy/w" VALUE, 4, true },
        { "a/back/a/w" VALUE, 4, true },
        { "a/state/.ATTRIBUTES/py_state", 3, true },
        { "/.ATTRIBUTES/any", 0, true },
        { ".ATTRIBUTES/any", 0, true },
        { "a/.ATTRIBUTES/table-keys", 1, true },
        { "a/w/.OPTIMIZER_SLOT/a/m.Sn" VALUE, 6, true },
        { "d..x.Sy/w/.OPTIMIZER_SLOT/a/back/a/m.Sn" VALUE, 6, true },
        { "a/w/.OPTIMIZER_SLOT//m" VALUE, 5, true },
        { "a/w/.OPTIMIZER_SLOT/m" VALUE, 5, true },
        { "a/w" VALUE, 3, false },
        { "a/w", 4, false },
        { "a/v" VALUE, 4, false },
        { "a/w/w" VALUE, 4, false },
        { "a//w" VALUE, 4, false },
        { "d.x/w" VALUE, 4, false },
        { "a/w/.OPTIMIZER_SLOT/a/n" VALUE, 6, false },
        { "a/w/.OPTIMIZER_SLOT/w/m.Sn" VALUE, 6, false },
        { "a/w/.OPTIMIZER_SLOT/", 6, false },
        { "a/w/.OPTIMIZER_SLOT/a/m.Sn", 6, false },
        { "", 0, false },
        { ".", 0, false },
    };
    struct drafted t;
    varve_error error = { 0 };
    build(&t);
    cr_assert_ok(draft_end(&t, &error), error);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_eq(leads(&t, rows[i].key, rows[i].node), rows[i].leads,
            "%s", rows[i].key);
    draft_free(&t);
}
