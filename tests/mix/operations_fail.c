/* operations_fail.c - Tests failing allocations, full disks, failing system
 * calls, refused calls, and calls without effect.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mix/operations.h"
#include "mix/trouble.h"

/* --- Failures ------------------------------------------------------------- */

void mix_run_out(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    (void)b;
    (void)c;
    mix_say(m, "(no memory after %d allocations of the next call)", a % 64);
    m->trouble = MIX_NO_MEMORY;
    m->trouble_at = a % 64;
}

void mix_fill_disk(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    (void)b;
    (void)c;
    mix_say(m, "(files of at most %d bytes in the next call)", 8 * a);
    m->trouble = MIX_FULL_DISK;
    m->trouble_at = a;
}

/* Lets a system call fail, or transfer fewer bytes, and also all calls after
 * it. */
void mix_fail_call(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    m->trouble = MIX_FAILING_CALL;
    m->trouble_at = a % 64;
    m->trouble_way = b % mix_way_count;
    m->trouble_lasts = c & 1;
    mix_say(m, "(%s: call %d of the next call to the system%s)",
        mix_way_name(m->trouble_way), m->trouble_at,
        m->trouble_lasts ? ", and all after it" : "");
}

/* Lets a copy of device memory fail, and also all copies after it if that is
 * allowed. */
void mix_fail_copy(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    m->trouble = MIX_FAILING_COPY;
    m->trouble_at = a % 8;
    m->trouble_way = b;
    m->trouble_lasts = c & 1;
    mix_say(m, "(%s: copy %d of far memory in the next call%s)",
        b % 4 == 3 ? "no memory" : "failure", m->trouble_at,
        m->trouble_lasts ? ", and all after it" : "");
}

/* --- Refused calls -------------------------------------------------------- */

static varve_status pass_over(void *user, varve_node *node, const char *path)
{
    (void)user;
    (void)node;
    (void)path;
    return VARVE_OK;
}

/* NULL is the nil node. */
void mix_ask_nothing(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    (void)b;
    (void)c;
    mix_say(m, "(call %d with NULL)", a % 10);
    switch (a % 10) {
    case 0: MIX_CHECK(!varve_data(NULL), "data"); break;
    case 1: MIX_CHECK(!varve_value(NULL), "a value"); break;
    case 2: MIX_CHECK(!varve_find(NULL, "a"), "a child"); break;
    case 3: MIX_CHECK(!varve_find_path(NULL, "a"), "a node"); break;
    case 4: varve_remove(NULL); break;
    case 5: varve_tag(NULL, "mine"); break;
    case 6: MIX_CHECK(varve_edge_count(NULL) == 0, "edges"); break;
    case 7:
        MIX_CHECK(
            varve_walk(NULL, pass_over, NULL, &m->error) != VARVE_NO_MEMORY,
            "no memory");
        break;
    case 8: varve_untrack(NULL, "a"); break;
    default: varve_alias(NULL, "a"); break;
    }
    bool is_lost = a % 10 == 5 || a % 10 == 9;
    if (is_lost)
        mix_expect(m, "varve_graph_clear_error",
            varve_graph_clear_error(NULL, &m->error), VARVE_MISUSE,
            VARVE_MISUSE);
}

/* A program continues after a refused call. */
void mix_mistake(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t parent = mix_pick(g, mix_is_parent, b);
    (void)c;
    if (parent == MIX_NONE || !g->shape.nodes[parent].edge_count)
        return;
    const char *name = mix_name(g->shape.nodes[parent].edges[0].name);
    mix_say(
        m, "varve_add_object(g%dn%d, \"%s\"); a second time", at, parent, name);
    varve_node *nil = varve_add_object(g->nodes[parent], name);
    MIX_CHECK(varve_node_kind(nil) == VARVE_NIL, "a name was given twice");
    mix_expect(m, "varve_graph_check", varve_graph_check(g->graph, &m->error),
        VARVE_DUPLICATE, VARVE_DUPLICATE);
    mix_expect(m, "varve_graph_clear_error",
        varve_graph_clear_error(g->graph, &m->error), VARVE_DUPLICATE,
        VARVE_DUPLICATE);
}
