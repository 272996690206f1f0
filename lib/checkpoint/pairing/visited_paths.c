/* visited_paths.c - Stores the first path to each visited node as a tree, and
 * finds the renames of paths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "visited_paths.h"

#include <string.h>

#include "allocator.h"
#include "hash_table.h"
#include "pattern.h"
#include "rename.h"

bool vv_visited_paths_have_failed(struct vv_visited_paths *w)
{
    bool has = w->failed;
    w->failed = false;
    return has;
}

void vv_visited_paths_init(struct vv_visited_paths *w, const varve_node *root,
    struct vv_selection *selection, const struct vv_saved_graph *saved)
{
    *w = (struct vv_visited_paths){
        .allocator = selection->allocator,
        .selection = selection,
        .saved = saved,
        .root = root->number,
    };
    vv_rename_states_init(&w->states, w->allocator);
    vv_buffer_init(&w->path, w->allocator);
    vv_buffer_init(&w->file_path, w->allocator);
    vv_buffer_init(&w->found, w->allocator);
    vv_buffer_init(&w->list, w->allocator);
}

void vv_visited_paths_end(struct vv_visited_paths *w)
{
    vv_release(w->allocator, w->vias, w->capacity * sizeof *w->vias);
    vv_rename_states_clear(&w->states);
    vv_buffer_clear(&w->path);
    vv_buffer_clear(&w->file_path);
    vv_buffer_clear(&w->found);
    vv_buffer_clear(&w->list);
}

bool vv_visited_paths_grow(struct vv_visited_paths *w, size_t wanted)
{
    if (w->selection->index.stage_count &&
        !vv_rename_states_grow(&w->states, wanted))
        return false;
    return wanted <= w->capacity || vv_grow_zeroed(w->allocator, &w->vias,
                                        &w->capacity, wanted, sizeof *w->vias);
}

size_t vv_visited_paths_keep_names(const struct vv_visited_paths *w)
{
    for (size_t i = 0; i < w->capacity; i++) {
        if (w->vias[i].name)
            vv_name_keep(w->vias[i].name);
    }
    return w->capacity;
}

/* --- Stands ------------------------------------------------------------- */

/* The program as the left side of a rename. */
struct left {
    struct vv_visited_paths *w;
    uint32_t stage; /* before the last piece of the rename; 0: it has no `**` */
};

static struct vv_text above(void *user, uint32_t *node)
{
    const struct vv_visited_paths *w = ((const struct left *)user)->w;
    const struct vv_path_step *via = &w->vias[*node];
    *node = via->parent && !via->variable ? via->parent - 1 : VV_NOWHERE;
    if (*node == VV_NOWHERE)
        return (struct vv_text){ NULL, 0 };
    return (struct vv_text){ via->name->bytes, via->name->size };
}

/* Returns the state of a node in the last of the stages up to one that it has
 * reached. */
static const struct vv_rename_state *state_of(void *user, uint32_t node)
{
    static const struct vv_rename_state nowhere = { 0 };
    const struct left *left = user;
    const struct vv_visited_paths *w = left->w;
    const struct vv_rename_state *state = NULL;
    uint32_t stage = left->stage;
    for (; stage && !state; stage = w->selection->index.stages[stage - 1].above)
        state = vv_rename_state_in(&w->states, node, stage);
    return state ? state : &nowhere;
}

static uint32_t visited_paths_name_in_file(void *user, struct vv_text name)
{
    const struct left *left = user;
    return vv_index_find_name(
        &left->w->saved->parsed->index, name.bytes, name.size);
}

static uint32_t child_in_file(void *user, uint32_t at, uint32_t name)
{
    const struct left *left = user;
    return vv_index_find_child(&left->w->saved->parsed->index, at, name);
}

static uint32_t visited_paths_slot_in_file(
    void *user, uint32_t owner, uint32_t variable, uint32_t name)
{
    const struct left *left = user;
    return vv_index_find_slot(
        &left->w->saved->parsed->index, owner, variable, name);
}

static struct vv_rename_sides sides_of(struct left *left)
{
    return (struct vv_rename_sides){
        .user = left,
        .above = above,
        .state = state_of,
        .root = left->w->root,
        .right_root = left->w->saved->root,
        .name = visited_paths_name_in_file,
        .child = child_in_file,
        .slot = visited_paths_slot_in_file,
        .scratch = &left->w->file_path,
    };
}

static const struct vv_stage_state *states_of(
    const void *user, uint32_t node, size_t *count)
{
    const struct vv_visited_paths *w = user;
    return vv_rename_states_at(&w->states, node, count);
}

