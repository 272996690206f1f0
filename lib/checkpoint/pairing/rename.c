/* rename.c - Applies renames to two graphs at once, and to single paths for the
 * public functions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rename.h"

#include <string.h>

#include <varve/structure.h>

#include "allocator.h"
#include "buffer.h"
#include "default_allocator.h"
#include "pattern.h"

/* --- Renames of graphs ---------------------------------------------------- */

/* Matches the pieces of a rename backward, from the last name of a path. */

/* --- Parts -------------------------------------------------------------- */

static struct vv_text rename_text_of(const char *text)
{
    return (struct vv_text){ text, strlen(text) };
}

static bool ends_name(struct vv_text text, size_t at)
{
    return at >= text.size || memchr("/()", text.bytes[at], 3);
}

/* Removes the text before the next `**`, and the `**`, from *rest. Returns that
 * text. */
static struct vv_text next_piece(struct vv_text *rest)
{
    struct vv_text all = *rest;
    size_t at = 0;
    while (at < all.size) {
        struct vv_text here = { all.bytes + at, all.size - at };
        size_t stars = vv_name_pattern_stars(here);
        bool begins = at == 0 || ends_name(all, at - 1);
        if (stars > 1 && begins && ends_name(all, at + stars) &&
            !(at + stars < all.size && all.bytes[at + stars] == '(')) {
            vv_text_skip(rest, at + stars);
            return (struct vv_text){ all.bytes, at };
        }
        at += stars ? stars : 1;
    }
    vv_text_skip(rest, all.size);
    return all;
}

static void rename_count_parts(
    struct vv_rename_parts *parts, struct vv_text left)
{
    struct vv_text name;
    parts->piece_count = 1;
    while (vv_text_next_name(&left, &name)) {
        if (vv_name_pattern_is_deep(name))
            parts->piece_count++;
        else
            parts->name_count++;
    }
}

static void rename_fill(
    struct vv_rename_parts *parts, struct vv_text left, struct vv_text right)
{
    struct vv_text name;
    struct vv_rename_piece *piece = parts->pieces;
    uint32_t count = 0, stars = 0;
    piece->to = next_piece(&right);
    while (vv_text_next_name(&left, &name)) {
        if (vv_name_pattern_is_deep(name)) {
            *++piece = (struct vv_rename_piece){ .first = count,
                .to = next_piece(&right) };
            stars = 0;
            continue;
        }
        parts->names[count++] = (struct vv_rename_name){ name, stars };
        stars += (uint32_t)vv_name_pattern_star_count(name);
        piece->count++;
    }
}

bool vv_rename_parts_begin(struct vv_rename_parts *parts,
    const varve_allocator *a, const char *left, const char *right)
{
    *parts = (struct vv_rename_parts){ 0 };
    rename_count_parts(parts, rename_text_of(left));
    parts->names =
        vv_allocate_array(a, parts->name_count, sizeof *parts->names);
    parts->pieces =
        vv_allocate_zeroed(a, parts->piece_count * sizeof *parts->pieces);
    if ((parts->name_count && !parts->names) || !parts->pieces) {
        vv_rename_parts_end(parts, a);
        return false;
    }
    rename_fill(parts, rename_text_of(left), rename_text_of(right));
    return true;
}

void vv_rename_parts_end(
    struct vv_rename_parts *parts, const varve_allocator *a)
{
    vv_release(a, parts->names, parts->name_count * sizeof *parts->names);
    vv_release(a, parts->pieces, parts->piece_count * sizeof *parts->pieces);
    *parts = (struct vv_rename_parts){ 0 };
}

/* --- The left side ------------------------------------------------------ */

/* Returns true if the last names of a path match a piece. Sets *node to the
 * node before them. */
static bool rename_compare(const struct vv_rename_parts *parts,
    const struct vv_rename_piece *piece, const struct vv_rename_sides *sides,
    struct vv_rename_step step, struct vv_text *captures, uint32_t *node)
{
    const struct vv_rename_name *names = parts->names + piece->first;
    struct vv_text name = step.name;
    *node = step.parent;
    for (uint32_t i = piece->count; i-- > 0;) {
        if (i + 1 < piece->count)
            name = *node == sides->root ? (struct vv_text){ NULL, 0 }
                                        : sides->above(sides->user, node);
        if (name.size == 0 || *node == VV_NOWHERE ||
            !vv_name_pattern_capture(
                names[i].pattern, name, VV_PLAIN, captures + names[i].stars))
            return false;
    }
    return true;
}

/* Finds the start of a piece that matches the end of a path. `state` is first
 * that of the whole path, then that of the part before the piece. */
static bool find_piece(const struct vv_rename_parts *parts, uint32_t number,
    const struct vv_rename_sides *sides, struct vv_rename_step step,
    struct vv_text *captures, struct vv_rename_state *state)
{
    const struct vv_rename_piece *piece = &parts->pieces[number];
    uint32_t node;
    bool is_root = step.name.size == 0;
    if (piece->count > 0) {
        if (!rename_compare(parts, piece, sides, step, captures, &node))
            return false;
        is_root = node == sides->root;
        *state = *sides->state(sides->user, node);
    }
    if (number > 0)
        return state->piece == number;
    *state = (struct vv_rename_state){ .at = sides->right_root };
    return is_root;
}

/* --- The right side ----------------------------------------------------- */

/* Ends a name at the character `c`. Returns false if the name is empty because
 * its wildcards matched nothing. */
