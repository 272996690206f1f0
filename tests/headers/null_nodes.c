/* null_nodes.c - Tests that every public function accepts NULL as an invalid
 * node. null_calls.py generates the calls from the headers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

struct given {
    varve_graph *graph;
    varve_node *good; /* an object */
    varve_node *list;
    varve_node *variable;
    varve_saver *saver;
    varve_restoration *restoration;
    varve_records *records;
    varve_random stream;
    float memory[2];
    char path[512];
    int called; /* number of callbacks */
};

struct outcome {
    varve_error error;
    varve_node *node;
    varve_status status;
    const void *pointer;
    uint64_t number;
};

enum role {
    FAILS,   /* returns VARVE_MISUSE, or NULL and sets an error */
    ASKS,    /* returns NULL or 0 */
    BUILDS,  /* returns an invalid node */
    CHANGES, /* returns void */
};

struct call {
    const char *name;
    void (*run)(struct given *g, struct outcome *o);
    enum role role;
    bool has_graph; /* its first node belongs to a graph */
};

static varve_status visit(void *user, varve_node *node, const char *path)
{
    (void)node;
    (void)path;
    ((struct given *)user)->called++;
    return VARVE_OK;
}

static void offer(void *user, varve_node *node, const varve_offer *offered)
{
    (void)node;
    (void)offered;
    ((struct given *)user)->called++;
}

static varve_status save(void *self, varve_sink *sink)
{
    (void)sink;
    ((struct given *)self)->called++;
    return VARVE_OK;
}

static varve_status load(void *self, const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    ((struct given *)self)->called++;
    return VARVE_OK;
}

static const varve_state_callbacks callbacks = { save, load };

static varve_status agree(void *self, uint64_t *value)
{
    (void)self;
    (void)value;
    return VARVE_OK;
}

static varve_status gather(
    void *self, const void *bytes, size_t size, void *all)
{
    (void)self;
    if (size > 0)
        memcpy(all, bytes, size);
    return VARVE_OK;
}

static varve_status gather_varied(void *self, const void *bytes, size_t size,
    void *all, const uint64_t *sizes)
{
    (void)sizes;
    return gather(self, bytes, size, all);
}

static varve_status broadcast(void *self, void *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return VARVE_OK;
}

static varve_status barrier(void *self)
{
    (void)self;
    return VARVE_OK;
}

static const varve_field fields[] = {
    VARVE_FIELD(struct given, called),
    VARVE_FIELDS_END,
};

static const varve_comm alone = {
    .size = 1,
    .agree = agree,
    .gather = gather,
    .gather_varied = gather_varied,
    .broadcast = broadcast,
    .barrier = barrier,
};

#include "null_calls.h"

static void begin(struct given *g)
{
    *g = (struct given){ .graph = varve_graph_new(test_allocator()) };
    varve_node *root = varve_graph_root(g->graph);
    g->good = varve_add_object(root, "good");
    g->list = varve_add_list(root, "list");
    g->variable =
        varve_add_variable(root, "variable", varve_array(g->memory, 2));
    g->saver = varve_saver_new(g->graph, NULL, NULL);
    cr_assert_not_null(g->saver);
    varve_error error;
    cr_assert_ok(varve_write(root, test_path("f"), NULL, &error), error);
    g->restoration = varve_read(root, test_path("f"), NULL, &error);
    cr_assert(g->restoration, "%s", error.message);
    strcpy(g->path, test_path("nothing"));
}

static void end(struct given *g)
{
    varve_restoration_free(g->restoration);
    varve_saver_free(g->saver);
    varve_graph_free(g->graph);
}

/* Checks a call. If a child or the variable of a slot is NULL, the graph of the
 * other node reports the error. */