/* Lists the last names of the path that ends with a step. */
static struct vv_rename_names last_names(
    struct vv_visited_paths *w, struct vv_rename_step step)
{
    struct left left = { w, 0 };
    uint32_t node = step.parent;
    struct vv_rename_names names;
    names.count = 0;
    while (step.name.size > 0) {
        names.names[names.count++] = step.name;
        names.before[names.count] = node;
        if (node == w->root || names.count >= w->selection->index.most_names)
            break;
        step.name = above(&left, &node);
    }
    return names;
}

static struct vv_rename_search search_of(
    const struct vv_visited_paths *w, const struct vv_rename_names *names)
{
    return (struct vv_rename_search){
        .index = &w->selection->index,
        .names = names,
        .root = w->root,
        .states = states_of,
        .user = w,
    };
}

/* Returns true if the state in `w->list` of a stage is one of no piece. */
static bool is_dead(const struct vv_visited_paths *w, uint32_t stage)
{
    const size_t each = sizeof(struct vv_stage_state);
    const struct vv_stage_state *list =
        (const struct vv_stage_state *)(const void *)w->list.data;
    for (size_t i = w->list.size / each; i-- > 0;) {
        if (list[i].stage == stage)
            return list[i].state.piece == VV_RENAME_DEAD;
    }
    return false;
}

/* Adds the state of a node in a stage to `w->list`, if it reaches the stage. */
static void add_stand(
    struct vv_visited_paths *w, uint32_t number, struct vv_rename_step step)
{
    const struct vv_rename_stage *stage =
        &w->selection->index.stages[number - 1];
    struct left left = { w, number };
    const struct vv_rename_sides sides = sides_of(&left);
    struct vv_rename_parts parts = *stage->parts;
    struct vv_stage_state found;
    memset(&found, 0, sizeof found);
    parts.piece_count = stage->piece + 2; /* no further than this stage */
    found.stage = number;
    found.state = vv_rename_follow(&parts, &sides, step);
    if (found.state.piece == stage->piece + 1 ||
        (found.state.piece == VV_RENAME_DEAD && !is_dead(w, stage->above)))
        vv_buffer_add(&w->list, &found, sizeof found);
}

/* Updates the states of the renames with `**` at a node. Returns true if one
 * has changed. Nodes below a slot have no path that these renames could match.
 */
static bool stand_anew(
    struct vv_visited_paths *w, uint32_t node, const struct vv_path_step *via)
{
    struct vv_rename_step step = { 0, { NULL, 0 } };
    size_t count = 0;
    bool is_new = false;
    if (via->variable)
        return false;
    if (via->parent)
        step = (struct vv_rename_step){ via->parent - 1,
            { via->name->bytes, via->name->size } };
    const struct vv_rename_names names = last_names(w, step);
    const struct vv_rename_search search = search_of(w, &names);
    const struct vv_stage_state *list =
        via->parent ? vv_rename_states_at(&w->states, step.parent, &count)
                    : NULL;
    vv_emptied(&w->found);
    for (size_t i = 0; i < count; i++)
        vv_buffer_add(&w->found, &list[i].stage, sizeof list[i].stage);
    vv_rename_stages(&search, &w->found);
    vv_emptied(&w->file_path);
    vv_emptied(&w->list);
    for (size_t i = 0; i < w->found.size / sizeof(uint32_t); i++)
        add_stand(w, ((const uint32_t *)(const void *)w->found.data)[i], step);
    w->failed |= w->file_path.failed || w->found.failed ||
                 !vv_rename_states_set(&w->states, node, &w->list, &is_new);
    return is_new;
}

/* Returns true if a parent was reached by another path since, so that this node
 * and those below it have another path as well. */
static bool has_new_stand(struct vv_visited_paths *w, const varve_node *node,
    const struct vv_path_step *known, const struct vv_path_step *via)
{
    return w->selection->index.stage_count && known->parent == via->parent &&
           known->name == via->name && known->variable == via->variable &&
           stand_anew(w, node->number, via);
}

enum vv_coming vv_visited_paths_visit(struct vv_visited_paths *w,
    const varve_node *node, const struct vv_path_step *via)
{
    if (!w->vias)
        return VV_COMES_AGAIN;
    struct vv_path_step *known = &w->vias[node->number];
    if (known->is_visited)
        return has_new_stand(w, node, known, via) ? VV_COMES_ANEW
                                                  : VV_COMES_AGAIN;
    uint64_t place = via->parent ? w->vias[via->parent - 1].place : 0;
    if (via->variable)
        place += vv_map_mix(w->vias[via->variable - 1].place + 1);
    *known = *via;
    known->place =
        vv_map_mix(place + (via->name ? vv_name_hash(via->name) : 1));
    known->is_visited = true;
    known->is_renamed = via->parent && w->vias[via->parent - 1].is_renamed;
    known->rename = via->parent ? w->vias[via->parent - 1].rename : 0;
    if (w->selection->index.stage_count)
        stand_anew(w, node->number, via);
    return VV_COMES_FIRST;
}

