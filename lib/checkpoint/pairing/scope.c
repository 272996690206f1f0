/* scope.c - Evaluates the patterns of each option of a read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "scope.h"

#include <string.h>

#include "failure.h"
#include "graph_spread.h"
#include "pattern.h"
#include "saved_spread.h"
#include "try.h"

/* The number of pairs of removed nodes that are kept. */
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
    case VV_CAST_ONLY: return s->cast_only;
    case VV_EXPECT_MISSING: return s->expect_missing;
    case VV_EXPECT_UNUSED: return s->expect_unexpected;
    case VV_SCOPES: break;
    }
    return NULL;
}

void vv_scopes_init(
    struct vv_scopes *scopes, const struct vv_selection *selection)
{
    *scopes = (struct vv_scopes){ .selection = selection };
}

void vv_scopes_end(struct vv_scopes *scopes)
{
    for (int i = 0; i < VV_SCOPES; i++)
        vv_spread_end(&scopes->of[i]);
}

/* --- The program -------------------------------------------------------- */

static varve_status scope_follow(struct vv_scopes *scopes, enum vv_scope option,
    varve_node *root, varve_error *error)
{
    const char *patterns = vv_scope_patterns(scopes->selection, option);
    vv_spread_end(&scopes->of[option]);
    if (!patterns || !root)
        return VARVE_OK;
    return vv_graph_spread_begin(&scopes->of[option],
        scopes->selection->allocator, root, patterns, error);
}

varve_status vv_scope_begin(
    struct vv_scopes *scopes, varve_node *root, varve_error *error)
{
    VV_TRY(scope_follow(scopes, VV_ONLY, root, error));
    VV_TRY(scope_follow(scopes, VV_EXCEPT, root, error));
    VV_TRY(scope_follow(scopes, VV_RESIZE, root, error));
    return scope_follow(scopes, VV_CAST_ONLY, root, error);
}

static bool has_too_much(const struct vv_spread *spread)
{
    return spread->gone > FEW_GONE && spread->gone > spread->count / 2;
}

varve_status vv_scope_add(struct vv_scopes *scopes, enum vv_scope option,
    const struct vv_scope_news *news, size_t *first, varve_error *error)
{
    struct vv_spread *spread = &scopes->of[option];
    *first = spread->count;
    if (!vv_spread_is_on(spread))
        return VARVE_OK;
    if (has_too_much(spread)) {
        *first = 0;
        if (scope_follow(scopes, option, news->root, NULL))
            return vv_fail_memory(error, "matching a checkpoint");
    }
    if (news->edge)
        vv_graph_spread_edge(spread, news->edge);
    else
        vv_graph_spread_slot(spread, news->slot);
    return spread->automaton.status
               ? vv_automaton_fail(&spread->automaton, error)
               : VARVE_OK;
}

void vv_scope_forget(struct vv_scopes *scopes, const varve_node *node)
{
    vv_spread_forget(&scopes->of[VV_ONLY], node->number);
    vv_spread_forget(&scopes->of[VV_EXCEPT], node->number);
    vv_spread_forget(&scopes->of[VV_RESIZE], node->number);
    vv_spread_forget(&scopes->of[VV_CAST_ONLY], node->number);
}

bool vv_scope_resizes(const struct vv_scopes *scopes, const varve_node *node)
{
    return vv_spread_has_any(&scopes->of[VV_RESIZE], node->number);
}

bool vv_scope_casts(const struct vv_scopes *scopes, const varve_node *node)
{
    return !scopes->selection->cast_only ||
           vv_spread_has_any(&scopes->of[VV_CAST_ONLY], node->number);
}

/* --- The file ----------------------------------------------------------- */

/* Returns the largest number of names in a path that a rename can match. Deeper
 * nodes follow their parents. Without this limit the time for a deep file would
 * be quadratic. */
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

