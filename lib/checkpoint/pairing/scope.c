/* scope.c - a spread for each option that has patterns.
 *
 * SPDX-License-Identifier: MIT
 */
#include "scope.h"

#include <string.h>

#include "binding.h"
#include "failure.h"
#include "graph_spread.h"
#include "pattern.h"
#include "saved_spread.h"
#include "try.h"

/* So many pairs of nodes that are gone are kept. */
enum { FEW_GONE = 1024 };

const char *vv_scope_patterns(
    const struct vv_selection *s, enum vv_scope option)
{
    switch (option) {
    case VV_ONLY:
    case VV_SAVED_ONLY: return s->only;
    case VV_EXCEPT:
    case VV_SAVED_EXCEPT: return s->except;
    case VV_RESIZE: return s->resize;
    case VV_EXPECT_MISSING: return s->expect_missing;
    case VV_EXPECT_UNUSED: return s->expect_unused;
    case VV_SCOPES: break;
    }
    return NULL;
}

/* --- The program -------------------------------------------------------- */

static varve_status follow(
    struct vv_pairing *p, enum vv_scope option, varve_error *error)
{
    const char *patterns = vv_scope_patterns(&p->selection, option);
    vv_spread_end(&p->scope[option]);
    if (!patterns || !p->graph || !p->root)
        return VARVE_OK;
    return vv_graph_spread_begin(
        &p->scope[option], &p->context.allocator, p->root, patterns, error);
}

varve_status vv_scope_begin(struct vv_pairing *p, varve_error *error)
{
    VV_TRY(follow(p, VV_ONLY, error));
    VV_TRY(follow(p, VV_EXCEPT, error));
    return follow(p, VV_RESIZE, error);
}

void vv_scope_end(struct vv_pairing *p)
{
    for (int i = 0; i < VV_SCOPES; i++)
        vv_spread_end(&p->scope[i]);
}

/* All is matched again once it can be. */
static void note_failure(struct vv_pairing *p, const struct vv_spread *spread)
{
    if (!spread->automaton.status)
        return;
    if (!p->failure.status)
        vv_automaton_fail(&spread->automaton, &p->failure);
}

/* A node that was left out until now. */
static void decide_again(struct vv_pairing *p, varve_node *node)
{
    uint32_t file = vv_file_node_of(p, node);
    if (!vv_scope_takes(p, node))
        return;
    for (; file != VV_NONE; file = vv_next_partner(p, node, file)) {
        uint32_t value = vv_value_of(p, file);
        if (vv_is_holder(p, node, file))
            p->values->taken_in(p->delivery, node, file);
        else if (value != VV_NONE && p->values->is_left_out(p->delivery, value))
            vv_bind(p, node, file, vv_how_of(p, node));
    }
}

static void decide_from(
    struct vv_pairing *p, enum vv_scope option, size_t first)
{
    const struct vv_spread *spread = &p->scope[option];
    note_failure(p, spread);
    for (size_t i = first; i < spread->count && option != VV_RESIZE; i++)
        decide_again(p, spread->pairs[i].object);
}

static bool has_too_much(const struct vv_spread *spread)
{
    return spread->gone > FEW_GONE && spread->gone > spread->count / 2;
}

static void go_on(
    struct vv_pairing *p, struct vv_edge *edge, struct vv_slot *slot)
{
    static const enum vv_scope options[] = { VV_ONLY, VV_EXCEPT, VV_RESIZE };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct vv_spread *spread = &p->scope[options[i]];
        if (!vv_spread_is_on(spread))
            continue;
        size_t first = has_too_much(spread) ? 0 : spread->count;
        if (first < spread->count && follow(p, options[i], NULL)) {
            vv_out_of_memory(p);
            continue;
        }
        if (edge)
            vv_graph_spread_edge(spread, edge);
        else
            vv_graph_spread_slot(spread, slot);
        decide_from(p, options[i], first);
    }
}

void vv_scope_edge(struct vv_pairing *p, struct vv_edge *edge)
{
    go_on(p, edge, NULL);
}

void vv_scope_slot(struct vv_pairing *p, struct vv_slot *slot)
{
    go_on(p, NULL, slot);
}

void vv_scope_forget(struct vv_pairing *p, const varve_node *node)
{
    vv_spread_forget(&p->scope[VV_ONLY], node->number);
    vv_spread_forget(&p->scope[VV_EXCEPT], node->number);
    vv_spread_forget(&p->scope[VV_RESIZE], node->number);
}

static bool takes(const struct vv_pairing *p, enum vv_scope only,
    enum vv_scope except, uint32_t node)
{
    return (!p->selection.only || vv_spread_has_any(&p->scope[only], node)) &&
           !vv_spread_has_all(&p->scope[except], node);
}

bool vv_scope_takes(const struct vv_pairing *p, const varve_node *node)
{
    return takes(p, VV_ONLY, VV_EXCEPT, node->number);
}

bool vv_scope_resizes(const struct vv_pairing *p, const varve_node *node)
{
    return vv_spread_has_any(&p->scope[VV_RESIZE], node->number);
}

/* --- The file ----------------------------------------------------------- */

/* How many names the paths have at most that a rename matches, so that a deep
 * file does not take its time squared; what is below them goes along. */
static size_t most_names(const struct vv_selection *s)
{
    size_t most = 0;
    for (size_t i = 0; i < s->rename_count; i++) {
        const char *pattern = s->renames[i].file;
        size_t names = 1;
        if (strstr(pattern, "**"))
            return SIZE_MAX;
        for (; *pattern; pattern++)
            names += *pattern == '/';
        if (names > most)
            most = names;
    }
    return most;
}

