/* test_callbacks.c - Tests changes that a callback must not make during the
 * call that invoked it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "held.h"

#include <string.h>

enum deed { REMOVE, REMOVE_OTHER, RETYPE, UNTRACK, ADD, DEEDS };

static struct {
    enum deed deed;
    bool is_done; /* the change was made */
    varve_status end; /* status returned by the callback */
    varve_node *parent, *new;
} culprit;

static varve_status do_it(void)
{
    varve_node *child = varve_find(culprit.parent, "v");
    if (!child || culprit.is_done)
        return VARVE_OK;
    switch (culprit.deed) {
    case REMOVE: varve_remove(child); break;
    case REMOVE_OTHER: varve_remove(culprit.new); break;
    case RETYPE:
        if (varve_retype(child, VARVE_FLOAT64, NULL, NULL) == VARVE_MISUSE)
            varve_remove(child); /* to record the error */
        break;
    case UNTRACK: varve_untrack(culprit.parent, "v"); break;
    default: varve_add_object(culprit.parent, "added"); break;
    }
    culprit.is_done = !varve_find(culprit.parent, "v") ||
                      varve_find(culprit.parent, "added");
    return culprit.end;
}

static varve_status save_and_do(void *self, varve_sink *sink)
{
    varve_put(sink, self, 1);
    return self == &culprit ? VARVE_OK : do_it();
}

static varve_status load_and_do(void *self, const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return self == &culprit ? do_it() : VARVE_OK;
}

static varve_status visit_and_do(
    void *user, varve_node *node, const char *path)
{
    (void)user;
    (void)node;
    (void)path;
    return do_it();
}

static varve_status differ_and_do(void *user, const varve_difference *d)
{
    (void)user;
    (void)d;
    return do_it();
}

static varve_status initialize_and_do(const varve_tensor *tensor, void *user)
{
    (void)user;
    *(float *)tensor->data = 1;
    return do_it();
}

static void demand_and_do(
    void *user, varve_node *node, const varve_offer *offer)
{
    (void)user;
    (void)node;
    (void)offer;
    do_it();
}

/* Creates a program with a state that has a variable below it, and another
 * variable. */
static void begin_crime(enum deed deed, void *state)
{
    static const varve_state_callbacks callbacks = { save_and_do, load_and_do };
    memset(&culprit, 0, sizeof culprit);
    make_program();
    culprit.deed = deed;
    culprit.parent =
        varve_add_state(program.model, "culprit", &callbacks, state);
    varve_add_allocated_variable(culprit.parent, "v", VARVE_FLOAT32,
        VARVE_SHAPE(1000), NULL, NULL);
    culprit.new = varve_add_allocated_variable(
        program.model, "new", VARVE_FLOAT32, VARVE_SHAPE(10), NULL, NULL);
}

/* Checks that the change was made only if it is allowed, and otherwise the
 * graph reports an error. */
static void end_crime(bool is_allowed)
{
    cr_expect_eq(culprit.is_done, is_allowed, "deed %d", culprit.deed);
    cr_expect_eq(varve_graph_check(program.graph, &program.error),
        is_allowed ? VARVE_OK : VARVE_MISUSE, "deed %d: %s", culprit.deed,
        program.error.message);
    varve_graph_free(program.graph);
}

TEST(callbacks, cannot_remove_nodes_in_use)
{
    varve_error error;
    char other = 0;
    for (enum deed deed = 0; deed < DEEDS; deed++) {
        begin_crime(deed, &other); /* in the serializer during a save */
        (void)!varve_write(program.model, test_path("f"), &quickly, &error);
        end_crime(false);

        begin_crime(deed, &other);
        varve_snapshot_free(varve_snapshot_new(program.model, &error));
        end_crime(false);

        begin_crime(deed, &culprit);
        varve_walk(program.model, visit_and_do, NULL, &error);
        end_crime(deed == ADD);

        begin_crime(deed, &culprit);
        varve_each(program.model, NULL, visit_and_do, NULL, &error);
        end_crime(deed == ADD);

        begin_crime(deed, &culprit);
        varve_snapshot *s = varve_snapshot_new(program.model, &error);
        cr_assert(s);
        *(float *)varve_data(program.a) = -1;
        (void)!varve_snapshot_diff(s, NULL, differ_and_do, NULL, &error);
        varve_snapshot_free(s);
        end_crime(deed == ADD);

        begin_crime(deed, &culprit);
        varve_add_allocated_variable(culprit.parent, "w", VARVE_FLOAT32,
            VARVE_SHAPE(1), initialize_and_do, NULL);
        end_crime(deed >= UNTRACK);
    }
}

/* The variable is there or not yet, and the load succeeds or fails. */
TEST(callbacks, of_loads_cannot_remove_nodes_in_use)
{
    varve_error error;
    begin_crime(ADD, &culprit);
    culprit.parent = program.root; /* where there is no "v" */
    story_write(program.model, "f");
    varve_graph_free(program.graph);
    for (int i = 0; i < DEEDS * 2 * 2 * 2; i++) {
        bool is_late = i & 1;
        bool is_mapped = i & 2;
        begin_crime((enum deed)(i / 8), &culprit);
        culprit.end = i & 4 ? VARVE_IO : VARVE_OK;
        if (is_late)
            varve_remove(varve_find(culprit.parent, "v"));
        varve_read_options options = { .map = is_mapped };
        varve_restoration *one =
            varve_read(program.model, test_path("f"), &options, &error);
        varve_restoration *two = !is_late ? NULL
            : varve_read(program.model, test_path("f"), &options, &error);
        cr_assert(one || !is_late, "%s", error.message);
        if (is_late)
            varve_add_allocated_variable(culprit.parent, "v", VARVE_FLOAT32,
                VARVE_SHAPE(1000), NULL, NULL);
        (void)!varve_graph_check(program.graph, &error);
        varve_restoration_free(one);
        varve_restoration_free(two);
        end_crime(culprit.deed >= UNTRACK);
    }
}

TEST(callbacks, of_demands_cannot_remove_nodes_in_use)
{
    varve_error error;
    begin_crime(ADD, &culprit);
    culprit.parent = program.root;
    story_write(program.model, "f");
    varve_graph_free(program.graph);
    for (int i = 0; i < DEEDS * 2; i++) {
        begin_crime((enum deed)(i / 2), &culprit);
        culprit.end = VARVE_OK;
        varve_node *adam = varve_find(program.model, "adam");
        varve_node *state = varve_find(program.model, "culprit");
        varve_remove(varve_find(program.model, "texts"));
        varve_remove(varve_find(program.model, "w"));
        varve_set_on_demand(i & 1 ? program.model : adam, demand_and_do, NULL);
        varve_set_on_demand(state, demand_and_do, NULL);
        varve_restoration *r =
            varve_read(program.model, test_path("f"), NULL, &error);
        varve_restoration_free(r);
        end_crime(culprit.deed >= UNTRACK);
    }
}