static bool scope_is_near(
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

/* State of adding the renamed paths of a file. */
struct following {
    const struct vv_selection *selection;
    const struct vv_saved_paths *paths;
    struct vv_spread *spread;
    struct vv_buffer path;
    struct vv_buffer renamed;
};

/* Adds the paths that a node of the file has in the program after the renames.
 */
static bool add_renamed(struct following *f, uint32_t node)
{
    const struct vv_selection *s = f->selection;
    vv_saved_searched_path(f->paths, node, vv_emptied(&f->path));
    const char *path = vv_buffer_string(&f->path);
    bool failed = f->path.failed;
    for (size_t i = 0; i < s->rename_count && !failed; i++) {
        if (vv_pattern_rename(s->renames[i].file, s->renames[i].program, path,
                vv_emptied(&f->renamed)))
            vv_saved_spread_add(
                f->spread, f->paths, node, vv_buffer_string(&f->renamed));
        failed = f->renamed.failed;
    }
    return !failed;
}

static bool add_all_renamed(struct following *f)
{
    size_t most = most_names(f->selection);
    uint32_t count =
        f->selection->rename_count ? f->paths->index->node_count : 0;
    for (uint32_t node = 0; node < count; node++) {
        if (scope_is_near(f->paths, node, most) && !add_renamed(f, node))
            return false;
    }
    return true;
}

static varve_status follow_renamed(const struct vv_selection *selection,
    const struct vv_saved_paths *paths, struct vv_spread *spread,
    varve_error *error)
{
    struct following f = {
        .selection = selection, .paths = paths, .spread = spread
    };
    vv_buffer_init(&f.path, selection->allocator);
    vv_buffer_init(&f.renamed, selection->allocator);
    bool has_memory = add_all_renamed(&f);
    vv_buffer_clear(&f.path);
    vv_buffer_clear(&f.renamed);
    return has_memory ? vv_saved_spread_follow(spread, paths, error)
                      : vv_fail_memory(error, "renames");
}

static varve_status follow_saved(struct vv_scopes *scopes, enum vv_scope option,
    struct vv_saved_graph *saved, varve_error *error)
{
    const char *patterns = vv_scope_patterns(scopes->selection, option);
    struct vv_spread *spread = &scopes->of[option];
    if (!patterns || vv_spread_is_on(spread))
        return VARVE_OK;
    VV_TRY(vv_need_paths(saved, error));
    VV_TRY(vv_saved_spread_begin(spread, &saved->paths, patterns, error));
    varve_status status =
        option == VV_EXPECT_UNUSED
            ? VARVE_OK
            : follow_renamed(scopes->selection, &saved->paths, spread, error);
    if (status)
        vv_spread_end(spread);
    return status;
}

varve_status vv_scope_complete(struct vv_scopes *scopes, varve_node *root,
    struct vv_saved_graph *saved, varve_error *error)
{
    VV_TRY(scope_follow(scopes, VV_EXPECT_MISSING, root, error));
    VV_TRY(follow_saved(scopes, VV_SAVED_ONLY, saved, error));
    VV_TRY(follow_saved(scopes, VV_SAVED_EXCEPT, saved, error));
    return follow_saved(scopes, VV_EXPECT_UNUSED, saved, error);
}

bool vv_scope_wants(
    const struct vv_scopes *scopes, const struct vv_index *index, uint32_t file)
{
    const struct vv_selection *s = scopes->selection;
    const struct vv_spread *any =
        &scopes->of[s->only ? VV_SAVED_ONLY : VV_SAVED_EXCEPT];
    uint32_t renamed = vv_saved_spread_other(index, file);
    return vv_scopes_take(scopes, VV_SAVED_ONLY, VV_SAVED_EXCEPT, file) ||
           (vv_spread_first(any, renamed) &&
               vv_scopes_take(scopes, VV_SAVED_ONLY, VV_SAVED_EXCEPT, renamed));
}

static bool was_used(const struct vv_spread *spread, size_t pattern)
{
    return vv_spread_is_on(spread) &&
           vv_alternative_was_used(&spread->automaton.alternatives[pattern]);
}

bool vv_scope_was_used(
    const struct vv_scopes *scopes, enum vv_scope option, size_t pattern)
{
    return was_used(&scopes->of[option], pattern) ||
           (option == VV_ONLY &&
               was_used(&scopes->of[VV_SAVED_ONLY], pattern)) ||
           (option == VV_EXCEPT &&
               was_used(&scopes->of[VV_SAVED_EXCEPT], pattern));
}

/* --- Paths -------------------------------------------------------------- */

/* Finds the pair by which the options include a node, if there is one. */
static const struct vv_spread *find_pair(const struct vv_scopes *scopes,
    enum vv_scope only, enum vv_scope except, uint32_t node, uint32_t *pair)
{
    bool by_only = scopes->selection->only;
    const struct vv_spread *spread = &scopes->of[by_only ? only : except];
    if (!vv_spread_is_on(spread))
        return NULL;
    *pair = vv_spread_find(spread, node, by_only);
    return *pair == UINT32_MAX ? NULL : spread;
}

bool vv_scope_path(const struct vv_scopes *scopes, const varve_node *node,
    struct vv_buffer *path)
{
    uint32_t pair;
    const struct vv_spread *spread =
        find_pair(scopes, VV_ONLY, VV_EXCEPT, node->number, &pair);
    if (spread)
        vv_graph_spread_path(spread, pair, VV_LONGEST_PATH, path);
    return spread;
}

bool vv_scope_saved_path(const struct vv_scopes *scopes,
    const struct vv_index *index, uint32_t file, struct vv_buffer *path)
{
    uint32_t pair;
    const struct vv_spread *spread =
        find_pair(scopes, VV_SAVED_ONLY, VV_SAVED_EXCEPT, file, &pair);
    if (spread)
        vv_saved_spread_path(spread, index, pair, VV_LONGEST_PATH, path);
    return spread;
}
