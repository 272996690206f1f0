/* keras_slots.c - Matches optimizer state to variables in the order of the
 * model, if its config is known, or else by shapes that occur only once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "keras_slots.h"

#include <string.h>

#include "draft_parts.h"
#include "failure.h"
#include "keras_names.h"
#include "name.h"
#include "torch_match.h"
#include "try.h"
#include "typed_memory.h"

enum { MOST_EACH = 3, MOST_LOOKS = 1 << 20, LOOKS_FOR_EDGE = 8 };

struct finding {
    struct vv_hdf5_graph *g;
    const struct vv_keras_config *config;
    size_t optimizer, vars;     /* numbers of items */
    uint64_t looks;             /* remaining visits of edges of layers */
    struct vv_buffer moments;   /* size_t: items, in numeric order */
    struct vv_buffer variables; /* size_t: items of the model */
    struct vv_buffer trained;   /* struct vv_torch_form of each trained
                                   variable */
    struct vv_buffer model;     /* struct vv_torch_form of each variable of the
                                   model */
    struct vv_buffer to;        /* size_t */
};

/* The names of the moments of an optimizer, in their order. */
struct optimizer_names {
    const char *label;
    size_t count;
    const char *names[2];
};

static const struct optimizer_names optimizers[] = {
    { "adam", 2, { "momentum", "velocity" } },
    { "adam_w", 2, { "momentum", "velocity" } },
    { "adamw", 2, { "momentum", "velocity" } },
    { "nadam", 2, { "momentum", "velocity" } },
    { "lamb", 2, { "momentum", "velocity" } },
    { "adamax", 2, { "momentum", "norm" } },
    { "adadelta", 2, { "accumulated_grad", "accumulated_delta_var" } },
    { "ftrl", 2, { "accumulator", "linear" } },
    { "sgd", 1, { "momentum" } },
    { "SGD", 1, { "momentum" } },
    { "lion", 1, { "momentum" } },
    { "rmsprop", 1, { "velocity" } },
    { "rm_sprop", 1, { "velocity" } },
    { "adagrad", 1, { "accumulator" } },
};

/* --- Values --------------------------------------------------------------- */

static const struct vv_draft_value *keras_slots_value_of(
    const struct vv_hdf5_graph *g, size_t item)
{
    uint32_t node = vv_hdf5_item_at(g, item)->node;
    const struct vv_draft_node *n = vv_draft_node_at(g->draft, node);
    return n->kind == VARVE_VARIABLE && n->value
               ? (const struct vv_draft_value *)(const void *)
                         g->draft->values.data +
                     n->value - 1
               : NULL;
}

static struct vv_torch_form keras_slots_form_of(
    const struct vv_hdf5_graph *g, size_t item)
{
    const struct vv_draft_value *v = keras_slots_value_of(g, item);
    return (struct vv_torch_form){
        .extents =
            (const uint64_t *)(const void *)g->draft->extents.data + v->extents,
        .rank = v->rank,
        .is_known = true,
    };
}

bool vv_keras_is_same(const struct vv_hdf5_graph *g, size_t a, size_t b)
{
    if (!keras_slots_value_of(g, a) || !keras_slots_value_of(g, b))
        return false;
    struct vv_torch_form x = keras_slots_form_of(g, a),
                         y = keras_slots_form_of(g, b);
    return keras_slots_value_of(g, a)->dtype ==
               keras_slots_value_of(g, b)->dtype &&
           x.rank == y.rank &&
           (x.rank == 0 ||
               memcmp(x.extents, y.extents, x.rank * sizeof *x.extents) == 0);
}

static bool is_real(const struct vv_hdf5_graph *g, size_t item)
{
    const struct vv_draft_value *v = keras_slots_value_of(g, item);
    return v && vv_dtype_of((varve_dtype)v->dtype)->family == VV_FAMILY_REAL;
}

static varve_status keras_slots_fail_memory(const struct finding *f)
{
    return vv_fail_memory(f->g->error, "slots");
}

/* --- State of the optimizer ----------------------------------------------- */

/* Lists the children of a group `vars` in numeric order. Returns false if they
 * are not values numbered from 0. */
