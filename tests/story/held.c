/* held.c - Builds a program with one of each object that may be referenced.
 *
 * SPDX-License-Identifier: MIT
 */
#include "held.h"

#include <string.h>

struct held_program program;

const varve_write_options quickly = { .no_sync = true };

static varve_status save(void *self, varve_sink *sink)
{
    varve_put(sink, self, sizeof program.state);
    return VARVE_OK;
}

static varve_status load(void *self, const void *bytes, size_t size)
{
    if (size != sizeof program.state)
        return VARVE_CORRUPT;
    memcpy(self, bytes, size);
    return VARVE_OK;
}

static void fill(void)
{
    float *a = varve_data(program.a);
    float *w = varve_data(program.w);
    for (int i = 0; i < COUNT; i++) {
        a[i] = (float)i + 0.5F;
        w[i] = (float)-i;
    }
    program.texts[0] = (varve_string){ "abc", 3 };
    strcpy(program.state, "state");
}

void make_program(void)
{
    static const varve_state_callbacks callbacks = { save, load };
    memset(&program, 0, sizeof program);
    program.graph = story_graph();
    program.root = varve_graph_root(program.graph);
    program.model = varve_add_object(program.root, "model");
    program.a = varve_add_allocated_variable(program.model, "a",
        VARVE_FLOAT32, VARVE_SHAPE(COUNT), NULL, NULL);
    program.w = varve_add_variable(
        program.model, "w", varve_array(program.memory[0], COUNT));
    varve_add_variable(
        program.model, "texts", varve_array(program.texts, 2));
    varve_add_state(program.model, "state", &callbacks, program.state);
    varve_node *adam = varve_add_object(program.model, "adam");
    varve_add_allocated_slot(adam, program.a, "m", VARVE_FLOAT32,
        VARVE_SHAPE(COUNT), NULL, NULL);
    varve_add_allocated_slot(adam, program.w, "m", VARVE_FLOAT32,
        VARVE_SHAPE(COUNT), NULL, NULL);
    fill();
    cr_assert_ok(
        varve_graph_check(program.graph, &program.error), program.error);
}
