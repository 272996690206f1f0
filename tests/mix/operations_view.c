/* operations_view.c - Tests variables over memory that is not row-major or is
 * reached by functions.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "mix/files.h"
#include "mix/operations.h"
#include "mix/trouble.h"
#include "mix/views.h"

static struct mix_value choose_value(struct mix *m, uint8_t by)
{
    static const struct mix_value kinds[] = { { .count = 1 }, { .count = 2 },
        { .count = 4 }, { .count = 0 }, { .count = 1, .form = MIX_SCALAR },
        { .count = 4, .form = MIX_ROWS }, { .count = 2, .form = MIX_ROWS },
        { .count = 0, .form = MIX_ROWS } };
    struct mix_value value = mix_fresh(m, kinds[by % 8].count);
    value.form = kinds[by % 8].form;
    return value;
}

static void say_view(const struct mix *m, const char *call, uint8_t at,
    uint8_t n, const varve_tensor *view, uint8_t layout)
{
    const struct mix_node *node = &m->graphs[at].shape.nodes[n];
    char text[VARVE_TENSOR_TEXT_SIZE];
    mix_say(m, "%s(g%dn%d, %s, %s); = %d", call, at, n,
        varve_tensor_text(view, text), mix_layout_name(layout),
        node->value.numbers[0]);
}

void mix_add_view(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    static const uint8_t dtypes[] = { VARVE_FLOAT32, VARVE_FLOAT32,
        VARVE_FLOAT32, VARVE_FLOAT64, VARVE_INT32, VARVE_COMPLEX128,
        VARVE_BFLOAT16, VARVE_UINT8 };
    uint8_t at = mix_pick_graph(m, a), layout = (uint8_t)(1 + c / 8 % 4);
    struct mix_graph *g = &m->graphs[at];
    uint8_t parent = mix_pick(g, mix_is_parent, a / MIX_GRAPHS);
    uint8_t place = mix_free_place(&g->shape);
    uint8_t name = parent == MIX_NONE ? parent : mix_new_name(g, parent, b);
    if (place == MIX_NONE || name == MIX_NONE)
        return;
    g->shape.nodes[place] = (struct mix_node){ .kind = VARVE_VARIABLE,
        .dtype = dtypes[c % 8],
        .holds = true,
        .alias = MIX_NONE,
        .global = MIX_NONE,
        .value = choose_value(m, c / 32) };
    struct mix_node *node = &g->shape.nodes[place];
    mix_add_edge(&g->shape, parent, name, place);
    varve_tensor view =
        mix_lay_out(m, layout, node->dtype, &node->value, &g->memory[place]);
    mix_say(m, "(below g%dn%d, as \"%s\":)", at, parent, mix_name(name));
    say_view(m, "varve_add_variable", at, place, &view, layout);
    mix_trouble_begin(m);
    do
        g->nodes[place] =
            varve_add_variable(g->nodes[parent], mix_name(name), view);
    while (mix_is_to_repeat(
        m, at, varve_node_kind(g->nodes[place]) != VARVE_NIL));
    mix_changed(m, at);
}

/* Rebinds to a view of another layout and, if it is not a slice, possibly
 * another shape. */
void mix_rebind_view(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a), layout = c % MIX_LAYOUTS;
    struct mix_graph *g = &m->graphs[at];
    uint8_t n = mix_pick(g, mix_is_variable, b);
    if (n == MIX_NONE || g->shape.nodes[n].is_owned)
        return;
    struct mix_node *node = &g->shape.nodes[n];
    struct mix_value value = mix_fresh(m, node->value.count);
    void *block;
    value.form = node->value.form;
    if (!node->is_slice && c >= 192)
        value = choose_value(m, c / MIX_LAYOUTS);
    varve_tensor view = mix_lay_out(m, layout, node->dtype, &value, &block);
    mix_set_value(g, n, &value);
    say_view(m, "varve_rebind", at, n, &view, layout);
    mix_trouble_begin(m);
    do
        varve_rebind(g->nodes[n], view);
    while (mix_is_to_repeat(
        m, at, mix_element(varve_value(g->nodes[n]), 0) ==
                   mix_element(&view, 0)));
    free(g->memory[n]);
    g->memory[n] = block;
    mix_fix_again(g, n);
}

/* Restores values while a copy of device memory fails. */
void mix_lose_copy(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    bool is_file = c & 128;
    if (is_file)
        mix_write(m, a, b, 0);
    else
        mix_end_snapshot(m, a, b, c);
    if (!is_file)
        mix_take(m, a, b, 0);
    mix_compute(m, a, b, 1);
    mix_fail_copy(m, c % 4, c / 4, b / 64);
    if (is_file)
        mix_read(m, a, b % MIX_ORDINARY_FILES, c / 32 % 2 * 2);
    else
        mix_put_back(m, a, b, c);
}