static bool end_name(const struct vv_rename_sides *sides, char c,
    bool *has_stars, struct vv_rename_state *s)
{
    struct vv_buffer *name = sides->scratch;
    bool is_empty = name->size == 0;
    uint32_t id = VV_NOWHERE;
    if (is_empty && *has_stars)
        return false;
    *has_stars = false;
    if (!is_empty && !name->failed)
        id = sides->name(sides->user,
            (struct vv_text){ (const char *)name->data, name->size });
    name->size = 0;
    if (c == '(') {
        bool is_inside = s->owner;
        s->owner = s->at == VV_NOWHERE || is_inside ? VV_NOWHERE : s->at + 1;
        s->slot = id;
        s->at = sides->right_root;
        return true;
    }
    if (!is_empty)
        s->at = id == VV_NOWHERE || s->at == VV_NOWHERE
                    ? VV_NOWHERE
                    : sides->child(sides->user, s->at, id);
    if (c == ')') {
        bool is_slot = s->owner && s->owner != VV_NOWHERE &&
                       s->slot != VV_NOWHERE && s->at != VV_NOWHERE;
        s->at = !is_slot
                    ? VV_NOWHERE
                    : sides->slot(sides->user, s->owner - 1, s->at, s->slot);
        s->owner = 0;
    }
    return true;
}

static size_t literal_size(struct vv_text text)
{
    size_t size = 0;
    while (size < text.size && !memchr("*/()", text.bytes[size], 4))
        size++;
    return size;
}

/* Follows a piece of the right side. */
static bool lead(const struct vv_rename_sides *sides, struct vv_text to,
    const struct vv_text *captures, struct vv_rename_state *s)
{
    bool has_stars = false;
    sides->scratch->size = 0;
    while (to.size > 0) {
        size_t stars = vv_name_pattern_stars(to), size = literal_size(to);
        if (stars > 0) {
            vv_buffer_add(sides->scratch, captures->bytes, captures->size);
            captures++;
            has_stars = true;
        } else if (size > 0) {
            vv_name_pattern_unescape(
                (struct vv_text){ to.bytes, size }, sides->scratch);
        } else if (!end_name(sides, *to.bytes, &has_stars, s)) {
            return false;
        }
        vv_text_skip(&to, stars ? stars : size ? size : 1);
    }
    return end_name(sides, '\0', &has_stars, s);
}

/* --- Both --------------------------------------------------------------- */

struct vv_rename_state vv_rename_follow(const struct vv_rename_parts *parts,
    const struct vv_rename_sides *sides, struct vv_rename_step step)
{
    struct vv_text captures[VV_PATTERN_MAX_WILDCARDS + 1];
    struct vv_rename_state state = { 0 }, next;
    if (step.name.size > 0)
        state = *sides->state(sides->user, step.parent);
    if (state.piece && state.at != VV_NOWHERE && step.name.size > 0) {
        uint32_t id = sides->name(sides->user, step.name);
        state.at = id == VV_NOWHERE ? VV_NOWHERE
                                    : sides->child(sides->user, state.at, id);
    }
    while (
        state.piece != VV_RENAME_DEAD && state.piece + 1 < parts->piece_count) {
        uint32_t number = state.piece;
        next = state;
        if (!find_piece(parts, number, sides, step, captures, &next))
            break;
        state = next;
        state.piece = lead(sides, parts->pieces[number].to, captures, &state)
                          ? number + 1
                          : VV_RENAME_DEAD;
    }
    return state;
}

bool vv_rename_match(const struct vv_rename_parts *parts,
    const struct vv_rename_sides *sides, struct vv_rename_step step,
    uint32_t *at)
{
    struct vv_text captures[VV_PATTERN_MAX_WILDCARDS + 1];
    uint32_t last = parts->piece_count - 1;
    struct vv_rename_state state = { 0 };
    if (parts->pieces[last].count == 0)
        state = vv_rename_follow(parts, sides, step);
    if (!find_piece(parts, last, sides, step, captures, &state) ||
        !lead(sides, parts->pieces[last].to, captures, &state))
        return false;
    *at = state.owner ? VV_NOWHERE : state.at;
    return true;
}

/* --- Renames of one path -------------------------------------------------- */

/* Implements the public functions for patterns and renames of paths. */

bool varve_path_matches(const char *patterns, const char *path)
{
    return path && vv_pattern_match(patterns, path);
}

static varve_status path_pattern_copy_out(
    struct vv_buffer *from, char *to, size_t size)
{
    const char *text = vv_buffer_string(from);
    if (from->failed)
        return VARVE_NO_MEMORY;
    if (from->size >= size)
        return VARVE_LIMIT;
    memcpy(to, text, from->size + 1);
    return VARVE_OK;
}

varve_status varve_path_rename(const char *from, const char *to,
    const char *path, char *renamed, size_t size)
{
    const varve_allocator allocator = vv_allocator_or_default(NULL);
    struct vv_buffer result;
    if (!from || !to || !path || !vv_pattern_same_wildcards(from, to))
        return VARVE_MISUSE;
    vv_buffer_init(&result, &allocator);
    varve_status status = VARVE_NOT_FOUND;
    if (vv_pattern_rename(from, to, path, &result))
        status = path_pattern_copy_out(&result, renamed, size);
    else if (result.failed)
        status = VARVE_NO_MEMORY;
    vv_buffer_clear(&result);
    return status;
}
