/* via.c - a tree of the ways by which nodes were come to first, and the renames
 * of their paths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "via.h"

#include <string.h>

#include "binding.h"
#include "by_name.h"
#include "name.h"
#include "pattern.h"
#include "rename.h"

/* --- Stands ------------------------------------------------------------- */

/* The program, for one of the renames with `**`. */
struct left {
    struct vv_pairing *p;
    uint32_t deep; /* its number plus 1 */
};

static struct vv_text above(void *user, uint32_t *node)
{
    const struct vv_pairing *p = ((const struct left *)user)->p;
    const struct vv_via *via = &p->vias[*node];
    *node = via->parent && !via->variable ? via->parent - 1 : VV_NOWHERE;
    if (*node == VV_NOWHERE)
        return (struct vv_text){ NULL, 0 };
    return (struct vv_text){ via->name->bytes, via->name->size };
}

static struct vv_stand *stand_at(
    const struct vv_pairing *p, uint32_t node, uint32_t deep)
{
    return &p->stands[(size_t)node * p->selection.deep_count + deep - 1];
}

static const struct vv_stand *stand_of(void *user, uint32_t node)
{
    static const struct vv_stand nowhere = { 0 };
    const struct left *left = user;
    return left->deep ? stand_at(left->p, node, left->deep) : &nowhere;
}

static uint32_t name_in_file(void *user, struct vv_text name)
{
    const struct left *left = user;
    return vv_index_find_name(vv_index_of(left->p), name.bytes, name.size);
}

static uint32_t child_in_file(void *user, uint32_t at, uint32_t name)
{
    const struct left *left = user;
    return vv_index_find_child(vv_index_of(left->p), at, name);
}

static uint32_t slot_in_file(
    void *user, uint32_t owner, uint32_t variable, uint32_t name)
{
    const struct left *left = user;
    return vv_index_find_slot(vv_index_of(left->p), owner, variable, name);
}

static struct vv_rename_sides sides_of(struct left *left)
{
    return (struct vv_rename_sides){
        .user = left,
        .above = above,
        .stand = stand_of,
        .root = left->p->root->number,
        .right_root = left->p->file_root,
        .name = name_in_file,
        .child = child_in_file,
        .slot = slot_in_file,
        .scratch = &left->p->file_path,
    };
}

/* Where the renames with `**` stand at a node; true if that is new. What is
 * below a slot has no path that they would know. */
static bool stand_anew(
    struct vv_pairing *p, uint32_t node, const struct vv_via *via)
{
    struct vv_rename_step step = { 0, { NULL, 0 } };
    bool is_new = false;
    if (via->parent)
        step = (struct vv_rename_step){ via->parent - 1,
            { via->name->bytes, via->name->size } };
    vv_emptied(&p->file_path);
    for (size_t i = 0; i < p->selection.rename_count && !via->variable; i++) {
        const struct vv_rename *rename = &p->selection.renames[i];
        if (!rename->deep)
            continue;
        struct left left = { p, rename->deep };
        const struct vv_rename_sides sides = sides_of(&left);
        struct vv_stand *stand = stand_at(p, node, rename->deep);
        struct vv_stand now = vv_rename_follow(&rename->parts, &sides, step);
        is_new |= memcmp(stand, &now, sizeof now) != 0;
        *stand = now;
    }
    if (p->file_path.failed)
        vv_out_of_memory(p);
    return is_new;
}

/* A node whose parent has been come to by another way since has another path
 * as well, and so has what is below it. */
static void revisit(struct vv_pairing *p, varve_node *node,
    const struct vv_via *known, struct vv_via via)
{
    if (p->selection.deep_count && known->parent == via.parent &&
        known->name == via.name && known->variable == via.variable &&
        stand_anew(p, node->number, &via))
        vv_add_pair(p, &p->queue, node, VV_NONE);
}

void vv_visit(struct vv_pairing *p, varve_node *node, const struct vv_via *via)
{
    if (!p->vias)
        return;
    struct vv_via *known = &p->vias[node->number];
    if (known->is_visited) {
        revisit(p, node, known, *via);
        return;
    }
    uint64_t place = via->parent ? p->vias[via->parent - 1].place : 0;
    if (via->variable)
        place += vv_map_mix(p->vias[via->variable - 1].place + 1);
    *known = *via;
    known->place =
        vv_map_mix(place + (via->name ? vv_name_hash(via->name) : 1));
    known->is_visited = true;
    known->is_renamed = via->parent && p->vias[via->parent - 1].is_renamed;
    if (p->selection.deep_count)
        stand_anew(p, node->number, via);
    if (p->selection.rename_count || p->is_by_name)
        vv_add_pair(p, &p->queue, node, VV_VISIT);
    if (p->is_by_name)
        vv_by_name_consider(p, node);
}

bool vv_find_place(
    const struct vv_pairing *p, const varve_node *node, uint64_t *place)
{
    bool is_known = node->number < p->via_capacity;
    if (is_known)
        *place = p->vias[node->number].place;
    return is_known;
}