static bool list_numbers(
    const struct vv_hdf5_graph *g, size_t vars, struct vv_buffer *numbers)
{
    const struct vv_hdf5_item *group = vv_hdf5_item_at(g, vars);
    numbers->size = 0;
    for (size_t i = 0; i < group->count; i++) {
        char digits[24];
        vv_decimal(i, digits);
        size_t child = vv_hdf5_child(g, vars, digits);
        if (child == SIZE_MAX || !keras_slots_value_of(g, child))
            return false;
        vv_buffer_add(numbers, &child, sizeof child);
    }
    return !numbers->failed;
}

/* Returns the number of variables of the optimizer itself, such as the
 * iteration and the learning rate. */
static size_t own_count(const struct finding *f)
{
    const size_t *all = (const size_t *)(const void *)f->moments.data;
    size_t count = f->moments.size / sizeof *all, own = 0;
    while (own < count && keras_slots_value_of(f->g, all[own])->rank == 0)
        own++;
    return own;
}

/* Returns true if the moments consist of groups of `each` for one variable, and
 * lists the forms of the groups. */
static bool list_trained(struct finding *f, size_t own, size_t each)
{
    const size_t *all = (const size_t *)(const void *)f->moments.data + own;
    size_t count = f->moments.size / sizeof *all - own;
    f->trained.size = 0;
    if (count == 0 || count % each != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct vv_torch_form form = keras_slots_form_of(f->g, all[i]);
        if (!vv_keras_is_same(f->g, all[i], all[i - i % each]))
            return false;
        if (i % each == 0)
            vv_buffer_add(&f->trained, &form, sizeof form);
    }
    return !f->trained.failed;
}

/* --- Variables of the model ----------------------------------------------- */

/* Finds the only group `vars` with values in a layer or below it, and sets
 * *found to it, or leaves SIZE_MAX if there is none. Returns false if there are
 * several, because their order is not defined. */
static bool find_vars(
    struct finding *f, size_t group, int levels, size_t *found)
{
    const struct vv_hdf5_graph *g = f->g;
    const struct vv_hdf5_item *item = vv_hdf5_item_at(g, group);
    for (size_t i = 0; i < item->count; i++) {
        if (f->looks == 0)
            return false;
        f->looks--;
        const struct vv_hdf5_edge *e = vv_hdf5_edge_at(g, item->first + i);
        const struct vv_hdf5_item *child = vv_hdf5_item_at(g, e->item);
        if (!child->is_group || child->count == 0)
            continue;
        if (strcmp(e->name, "vars") == 0) {
            if (*found != SIZE_MAX)
                return false;
            *found = e->item;
        } else if (levels == 0 || !find_vars(f, e->item, levels - 1, found)) {
            return false;
        }
    }
    return true;
}

static size_t keras_slots_find_group(
    const struct vv_hdf5_graph *g, const char *path)
{
    char name[256];
    size_t at = 0;
    while (*path && at != SIZE_MAX) {
        size_t size = strcspn(path, "/");
        if (size >= sizeof name)
            return SIZE_MAX;
        memcpy(name, path, size);
        name[size] = 0;
        at = vv_hdf5_child(g, at, name);
        path += size + (path[size] == '/');
    }
    return at;
}

/* Adds the variables of a layer that can be trained. Returns false if they are
 * not known. */
static bool keras_slots_add_layer(
    struct finding *f, const struct vv_keras_layer *layer)
{
    enum { MOST_LEVELS = 4 };
    size_t group = keras_slots_find_group(f->g, layer->path), vars = SIZE_MAX;
    struct vv_buffer numbers;
    if (group == SIZE_MAX || layer->is_frozen || layer->has_layers)
        return true;
    if (!find_vars(f, group, MOST_LEVELS, &vars))
        return false;
    if (vars == SIZE_MAX)
        return true;
    vv_buffer_init(&numbers, f->to.allocator);
    bool is_known = list_numbers(f->g, vars, &numbers);
    const size_t *all = (const size_t *)(const void *)numbers.data;
    size_t count = numbers.size / sizeof *all;
    for (size_t i = 0; i < count && is_known; i++) {
        if (is_real(f->g, all[i]) && !vv_keras_is_statistic(layer, i, count))
            vv_buffer_add(&f->variables, &all[i], sizeof all[i]);
    }
    f->variables.failed |= numbers.failed;
    vv_buffer_clear(&numbers);
    return is_known;
}