static bool is_near(
    const struct vv_saved_paths *paths, uint32_t node, size_t most)
{
    for (size_t names = 0; names <= most; names++) {
        if (node == paths->root)
            return true;
        node = paths->parents[node];
        if (node == VV_NONE)
            break;
    }
    return false;
}

/* The paths that a node of the file would have in the program: renames are
 * followed backwards. */
static varve_status add_renamed(
    struct vv_pairing *p, struct vv_spread *spread, uint32_t node)
{
    const struct vv_selection *s = &p->selection;
    vv_saved_searched_path(&p->paths, node, vv_emptied(&p->path));
    const char *path = vv_buffer_string(&p->path);
    bool failed = p->path.failed;
    for (size_t i = 0; i < s->rename_count && !failed; i++) {
        if (vv_pattern_rename(s->renames[i].file, s->renames[i].program, path,
                vv_emptied(&p->file_path)))
            vv_saved_spread_add(
                spread, &p->paths, node, vv_buffer_string(&p->file_path));
        failed = p->file_path.failed;
    }
    return failed ? VARVE_NO_MEMORY : VARVE_OK;
}

static varve_status follow_renamed(
    struct vv_pairing *p, struct vv_spread *spread, varve_error *error)
{
    uint32_t count = p->selection.rename_count ? p->paths.index->node_count : 0;
    size_t most = most_names(&p->selection);
    for (uint32_t node = 0; node < count; node++) {
        if (is_near(&p->paths, node, most) && add_renamed(p, spread, node))
            return vv_fail_memory(error, "renames");
    }
    return vv_saved_spread_follow(spread, &p->paths, error);
}

varve_status vv_need_paths(struct vv_pairing *p, varve_error *error)
{
    if (p->has_paths)
        return VARVE_OK;
    varve_status status = vv_saved_paths_begin(
        &p->paths, &p->context.allocator, vv_index_of(p), p->file_root, error);
    p->has_paths = status == VARVE_OK;
    return status;
}

static varve_status follow_saved(
    struct vv_pairing *p, enum vv_scope option, varve_error *error)
{
    const char *patterns = vv_scope_patterns(&p->selection, option);
    struct vv_spread *spread = &p->scope[option];
    if (!patterns || vv_spread_is_on(spread))
        return VARVE_OK;
    VV_TRY(vv_need_paths(p, error));
    VV_TRY(vv_saved_spread_begin(spread, &p->paths, patterns, error));
    varve_status status = option == VV_EXPECT_UNUSED
                              ? VARVE_OK
                              : follow_renamed(p, spread, error);
    if (status)
        vv_spread_end(spread);
    return status;
}

varve_status vv_scope_complete(struct vv_pairing *p, varve_error *error)
{
    if (p->is_dry) /* it was not told what has changed since */
        VV_TRY(vv_scope_begin(p, error));
    VV_TRY(follow(p, VV_EXPECT_MISSING, error));
    VV_TRY(follow_saved(p, VV_SAVED_ONLY, error));
    VV_TRY(follow_saved(p, VV_SAVED_EXCEPT, error));
    return follow_saved(p, VV_EXPECT_UNUSED, error);
}

bool vv_scope_wants(const struct vv_pairing *p, uint32_t file)
{
    const struct vv_selection *s = &p->selection;
    const struct vv_spread *any =
        &p->scope[s->only ? VV_SAVED_ONLY : VV_SAVED_EXCEPT];
    uint32_t renamed = vv_saved_spread_other(vv_index_of(p), file);
    return takes(p, VV_SAVED_ONLY, VV_SAVED_EXCEPT, file) ||
           (vv_spread_first(any, renamed) &&
               takes(p, VV_SAVED_ONLY, VV_SAVED_EXCEPT, renamed));
}

static bool was_used(const struct vv_spread *spread, size_t pattern)
{
    return vv_spread_is_on(spread) &&
           vv_alternative_was_used(&spread->automaton.alternatives[pattern]);
}

bool vv_scope_was_used(
    const struct vv_pairing *p, enum vv_scope option, size_t pattern)
{
    return was_used(&p->scope[option], pattern) ||
           (option == VV_ONLY && was_used(&p->scope[VV_SAVED_ONLY], pattern)) ||
           (option == VV_EXCEPT &&
               was_used(&p->scope[VV_SAVED_EXCEPT], pattern));
}

/* --- Paths -------------------------------------------------------------- */

/* The pair by which the options take a node, if it matters. */
static const struct vv_spread *find_pair(const struct vv_pairing *p,
    enum vv_scope only, enum vv_scope except, uint32_t node, uint32_t *pair)
{
    bool by_only = p->selection.only;
    const struct vv_spread *spread = &p->scope[by_only ? only : except];
    if (!vv_spread_is_on(spread))
        return NULL;
    *pair = vv_spread_find(spread, node, by_only);
    return *pair == UINT32_MAX ? NULL : spread;
}

bool vv_scope_path(
    const struct vv_pairing *p, const varve_node *node, struct vv_buffer *path)
{
    uint32_t pair;
    const struct vv_spread *spread =
        find_pair(p, VV_ONLY, VV_EXCEPT, node->number, &pair);
    if (spread)
        vv_graph_spread_path(spread, pair, VV_LONGEST_PATH, path);
    return spread;
}

bool vv_scope_saved_path(
    const struct vv_pairing *p, uint32_t file, struct vv_buffer *path)
{
    uint32_t pair;
    const struct vv_spread *spread =
        find_pair(p, VV_SAVED_ONLY, VV_SAVED_EXCEPT, file, &pair);
    if (spread)
        vv_saved_spread_path(
            spread, vv_index_of(p), pair, VV_LONGEST_PATH, path);
    return spread;
}