void vv_note_renamed(struct vv_pairing *p, const varve_node *node,
    const varve_node *parent, const struct vv_name *name, bool is_renamed)
{
    if (!p->vias)
        return;
    struct vv_via *via = &p->vias[node->number];
    if (via->parent == parent->number + 1 && via->name == name &&
        !via->variable)
        via->is_renamed = is_renamed || p->vias[parent->number].is_renamed;
}

/* --- Renames ------------------------------------------------------------ */

/* Of a path that is longer than any that is searched, not all of it. */
static void add_path(
    const struct vv_pairing *p, uint32_t number, struct vv_buffer *path)
{
    size_t begin = path->size;
    for (size_t steps = 0; steps < p->number_capacity; steps++) {
        const struct vv_via *via = &p->vias[number];
        if (!via->parent || path->size > VV_LONGEST_SEARCHED_PATH)
            break;
        if (path->size > begin)
            vv_buffer_add8(path, '/');
        size_t at = path->size;
        vv_path_add_name(path, via->name->bytes, via->name->size);
        if (via->variable) {
            vv_buffer_add8(path, '(');
            add_path(p, via->variable - 1, path);
            vv_buffer_add8(path, ')');
        }
        vv_buffer_reverse(path, at);
        number = via->parent - 1;
    }
    vv_buffer_reverse(path, begin);
}

static void add_child(const struct vv_pairing *p, uint32_t parent,
    const char *name, size_t size, struct vv_buffer *path)
{
    add_path(p, parent, path);
    if (path->size)
        vv_buffer_add8(path, '/');
    vv_path_add_name(path, name, size);
}

/* Where a rename leads from the path in p->path, which is lost if it does. */
static bool find_by_text(
    struct vv_pairing *p, const struct vv_rename *rename, uint32_t *file)
{
    vv_emptied(&p->file_path);
    const char *path = vv_buffer_string(&p->path);
    *file = VV_NONE;
    if (p->path.failed ||
        !vv_pattern_rename(rename->program, rename->file, path, &p->file_path))
        return false;
    const char *leads_to = vv_buffer_string(&p->file_path);
    if (!p->file_path.failed)
        *file = vv_saved_find(vv_index_of(p), p->file_root, leads_to, &p->path);
    return true;
}

/* Where it leads from an edge. Without `**` that is known by few names, and
 * text will do. */
static bool find_by_edge(struct vv_pairing *p, const struct vv_rename *rename,
    struct vv_rename_step step, uint32_t *file)
{
    struct left left = { p, rename->deep };
    const struct vv_rename_sides sides = sides_of(&left);
    if (!vv_rename_match(&rename->parts, &sides, step, file))
        return false;
    if (rename->deep)
        return true;
    add_child(
        p, step.parent, step.name.bytes, step.name.size, vv_emptied(&p->path));
    return find_by_text(p, rename, file);
}

/* What follows where a rename was looked for. */
static bool decide(
    struct vv_pairing *p, struct vv_rename *rename, bool found, uint32_t *file)
{
    if (p->path.failed || p->file_path.failed) {
        vv_out_of_memory(p);
        *file = VV_NONE;
        return true; /* nothing, until all is matched again */
    }
    if (!found)
        return false;
    if (*file != VV_NONE)
        rename->was_used = true;
    return true;
}

bool vv_find_renamed(struct vv_pairing *p, const varve_node *parent,
    const char *name, size_t size, uint32_t *file)
{
    if (p->selection.rename_count == 0)
        return false;
    struct vv_rename_step step = { parent->number, { name, size } };
    vv_emptied(&p->path);
    vv_emptied(&p->file_path);
    for (size_t i = 0; i < p->selection.rename_count; i++) {
        struct vv_rename *rename = &p->selection.renames[i];
        bool found = !rename->is_of_slot && find_by_edge(p, rename, step, file);
        if (decide(p, rename, found, file))
            return true;
    }
    return false;
}

bool vv_find_renamed_slot(struct vv_pairing *p, const varve_node *owner,
    const varve_node *variable, const char *name, uint32_t *file)
{
    if (!p->selection.has_slots || !vv_is_known(p, owner) ||
        !vv_is_known(p, variable))
        return false;
    add_child(p, owner->number, name, strlen(name), vv_emptied(&p->path));
    vv_buffer_add8(&p->path, '(');
    add_path(p, variable->number, &p->path);
    vv_buffer_add8(&p->path, ')');
    if (p->path.size > VV_LONGEST_SEARCHED_PATH)
        return false;
    for (size_t i = 0; i < p->selection.rename_count; i++) {
        struct vv_rename *rename = &p->selection.renames[i];
        if (!rename->is_of_slot)
            continue;
        bool found = find_by_text(p, rename, file);
        if (decide(p, rename, found, file))
            return true;
    }
    return false;
}
