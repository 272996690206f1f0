/* torch_optimizer.c - Writes the state of an optimizer, followed by one group
 * with all of its variables.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_optimizer.h"

#include <string.h>

#include "failure.h"
#include "torch_kept.h"
#include "try.h"

#define GROUPS "param_groups.0."

static const struct vv_torch_written_slot *spoken_at(
    const struct vv_torch_optimizer *o, size_t i)
{
    return (const struct vv_torch_written_slot *)(const void *)o->spoken->data +
           i;
}

static size_t spoken_count(const struct vv_torch_optimizer *o)
{
    return o->spoken->size / sizeof(struct vv_torch_written_slot);
}

static bool trains(
    const struct vv_torch_optimizer *o, uint32_t node, uint32_t variable)
{
    uint32_t begin, end;
    vv_index_slots_for(o->tree->target->index, node, variable, &begin, &end);
    return begin < end;
}

static void torch_optimizer_add_key(
    const struct vv_torch_optimizer *o, const char *key)
{
    vv_pickle_out_shared_text(&o->values->pickle, key);
}

static void op(const struct vv_torch_optimizer *o, enum vv_pickle_op op)
{
    vv_pickle_out_op(&o->values->pickle, op);
}

/* --- The state ------------------------------------------------------------ */

static varve_status torch_optimizer_add_slots(
    const struct vv_torch_optimizer *o, uint32_t node, uint32_t variable,
    varve_error *error)
{
    uint32_t begin, end;
    const struct vv_index *index = o->tree->target->index;
    vv_index_slots_for(index, node, variable, &begin, &end);
    op(o, VV_OP_DICT);
    op(o, VV_OP_MARK);
    for (uint32_t i = begin; i < end; i++) {
        size_t size;
        const char *name =
            vv_index_name(index, vv_at32(index->slot_names, i), &size);
        vv_pickle_out_text(&o->values->pickle, name, size);
        VV_TRY(vv_torch_add_value(
            o->values, vv_at32(index->slot_nodes, i), error));
    }
    op(o, VV_OP_SET);
    return VARVE_OK;
}

static varve_status torch_optimizer_add_state(
    const struct vv_torch_optimizer *o, uint32_t node, varve_error *error)
{
    int64_t number = 0;
    torch_optimizer_add_key(o, "state");
    op(o, VV_OP_DICT);
    op(o, VV_OP_MARK);
    for (size_t i = 0; i < spoken_count(o); i++) {
        uint32_t variable = spoken_at(o, i)->node;
        if (!trains(o, node, variable))
            continue;
        vv_pickle_out_integer(&o->values->pickle, number++);
        VV_TRY(torch_optimizer_add_slots(o, node, variable, error));
    }
    op(o, VV_OP_SET);
    return VARVE_OK;
}

/* --- The group ------------------------------------------------------------ */

/* Adds the numbers of the variables, or their names. */
static void add_params(
    const struct vv_torch_optimizer *o, uint32_t node, bool as_names)
{
    int64_t number = 0;
    torch_optimizer_add_key(o, as_names ? "param_names" : "params");
    op(o, VV_OP_LIST);
    op(o, VV_OP_MARK);
    for (size_t i = 0; i < spoken_count(o); i++) {
        const struct vv_torch_written_slot *s = spoken_at(o, i);
        if (!trains(o, node, s->node))
            continue;
        if (as_names)
            vv_pickle_out_text(&o->values->pickle,
                (const char *)o->names->data + s->name, s->size);
        else
            vv_pickle_out_integer(&o->values->pickle, number++);
    }
    op(o, VV_OP_APPEND);
}

static bool torch_optimizer_is_called(
    const char *name, size_t size, const char *text)
{
    return size == strlen(text) && memcmp(name, text, size) == 0;
}

static bool is_setting(
    const struct vv_torch_optimizer *o, const struct vv_torch_member *m)
{
    uint32_t value = vv_index_find_value(o->tree->target->index, m->node);
    return value != VV_NONE && !vv_torch_is_trained(o->tree, m->node) &&
           !vv_torch_is_slot(o->tree, m->node);
}

/* Adds the values of the object itself as settings: `lr`, or
 * `param_groups/0/lr`. */
static varve_status torch_optimizer_add_settings(
    const struct vv_torch_optimizer *o, size_t begin, bool *has_rate,
    varve_error *error)
{
    struct vv_torch_tree *t = o->tree;
    size_t end = t->members.size / sizeof(struct vv_torch_member);
    for (size_t i = begin; i < end; i++) {
        const struct vv_torch_member *m =
            (const struct vv_torch_member *)(void *)t->members.data + i;
        const char *name = (const char *)t->names.data + m->name;
        size_t size = m->size, skip = strlen(GROUPS);
        if (size > skip && memcmp(name, GROUPS, skip) == 0)
            name += skip, size -= skip;
        if (!is_setting(o, m) ||
            torch_optimizer_is_called(name, size, "params") ||
            torch_optimizer_is_called(name, size, "param_names"))
            continue;
        *has_rate |= torch_optimizer_is_called(name, size, "lr");
        vv_pickle_out_text(&o->values->pickle, name, size);
        VV_TRY(vv_torch_add_setting(o->values, m->node, error));
    }
    return VARVE_OK;
}

static varve_status torch_optimizer_add_group(
    const struct vv_torch_optimizer *o, uint32_t node, varve_error *error)
{
    struct vv_torch_tree *t = o->tree;
    size_t names = t->names.size, members = t->members.size;
    bool has_rate = false;
    torch_optimizer_add_key(o, "param_groups");
    op(o, VV_OP_LIST);
    op(o, VV_OP_MARK);
    op(o, VV_OP_DICT);
    op(o, VV_OP_MARK);
    VV_TRY(vv_torch_add_members(t, node, error));
    VV_TRY(torch_optimizer_add_settings(
        o, members / sizeof(struct vv_torch_member), &has_rate, error));
    t->names.size = names;
    t->members.size = members;
    add_params(o, node, false);
    add_params(o, node, true);
    op(o, VV_OP_SET);
    op(o, VV_OP_APPEND);
    if (!has_rate)
        vv_target_report_lost(
            t->target, node, "its learning rate: no value is named \"lr\"");
    return VARVE_OK;
}

varve_status vv_torch_add_optimizer(
    const struct vv_torch_optimizer *o, uint32_t node, varve_error *error)
{
    if (vv_torch_child(o->tree->target->index, node, "state") == VV_NONE)
        vv_target_report_lost(o->tree->target, node,
            "the order of its parameters: they are written in the order of "
            "their names");
    op(o, VV_OP_DICT);
    op(o, VV_OP_MARK);
    VV_TRY(torch_optimizer_add_state(o, node, error));
    VV_TRY(torch_optimizer_add_group(o, node, error));
    op(o, VV_OP_SET);
    return VARVE_OK;
}