bool vv_visited_paths_is_visited(
    const struct vv_visited_paths *w, const varve_node *node)
{
    return node->number < w->capacity && w->vias[node->number].is_visited;
}

void vv_visited_paths_unvisit(
    struct vv_visited_paths *w, const varve_node *node)
{
    if (node->number < w->capacity)
        w->vias[node->number].is_visited = false;
}

void vv_visited_paths_unvisit_all(struct vv_visited_paths *w)
{
    for (size_t i = 0; i < w->capacity; i++)
        w->vias[i].is_visited = false;
}

void vv_visited_paths_forget(struct vv_visited_paths *w, const varve_node *node)
{
    if (node->number < w->capacity)
        w->vias[node->number] = (struct vv_path_step){ 0 };
}

bool vv_find_place(
    const struct vv_visited_paths *w, const varve_node *node, uint64_t *place)
{
    bool is_known = node->number < w->capacity;
    if (is_known)
        *place = w->vias[node->number].place;
    return is_known;
}

void vv_note_renamed(struct vv_visited_paths *w, const varve_node *node,
    const varve_node *parent, const struct vv_name *name, bool is_renamed)
{
    if (!w->vias)
        return;
    struct vv_path_step *via = &w->vias[node->number];
    if (via->parent == parent->number + 1 && via->name == name &&
        !via->variable) {
        via->is_renamed = is_renamed || w->vias[parent->number].is_renamed;
        via->rename = is_renamed ? w->applied : w->vias[parent->number].rename;
    }
}

bool vv_is_renamed(const struct vv_visited_paths *w, const varve_node *node)
{
    return node->number < w->capacity && w->vias[node->number].is_renamed;
}

const struct vv_rename *vv_rename_of_edge(
    const struct vv_visited_paths *w, const struct vv_edge *edge)
{
    uint32_t number = edge->public.node->number;
    if (number >= w->capacity)
        return NULL;
    const struct vv_path_step *via = &w->vias[number];
    bool is_known = via->parent == edge->parent->number + 1 &&
                    via->name == vv_edge_name(edge) && !via->variable;
    return is_known && via->rename ? &w->selection->renames[via->rename - 1]
                                   : NULL;
}

bool vv_visited_paths_name(
    struct vv_visited_paths *w, const varve_node *node, struct vv_buffer *path)
{
    uint32_t number = node->number;
    vv_emptied(path);
    if (number >= w->capacity || w->vias[number].is_renamed)
        return false;
    for (size_t steps = 0; steps < w->capacity; steps++) {
        const struct vv_path_step *via = &w->vias[number];
        if (!via->parent)
            break;
        if (via->variable || path->size > VARVE_MAX_NAME_SIZE)
            return false;
        if (path->size)
            vv_buffer_add8(path, '/');
        size_t at = path->size;
        vv_buffer_add(path, via->name->bytes, via->name->size);
        vv_buffer_reverse(path, at);
        number = via->parent - 1;
    }
    vv_buffer_reverse(path, 0);
    w->failed |= path->failed;
    return !path->failed;
}

/* --- Renames ------------------------------------------------------------ */

/* Adds the path of a node. A path that is too long to be searched is cut. */
static void visited_paths_add_path(
    const struct vv_visited_paths *w, uint32_t number, struct vv_buffer *path)
{
    size_t begin = path->size;
    for (size_t steps = 0; steps < w->capacity; steps++) {
        const struct vv_path_step *via = &w->vias[number];
        if (!via->parent || path->size > VV_LONGEST_SEARCHED_PATH)
            break;
        if (path->size > begin)
            vv_buffer_add8(path, '/');
        size_t at = path->size;
        vv_path_add_name(path, via->name->bytes, via->name->size);
        if (via->variable) {
            vv_buffer_add8(path, '(');
            visited_paths_add_path(w, via->variable - 1, path);
            vv_buffer_add8(path, ')');
        }
        vv_buffer_reverse(path, at);
        number = via->parent - 1;
    }
    vv_buffer_reverse(path, begin);
}

static void visited_paths_add_child(const struct vv_visited_paths *w,
    uint32_t parent, const char *name, size_t size, struct vv_buffer *path)
{
    visited_paths_add_path(w, parent, path);
    if (path->size)
        vv_buffer_add8(path, '/');
    vv_path_add_name(path, name, size);
}

