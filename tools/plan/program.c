/* program.c - Makes a graph like that of a checkpoint, with memory that is
 * never accessed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include <varve/memory.h>
#include <varve/variable.h>

#include "complaint.h"
#include "listing.h"
#include "outline.h"
#include "memory.h"
#include "store_path.h"
#include "target.h"

/* --- Values without memory ---------------------------------------------- */

static varve_status nothing_out(
    void *self, uint64_t offset, void *bytes, size_t size)
{
    (void)self, (void)offset, (void)bytes, (void)size;
    return VARVE_MISUSE;
}

static varve_status nothing_in(
    void *self, uint64_t offset, const void *bytes, size_t size)
{
    (void)self, (void)offset, (void)bytes, (void)size;
    return VARVE_MISUSE;
}

static varve_status save_nothing(void *self, varve_sink *sink)
{
    (void)self, (void)sink;
    return VARVE_MISUSE;
}

static varve_status load_nothing(void *self, const void *bytes, size_t size)
{
    (void)self, (void)bytes, (void)size;
    return VARVE_MISUSE;
}

static const varve_memory nowhere = { .copy_out = nothing_out,
    .copy_in = nothing_in };

/* Returns true if a type can have memory that only functions access. Strings
 * cannot, so the library allocates them. */
static bool is_far(const varve_tensor *tensor)
{
    return tensor->dtype != VARVE_STRING;
}

static varve_tensor far_view(const varve_tensor *tensor)
{
    return varve_far(
        &nowhere, tensor->dtype, varve_shape_of(tensor->rank, tensor->shape));
}

varve_node *program_add(
    varve_node *parent, const char *name, const varve_tensor *tensor)
{
    const varve_state_callbacks callbacks = { save_nothing, load_nothing };
    if (!tensor)
        return varve_add_state(parent, name, &callbacks, NULL);
    if (is_far(tensor))
        return varve_add_variable(parent, name, far_view(tensor));
    return varve_add_allocated_variable(parent, name, tensor->dtype,
        varve_shape_of(tensor->rank, tensor->shape), NULL, NULL);
}

varve_node *program_add_slot(varve_node *owner, varve_node *variable,
    const char *name, const varve_tensor *tensor)
{
    if (is_far(tensor))
        return varve_add_slot(owner, variable, name, far_view(tensor));
    return varve_add_allocated_slot(owner, variable, name, tensor->dtype,
        varve_shape_of(tensor->rank, tensor->shape), NULL, NULL);
}

/* --- From a checkpoint -------------------------------------------------- */

struct copy {
    const struct outline *outline;
    varve_node **nodes; /* by node of the file */
};

static bool is_value(const varve_saved_node *saved)
{
    return saved->kind == VARVE_STATE || saved->value.dtype;
}

/* Sets tags and the global name of a node. */
static void describe(
    varve_node *node, const varve_reader *reader, const varve_saved_node *saved)
{
    const char *tag;
    for (size_t i = 0; (tag = varve_reader_tag_at(reader, saved->id, i)); i++)
        varve_tag(node, tag);
    if (saved->global_name && is_value(saved) &&
        strcmp(saved->global_name, saved->path) != 0)
        varve_set_global_name(node, saved->global_name);
}

/* Lists and dicts become objects here, because only names are compared. */
static void add_edge(struct copy *c, uint32_t from, const struct branch *branch)
{
    varve_node *parent = c->nodes[from];
    varve_saved_node saved = outline_saved(c->outline, branch->node);
    varve_node **node = &c->nodes[branch->node];
    if (*node) {
        varve_track(parent, branch->name, *node);
        return;
    }
    if (saved.kind == VARVE_STATE)
        *node = program_add(parent, branch->name, NULL);
    else if (saved.value.dtype)
        *node = program_add(parent, branch->name, &saved.value);
    else
        *node = varve_add_object(parent, branch->name);
    describe(*node, c->outline->reader, &saved);
}

static void add_slot(struct copy *c, uint32_t from, const struct branch *branch)
{
    varve_saved_node saved = outline_saved(c->outline, branch->node);
    varve_node *variable = c->nodes[branch->variable];
    if (!variable || !saved.value.dtype || c->nodes[branch->node])
        return;
    varve_node *node =
        program_add_slot(c->nodes[from], variable, branch->name, &saved.value);
    c->nodes[branch->node] = node;
    describe(node, c->outline->reader, &saved);
}

/* Adds all edges first, because a slot needs its variable. */
static void copy_graph(struct copy *c)
{
    const struct outline *o = c->outline;
    struct branch branch;
    for (int slots = 0; slots < 2; slots++) {
        for (size_t i = 0; i < o->reached; i++) {
            uint32_t id = o->order[i];
            for (size_t j = 0;
                 c->nodes[id] && outline_branch(o, id, j, &branch); j++) {
                bool is_slot = branch.variable != OUTLINE_NONE;
                if (is_slot && slots)
                    add_slot(c, id, &branch);
                else if (!is_slot && !slots)
                    add_edge(c, id, &branch);
            }
        }
    }
}

static char *copied(const char *text)
{
    return memory_copy_text(text, strlen(text));
}

static int from_target(const struct settings *settings, struct target *target,
    struct program *program)
{
    struct outline outline;
    varve_reader *reader = target->reader;
    program->format = copied(varve_format_name(varve_reader_format(reader)));
    program->file = copied(shown_path(varve_reader_path(reader)));
    program->path = copied(target->node.path);
    if (target->node.kind == VARVE_VARIABLE)
        return complain_usage(settings,
            "%s: this is one value, not a subtree with names", program->path);
    if (!outline_make(&outline, reader, target->node.id, &view_of_all))
        return complain_memory(settings);
    struct copy copy = { .outline = &outline,
        .nodes = memory_allocate(outline.count, sizeof(varve_node *)) };
    copy.nodes[outline.root] = varve_graph_root(program->graph);
    copy_graph(&copy);
    free(copy.nodes);
    outline_clear(&outline);
    return OUTCOME_DONE;
}

static int from_listing(
    const struct settings *settings, const char *file, struct program *program)
{
    program->format = copied("listing");
    program->file = copied(file);
    program->path = copied("");
    return listing_read(settings, file, varve_graph_root(program->graph));
}

int program_open(const struct settings *settings, const char *argument,
    struct program *program)
{
    struct target target;
    varve_error error;
    *program = (struct program){ .graph = varve_graph_new(NULL) };
    int outcome;
    if (is_listing(argument)) {
        outcome = from_listing(settings, argument, program);
    } else {
        outcome = target_open(settings, argument, &target);
        if (outcome != OUTCOME_DONE)
            return outcome;
        outcome = from_target(settings, &target, program);
        target_close(&target);
    }
    if (outcome == OUTCOME_DONE && varve_graph_check(program->graph, &error))
        outcome = complain_status(
            settings, "cannot make its graph", program->file, &error);
    return outcome;
}

void program_clear(struct program *program)
{
    varve_graph_free(program->graph);
    free(program->format);
    free(program->file);
    free(program->path);
}
