/* side.c - Lists the paths of a checkpoint in linear time and memory: of each
 * path it stores the last name and a hash.
 *
 * SPDX-License-Identifier: MIT
 */
#include "side.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "memory.h"
#include "tree_walk.h"

enum { LONGEST_SHOWN = 4095 };

/* --- Listing ------------------------------------------------------------ */

static void add_entry(struct side *s, const struct row *row, size_t parent)
{
    s->entries =
        memory_grow(s->entries, &s->capacity, s->count, sizeof *s->entries);
    s->entries[s->count] = (struct entry){ .name = row->branch.name,
        .parent = parent,
        .partner = ENTRY_NONE,
        .node = row->branch.node,
        .other = OUTLINE_NONE,
        .variable = row->branch.variable,
        .is_alias = row->branch.is_alias };
    s->has_aliases |= row->branch.is_alias;
    if (!row->branch.is_alias)
        s->places[row->branch.node] = s->count;
    s->count++;
}

/* Returns false if there is no memory. The parent of a row is the last
 * preceding row of the next higher level. */
static bool list_entries(struct side *s)
{
    struct tree_walk walk;
    struct row row;
    size_t *above = NULL; /* entries by depth */
    size_t room = 0;
    tree_walk_begin(&walk, &s->outline, UINT64_MAX, true);
    while (tree_walk_next(&walk, &row)) {
        if (row.depth == room)
            above = memory_grow(above, &room, room, sizeof *above);
        above[row.depth] = s->count;
        add_entry(s, &row, row.depth ? above[row.depth - 1] : ENTRY_NONE);
    }
    bool done = !walk.failed;
    tree_walk_end(&walk);
    free(above);
    return done;
}

int side_open(
    const struct settings *settings, const char *argument, struct side *s)
{
    *s = (struct side){ .count = 0 };
    int outcome = target_open(settings, argument, &s->target);
    if (outcome != OUTCOME_DONE)
        return outcome;
    if (!outline_make(
            &s->outline, s->target.reader, s->target.node.id, &view_of_all)) {
        s->outline = (struct outline){ .reader = NULL };
        return complain_memory(settings);
    }
    s->places = memory_allocate(s->outline.count, sizeof *s->places);
    memset(s->places, 0xff, s->outline.count * sizeof *s->places);
    return list_entries(s) ? OUTCOME_DONE : complain_memory(settings);
}

void side_clear(struct side *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->entries[i].renamed);
    free(s->entries);
    free(s->places);
    outline_clear(&s->outline);
    target_close(&s->target);
}

varve_saved_node side_saved(const struct side *s, uint32_t node)
{
    return outline_saved(&s->outline, node);
}

/* --- Paths -------------------------------------------------------------- */

static void print_name(FILE *to, const char *name)
{
    char *escaped = escaped_name(name);
    if (!escaped)
        memory_exhausted();
    fputs(escaped, to);
    free(escaped);
}

static const char *new_name(const struct side *s, size_t entry, bool is_own)
{
    return is_own ? NULL : s->entries[entry].renamed;
}

/* Lists the entries from one up to the root, to a renamed one, or as far as a
 * path is displayed. Returns their number; the first element of `way` is the
 * entry itself. */
static size_t way_up(
    const struct side *s, size_t entry, bool is_own, size_t **way, bool *is_cut)
{
    size_t count = 0, room = 0, size = 0;
    *way = NULL;
    for (;;) {
        *way = memory_grow(*way, &room, count, sizeof **way);
        (*way)[count++] = entry;
        const struct entry *e = &s->entries[entry];
        size += strlen(e->name) + 1;
        *is_cut = size > LONGEST_SHOWN + 1;
        if (*is_cut || e->parent == ENTRY_NONE || new_name(s, entry, is_own))
            return count;
        entry = e->parent;
    }
}

/* Returns "..." and the end of a path, which begins at a character boundary. */
static char *shortened(char *path)
{
    size_t size = strlen(path);
    if (size <= LONGEST_SHOWN)
        return path;
    const char *end = path + size - (LONGEST_SHOWN - 3);
    while (((unsigned char)*end & 0xc0) == 0x80)
        end++;
    char *shown = memory_allocate(LONGEST_SHOWN + 1, 1);
    snprintf(shown, LONGEST_SHOWN + 1, "...%s", end);
    free(path);
    return shown;
}

static char *path_of(const struct side *s, size_t entry, bool is_own);

/* Prints the parentheses of a slot: the path of its variable or, if that is not
 * part of the comparison, its path in the file. */
static void print_variable(
    FILE *to, const struct side *s, uint32_t variable, bool is_own)
{
    size_t place = s->places[variable];
    putc('(', to);
    if (place == ENTRY_NONE || s->entries[place].variable != OUTLINE_NONE) {
        fputs(side_saved(s, variable).path, to);
    } else {
        char *path = path_of(s, place, is_own);
        fputs(path, to);
        free(path);
    }
    putc(')', to);
}