/* Lists the variables in the order of the model. Returns false if it is not
 * known. */
static bool list_model(struct finding *f)
{
    size_t count = vv_keras_layer_count(f->config);
    bool is_known = count > 0;
    f->variables.size = 0;
    for (size_t i = 0; i < count && is_known; i++)
        is_known = keras_slots_add_layer(f, vv_keras_layer_at(f->config, i));
    return is_known;
}

/* Lists all variables that do not belong to an optimizer or a metric, in any
 * order. */
static void list_all(struct finding *f)
{
    static const char *const others[] = { "optimizer/", "metrics/", "_metrics/",
        "loss/", "seed_generators/" };
    size_t count = f->g->items.size / sizeof(struct vv_hdf5_item);
    f->variables.size = 0;
    for (size_t i = 0; i < count; i++) {
        const char *path = vv_hdf5_item_at(f->g, i)->path;
        bool is_other = vv_hdf5_item_at(f->g, i)->is_group || !*path;
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            is_other |= strncmp(path, others[k], strlen(others[k])) == 0;
        if (!is_other && is_real(f->g, i))
            vv_buffer_add(&f->variables, &i, sizeof i);
    }
}

/* --- Matching ------------------------------------------------------------- */

static bool list_forms(struct finding *f)
{
    const size_t *all = (const size_t *)(const void *)f->variables.data;
    size_t count = f->variables.size / sizeof *all;
    f->model.size = f->to.size = 0;
    for (size_t i = 0; i < count; i++) {
        struct vv_torch_form form = keras_slots_form_of(f->g, all[i]);
        vv_buffer_add(&f->model, &form, sizeof form);
    }
    vv_buffer_extend(&f->to,
        f->trained.size / sizeof keras_slots_form_of(f->g, 0) * sizeof(size_t));
    return !f->model.failed && !f->to.failed;
}

static bool fits_in_order(struct finding *f)
{
    return vv_torch_match(
        (const struct vv_torch_form *)(const void *)f->trained.data,
        f->trained.size / sizeof(struct vv_torch_form),
        (const struct vv_torch_form *)(const void *)f->model.data,
        f->model.size / sizeof(struct vv_torch_form),
        (size_t *)(void *)f->to.data);
}

/* Returns true if every shape occurs only once among the moments and among the
 * variables. */
static bool fits_alone(struct finding *f)
{
    const struct vv_torch_form *a =
        (const struct vv_torch_form *)(const void *)f->trained.data;
    const struct vv_torch_form *b =
        (const struct vv_torch_form *)(const void *)f->model.data;
    size_t count = f->trained.size / sizeof *a;
    size_t all = f->model.size / sizeof *b;
    size_t *to = (size_t *)(void *)f->to.data;
    if (all > 0 && count > MOST_LOOKS / all)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t found = 0;
        for (size_t k = 0; k < all; k++) {
            if (a[i].rank == b[k].rank &&
                memcmp(a[i].extents, b[k].extents,
                    a[i].rank * sizeof *a->extents) == 0) {
                to[i] = k;
                found++;
            }
        }
        for (size_t k = 0; k < i && found == 1; k++)
            found += to[k] == to[i];
        if (found != 1)
            return false;
    }
    return true;
}

static bool has_types(const struct finding *f, size_t own, size_t each)
{
    const size_t *moments = (const size_t *)(const void *)f->moments.data + own;
    const size_t *variables = (const size_t *)(const void *)f->variables.data;
    const size_t *to = (const size_t *)(const void *)f->to.data;
    for (size_t i = 0; i < f->trained.size / sizeof(struct vv_torch_form);
         i++) {
        if (!vv_keras_is_same(f->g, moments[i * each], variables[to[i]]))
            return false;
    }
    return true;
}

/* --- Entry points --------------------------------------------------------- */

/* Returns true if a label is the known name, or has a number as in `adam_1`,
 * the second optimizer of its class in a program. */