static void check(const struct call *call, const struct given *g)
{
    struct outcome o = { .status = VARVE_MISUSE };
    varve_error error = { 0 };
    call->run((struct given *)g, &o);
    varve_status status = varve_graph_check(g->graph, &error);
    bool is_mistake =
        call->has_graph && (call->role == BUILDS || call->role == CHANGES);
    /* The thread reports changes that no graph can record. */
    bool is_lost = status && strstr(error.message, "the node is NULL");
    cr_assert(!is_lost || call->role == BUILDS || call->role == CHANGES, "%s",
        call->name);
    cr_assert(is_lost || is_mistake || call->role != BUILDS, "%s", call->name);
    if (is_lost)
        cr_assert_eq(
            varve_graph_clear_error(g->graph, NULL), VARVE_MISUSE);
    else
        cr_assert_eq(status, is_mistake ? VARVE_MISUSE : VARVE_OK, "%s: %s",
            call->name, error.message);
    cr_assert(!is_mistake || strchr(error.message, ':'), "%s: %s", call->name,
        error.message);
    cr_assert_eq(g->called, 0, "%s", call->name);
    cr_assert_eq(o.number, 0, "%s", call->name);
    cr_assert_eq(o.status, VARVE_MISUSE, "%s", call->name);
    if (call->role == BUILDS)
        cr_assert(o.node && varve_node_kind(o.node) == VARVE_NIL, "%s",
            call->name);
    else
        cr_assert(!o.node, "%s", call->name);
    cr_assert(!o.pointer || o.pointer == varve_node_graph(NULL), "%s",
        call->name);
    if (call->role == FAILS)
        cr_assert(o.error.status == VARVE_MISUSE &&
                      strstr(o.error.message, "node"),
            "%s: %s", call->name, o.error.message);
    cr_assert_eq(test_file_count(), 1, "%s", call->name);
}

TEST(null_nodes, are_treated_by_every_call_like_nil_nodes)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct given g;
        begin(&g);
        check(&calls[i], &g);
        end(&g);
    }
}

/* NULL handles from failed calls may be passed on. Functions that return a
 * status report VARVE_MISUSE; functions that free do nothing. */
TEST(null_handles, are_accepted_by_every_call)
{
    size_t refused = 0;
    for (size_t i = 0; i < sizeof handle_calls / sizeof *handle_calls; i++) {
        const struct call *call = &handle_calls[i];
        struct given g = { 0 };
        struct outcome o = { .status = VARVE_MISUSE };
        call->run(&g, &o);
        cr_assert_eq(o.number, 0, "%s", call->name);
        cr_assert(!o.pointer && !o.node, "%s", call->name);
        cr_assert_eq(o.status, VARVE_MISUSE, "%s", call->name);
        if (call->role != FAILS)
            continue;
        cr_assert_eq(o.error.status, VARVE_MISUSE, "%s", call->name);
        cr_assert(strstr(o.error.message, "NULL"), "%s: %s", call->name,
            o.error.message);
        refused++;
    }
    cr_assert_geq(refused, 30);
}

TEST(null_nodes, record_an_error_in_their_graph)
{
    varve_error error;
    varve_graph *graph = varve_node_graph(NULL);
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISUSE);
    cr_assert_str_eq(error.message, "node is NULL");
    cr_assert_eq(varve_graph_clear_error(graph, NULL), VARVE_MISUSE);
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_MISUSE);
    varve_node *nil = varve_add_object(varve_graph_root(graph), "a");
    cr_assert_eq(varve_node_kind(nil), VARVE_NIL);
    cr_assert_eq(varve_node_kind(varve_add_detached(NULL)), VARVE_NIL);
    cr_assert_eq(varve_graph_check(NULL, NULL), VARVE_MISUSE);
    cr_assert_null(varve_edge_next(NULL));
    cr_assert_null(varve_slot_next(NULL));
    varve_set_seed(graph, 1);
    varve_set_seed(NULL, 1);
    varve_defer_initializers(graph, true);
    varve_defer_initializers(NULL, true);
    varve_graph_free(graph);
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_MISUSE);
}
