/* operations_late.c - Tests values that are restored again or whose pending
 * delivery is cancelled, and children created on demand.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "mix/operations.h"
#include "mix/trouble.h"

static struct mix_open *choose(struct mix *m, uint8_t by)
{
    for (unsigned i = 0; i < MIX_OPENS; i++) {
        struct mix_open *open = &m->opens[(by + i) % MIX_OPENS];
        if (open->restoration && open->graph != MIX_NONE)
            return open;
    }
    return NULL;
}

void mix_again(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    struct mix_open *open = choose(m, a);
    (void)c;
    if (!open)
        return;
    const struct mix_graph *g = &m->graphs[open->graph];
    uint8_t node = mix_pick(g, mix_is_any, b);
    mix_say(m, "varve_restore_again(r%td, g%dn%d);", open - m->opens,
        open->graph, node);
    mix_trouble_begin(m);
    varve_status status =
        varve_restore_again(open->restoration, g->nodes[node], &m->error);
    varve_status other = mix_trouble_end(m);
    if (status == VARVE_MISUSE || /* the node was not restored */
        (other && status == other))
        return;
    mix_expect(m, "varve_restore_again", status, VARVE_OK, VARVE_MISMATCH);
    if (status == VARVE_OK)
        mix_match_again(m, open, node);
}

void mix_settle(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    const struct mix_manager *manager = &m->managers[b % MIX_MANAGERS];
    (void)a;
    (void)c;
    if (!manager->manager)
        return;
    mix_say(m, "varve_manager_finish_resume(m%d);", b % MIX_MANAGERS);
    mix_trouble_begin(m);
    varve_status status =
        varve_manager_finish_resume(manager->manager, &m->error);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "varve_manager_finish_resume", status, VARVE_OK, other);
    if (status)
        return;
    for (int i = 0; i < MIX_OPENS; i++)
        if (m->opens[i].restoration && m->opens[i].manager == manager)
            memset(&m->opens[i], 0, sizeof m->opens[i]);
}

/* --- On demand ------------------------------------------------------------ */

/* Finds the model of a library node. Returns false if there is none. */
static bool find(
    const struct mix *m, const varve_node *node, uint8_t *at, uint8_t *n)
{
    for (*at = 0; *at < MIX_GRAPHS; ++*at)
        for (*n = 0; *n < MIX_NODES && m->graphs[*at].graph; ++*n)
            if (m->graphs[*at].nodes[*n] == node)
                return true;
    return false;
}

static uint8_t name_of(const char *name)
{
    for (uint8_t i = 0; i < MIX_NAMES + 4; i++) {
        uint8_t number =
            (uint8_t)(i < MIX_NAMES ? i : MIX_POSITIONS + i - MIX_NAMES);
        if (strcmp(mix_name(number), name) == 0)
            return number;
    }
    return MIX_NONE;
}

static void make(void *user, varve_node *node, const varve_offer *offer);

static varve_node *add(struct mix *m, struct mix_node *child,
    varve_node *parent, const varve_offer *offer)
{
    varve_node *made = NULL;
    switch (offer->kind) {
    case VARVE_LIST: made = varve_add_list(parent, offer->name); break;
    case VARVE_DICT: made = varve_add_dict(parent, offer->name); break;
    case VARVE_VARIABLE:
        *child = (struct mix_node){ .kind = VARVE_VARIABLE,
            .dtype = (uint8_t)offer->value->dtype,
            .is_owned = true,
            .holds = true,
            .value = { .count = (uint8_t)offer->value->shape[0] },
            .alias = MIX_NONE,
            .global = MIX_NONE };
        return varve_add_allocated_variable(parent, offer->name,
            offer->value->dtype, VARVE_SHAPE(child->value.count), NULL, NULL);
    default: made = varve_add_object(parent, offer->name); break;
    }
    varve_set_on_demand(made, make, m);
    return made;
}

/* Returns true if a child can be added: at the next position of a list, or
 * under an unused name. */
static bool has_room(const struct mix_graph *g, uint8_t n, uint8_t name)
{
    const struct mix_node *node = &g->shape.nodes[n];
    return node->edge_count < MIX_FEW_EDGES &&
           (node->kind != VARVE_LIST ||
               name == MIX_POSITIONS + node->edge_count);
}

static void make(void *user, varve_node *node, const varve_offer *offer)
{
    struct mix *m = user;
    uint8_t at, n, name = name_of(offer->name);
    bool is_other = offer->kind == VARVE_STATE ||
                    (offer->kind == VARVE_VARIABLE &&
                        (!offer->value || offer->value->rank != 1));
    if (!find(m, node, &at, &n) || name == MIX_NONE || is_other)
        return;
    struct mix_graph *g = &m->graphs[at];
    uint8_t place = mix_free_place(&g->shape);
    if (place == MIX_NONE || !has_room(g, n, name))
        return;
    mix_say(m, "    (on demand: g%dn%d is \"%s\" of g%dn%d)", at, place,
        mix_name(name), at, n);
    g->shape.nodes[place] = (struct mix_node){ .kind = (uint8_t)offer->kind,
        .demands = offer->kind != VARVE_VARIABLE,
        .alias = MIX_NONE,
        .global = MIX_NONE };
    mix_add_edge(&g->shape, n, name, place);
    varve_node *made = add(m, &g->shape.nodes[place], node, offer);
    if (varve_node_kind(made) == VARVE_NIL) {
        MIX_CHECK(m->failing >= 0, "nothing was made on demand");
        uint8_t last = (uint8_t)(g->shape.nodes[n].edge_count - 1);
        mix_drop_edge(&g->shape, n, last);
        g->shape.nodes[place] = (struct mix_node){ 0 };
        return;
    }
    g->nodes[place] = made;
    g->version++;
}

/* Enables on-demand creation of children for a container. */
void mix_demand(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t n = mix_pick(g, mix_is_object, b);
    (void)c;
    if (g->of[n])
        return; /* a struct creates its members */
    mix_say(m, "varve_set_on_demand(g%dn%d, make);", at, n);
    g->shape.nodes[n].demands = true;
    mix_trouble_begin(m);
    do
        varve_set_on_demand(g->nodes[n], make, m);
    while (mix_is_to_repeat(m, at, mix_is_well(m, at)));
    mix_changed(m, at);
}