static bool keras_slots_is_label(const char *label, const char *known)
{
    size_t size = strlen(known);
    if (strncmp(label, known, size) != 0)
        return false;
    label += size;
    return !*label || (*label == '_' && label[1] &&
                          !label[1 + strspn(label + 1, "0123456789")]);
}

static const char *keras_slots_name_of(
    const struct finding *f, size_t each, size_t k, char digits[24])
{
    const char *label = vv_hdf5_item_at(f->g, f->vars)->label;
    for (size_t i = 0; label && i < sizeof optimizers / sizeof *optimizers;
         i++) {
        if (optimizers[i].count == each &&
            keras_slots_is_label(label, optimizers[i].label))
            return optimizers[i].names[k];
    }
    vv_decimal(k, digits);
    return digits;
}

static void keras_slots_add_slots(struct finding *f, size_t own, size_t each)
{
    const size_t *moments = (const size_t *)(const void *)f->moments.data + own;
    const size_t *variables = (const size_t *)(const void *)f->variables.data;
    const size_t *to = (const size_t *)(const void *)f->to.data;
    size_t count = f->moments.size / sizeof *moments - own;
    uint32_t owner = vv_hdf5_item_at(f->g, f->optimizer)->node;
    for (size_t i = 0; i < count; i++) {
        char digits[24];
        const char *name = keras_slots_name_of(f, each, i % each, digits);
        vv_draft_slot(f->g->draft, owner,
            vv_hdf5_item_at(f->g, variables[to[i / each]])->node, name,
            strlen(name), vv_hdf5_item_at(f->g, moments[i])->node);
    }
}

/* Tries one, two and three moments for each variable, and adds slots if exactly
 * one of these matches. */
static varve_status keras_slots_find(struct finding *f)
{
    size_t own, fit = 0, fits = 0;
    bool is_ordered;
    if (!list_numbers(f->g, f->vars, &f->moments))
        return f->moments.failed ? keras_slots_fail_memory(f) : VARVE_OK;
    own = own_count(f);
    is_ordered = list_model(f);
    if (!is_ordered)
        list_all(f);
    for (size_t each = 1; each <= MOST_EACH + 1 && !f->variables.failed;
         each++) {
        /* The last round repeats the one that matched. */
        size_t k = each <= MOST_EACH ? each : fit;
        if (each > MOST_EACH && fits != 1)
            break;
        if (!list_trained(f, own, k) || !list_forms(f) ||
            !(is_ordered ? fits_in_order(f) : fits_alone(f)) ||
            !has_types(f, own, k))
            continue;
        fits++;
        fit = k;
        if (each > MOST_EACH)
            keras_slots_add_slots(f, own, fit);
    }
    return f->variables.failed || f->trained.failed || f->model.failed ||
                   f->to.failed
               ? keras_slots_fail_memory(f)
               : VARVE_OK;
}

varve_status vv_keras_add_slots(
    struct vv_hdf5_graph *g, const struct vv_keras_config *config)
{
    const varve_allocator *a = g->items.allocator;
    struct finding f = { .g = g,
        .config = config,
        .looks = LOOKS_FOR_EDGE * (uint64_t)vv_hdf5_edge_count(g) };
    f.optimizer = vv_hdf5_child(g, 0, "optimizer");
    /* A file that contains named slots needs no matching. */
    if (f.optimizer == SIZE_MAX || g->draft->slots.size > 0)
        return VARVE_OK;
    f.vars = vv_hdf5_child(g, f.optimizer, "vars");
    if (f.vars == SIZE_MAX || !vv_hdf5_item_at(g, f.vars)->is_group)
        return VARVE_OK;
    vv_buffer_init(&f.moments, a);
    vv_buffer_init(&f.variables, a);
    vv_buffer_init(&f.trained, a);
    vv_buffer_init(&f.model, a);
    vv_buffer_init(&f.to, a);
    varve_status status = keras_slots_find(&f);
    vv_buffer_clear(&f.moments);
    vv_buffer_clear(&f.variables);
    vv_buffer_clear(&f.trained);
    vv_buffer_clear(&f.model);
    vv_buffer_clear(&f.to);
    return status;
}