/* Finds the node that a rename leads to from the path in w->path. The path is
 * overwritten if the rename matches. */
static bool find_by_text(
    struct vv_visited_paths *w, const struct vv_rename *rename, uint32_t *file)
{
    vv_emptied(&w->file_path);
    const char *path = vv_buffer_string(&w->path);
    *file = VV_NONE;
    if (w->path.failed ||
        !vv_pattern_rename(rename->program, rename->file, path, &w->file_path))
        return false;
    const char *leads_to = vv_buffer_string(&w->file_path);
    if (!w->file_path.failed)
        *file = vv_saved_find(
            &w->saved->parsed->index, w->saved->root, leads_to, &w->path);
    return true;
}

/* Finds the node that a rename leads to from an edge. A rename without `**` is
 * compared by its few names first, then as text. */
static bool find_by_edge(struct vv_visited_paths *w,
    const struct vv_rename *rename, struct vv_rename_step step, uint32_t *file)
{
    struct left left = { w, rename->stage };
    const struct vv_rename_sides sides = sides_of(&left);
    if (!vv_rename_match(&rename->parts, &sides, step, file))
        return false;
    if (rename->stage)
        return true;
    visited_paths_add_child(
        w, step.parent, step.name.bytes, step.name.size, vv_emptied(&w->path));
    return find_by_text(w, rename, file);
}

/* Evaluates the result of a search for a rename. Returns true if the rename
 * decides. */
static bool visited_paths_decide(struct vv_visited_paths *w,
    struct vv_rename *rename, bool found, uint32_t *file)
{
    if (w->path.failed || w->file_path.failed) {
        w->failed = true;
        *file = VV_NONE;
        return true; /* no match until everything is matched again */
    }
    if (!found)
        return false;
    if (*file != VV_NONE) {
        rename->was_used = true;
        w->decided = rename;
    }
    return *file != VV_NONE || !w->selection->is_resume;
}

static struct vv_rename *found_rename(
    const struct vv_visited_paths *w, size_t i)
{
    const uint32_t *numbers = (const uint32_t *)(const void *)w->found.data;
    return &w->selection->renames[numbers[i]];
}

/* Returns true, as for a match of nothing, if there was no memory for the list
 * of renames. */
static bool visited_paths_lack(struct vv_visited_paths *w, uint32_t *file)
{
    if (!w->found.failed)
        return false;
    w->failed = true;
    *file = VV_NONE;
    return true;
}

bool vv_find_renamed(struct vv_visited_paths *w, const varve_node *parent,
    struct vv_text name, uint32_t *file)
{
    w->applied = 0;
    if (w->selection->rename_count == 0)
        return false;
    const struct vv_rename_step step = { parent->number, name };
    const struct vv_rename_names names = last_names(w, step);
    const struct vv_rename_search search = search_of(w, &names);
    vv_rename_candidates(&search, vv_emptied(&w->found));
    vv_emptied(&w->path);
    vv_emptied(&w->file_path);
    for (size_t i = 0; i < w->found.size / sizeof(uint32_t); i++) {
        struct vv_rename *rename = found_rename(w, i);
        bool found = find_by_edge(w, rename, step, file);
        if (!visited_paths_decide(w, rename, found, file))
            continue;
        w->applied = (uint32_t)(rename - w->selection->renames) + 1;
        return true;
    }
    return visited_paths_lack(w, file);
}

bool vv_find_renamed_slot(struct vv_visited_paths *w, const varve_node *owner,
    const varve_node *variable, const char *name, uint32_t *file)
{
    if (!w->selection->has_slots)
        return false;
    visited_paths_add_child(
        w, owner->number, name, strlen(name), vv_emptied(&w->path));
    vv_buffer_add8(&w->path, '(');
    visited_paths_add_path(w, variable->number, &w->path);
    vv_buffer_add8(&w->path, ')');
    if (w->path.size > VV_LONGEST_SEARCHED_PATH)
        return false;
    const struct vv_path_step *via = &w->vias[variable->number];
    struct vv_rename_step step = { 0, { NULL, 0 } };
    if (via->parent && !via->variable)
        step = (struct vv_rename_step){ via->parent - 1,
            { via->name->bytes, via->name->size } };
    const struct vv_rename_names names = last_names(w, step);
    const struct vv_rename_search search = search_of(w, &names);
    vv_rename_slot_candidates(&search, vv_emptied(&w->found));
    for (size_t i = 0; i < w->found.size / sizeof(uint32_t); i++) {
        struct vv_rename *rename = found_rename(w, i);
        bool found = find_by_text(w, rename, file);
        if (visited_paths_decide(w, rename, found, file))
            return true;
    }
    return visited_paths_lack(w, file);
}