static void print_entry(
    FILE *to, const struct side *s, size_t entry, bool is_own)
{
    const struct entry *e = &s->entries[entry];
    if (new_name(s, entry, is_own)) {
        fputs(new_name(s, entry, is_own), to);
        return;
    }
    print_name(to, e->name);
    if (e->variable != OUTLINE_NONE)
        print_variable(to, s, e->variable, is_own);
}

/* Returns the path of an entry. Slots of a variable have no slots themselves,
 * so the recursion depth is at most 1. */
static char *path_of(const struct side *s, size_t entry, bool is_own)
{
    size_t *way;
    bool is_cut;
    char *path = NULL;
    size_t size = 0;
    size_t count = way_up(s, entry, is_own, &way, &is_cut);
    FILE *to = open_memstream(&path, &size);
    if (!to)
        memory_exhausted();
    fputs(is_cut ? ".../" : "", to);
    for (size_t i = count; i-- > 0;) {
        if (way[i] == 0)
            continue; /* the root has no name */
        print_entry(to, s, way[i], is_own);
        fputs(i ? "/" : "", to);
    }
    free(way);
    if (fclose(to) != 0 || !path)
        memory_exhausted();
    return shortened(path);
}

char *side_path(const struct side *s, size_t entry)
{
    return path_of(s, entry, false);
}

char *side_own_path(const struct side *s, size_t entry)
{
    return path_of(s, entry, true);
}

/* --- Keys --------------------------------------------------------------- */

/* Hashes with FNV-1a, and a variant with other constants. Deliberate collisions
 * are detected when paths are paired. */
static void sum_byte(uint64_t key[2], unsigned char byte)
{
    key[0] = (key[0] ^ byte) * UINT64_C(0x100000001b3);
    key[1] = (key[1] ^ byte) * UINT64_C(0x9e3779b97f4a7c15);
    key[1] ^= key[1] >> 29;
}

static bool is_escaped(unsigned char byte)
{
    if (byte > '/' && byte < '|')
        return false;
    return byte < 0x20 || byte == 0x7f || strchr("/%*|()", byte);
}

/* Hashes a byte as escaped in paths. */
static void sum_in_name(uint64_t key[2], unsigned char byte)
{
    static const char digits[] = "0123456789ABCDEF";
    if (!is_escaped(byte)) {
        sum_byte(key, byte);
        return;
    }
    sum_byte(key, '%');
    sum_byte(key, (unsigned char)digits[byte >> 4]);
    sum_byte(key, (unsigned char)digits[byte & 15]);
}

static unsigned hex_digit(char c)
{
    return (
        unsigned)(isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10);
}

/* Hashes a path of a user, who may have escaped more than necessary. */
static void sum_text(uint64_t key[2], const char *text)
{
    for (; *text; text++) {
        if (*text == '%' && isxdigit((unsigned char)text[1]) &&
            isxdigit((unsigned char)text[2])) {
            unsigned byte = hex_digit(text[1]) << 4 | hex_digit(text[2]);
            sum_in_name(key, (unsigned char)byte);
            text += 2;
        } else {
            sum_byte(key, (unsigned char)*text);
        }
    }
}

static void begin_sum(uint64_t key[2])
{
    key[0] = UINT64_C(0xcbf29ce484222325);
    key[1] = UINT64_C(0x2545f4914f6cdd1d);
}

static void sum_entry(struct side *s, size_t entry)
{
    struct entry *e = &s->entries[entry];
    begin_sum(e->key);
    if (e->renamed) {
        sum_text(e->key, e->renamed);
        return;
    }
    if (e->parent == ENTRY_NONE)
        return;
    const struct entry *parent = &s->entries[e->parent];
    memcpy(e->key, parent->key, sizeof e->key);
    if (e->parent != 0 || parent->renamed)
        sum_byte(e->key, '/');
    for (const char *c = e->name; *c; c++)
        sum_in_name(e->key, (unsigned char)*c);
    if (e->variable == OUTLINE_NONE)
        return;
    char *path = s->places[e->variable] == ENTRY_NONE
                     ? NULL
                     : side_path(s, s->places[e->variable]);
    sum_byte(e->key, '(');
    sum_text(e->key, path ? path : side_saved(s, e->variable).path);
    sum_byte(e->key, ')');
    free(path);
}

static void rename_entry(struct side *s, size_t entry, struct renames *renames)
{
    char *path = side_own_path(s, entry);
    if (strncmp(path, ".../", 4) != 0) {
        renames_see(renames, path);
        s->entries[entry].renamed = renames_apply(renames, path);
    }
    free(path);
}

void side_name(struct side *s, struct renames *renames)
{
    for (size_t i = 1; renames && renames->count && i < s->count; i++)
        rename_entry(s, i, renames);
    for (size_t i = 0; i < s->count; i++) {
        if (s->entries[i].variable == OUTLINE_NONE)
            sum_entry(s, i);
    }
    for (size_t i = 0; i < s->count; i++) {
        if (s->entries[i].variable != OUTLINE_NONE)
            sum_entry(s, i);
    }
}
