/* rename_index.c - Keeps the last pieces of renames, and the pieces before a
 * `**`, in a hash table.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rename_index.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "checksum.h"

/* Values in place of the number of the stage that leads to an entry's names. */
enum {
    FROM_ROOT = 0,
    FROM_ANYWHERE = -1, /* there are more names than are compared */
    IN_SLOT = -2
};

struct vv_rename_shape {
    uint32_t count;
    const struct vv_name_ends *ends; /* the last name first */
};

struct entry {
    uint64_t key;
    uint32_t number; /* of a rename or a stage */
    bool is_stage;
    struct entry *next;
};

void vv_rename_index_init(
    struct vv_rename_index *index, const varve_allocator *allocator)
{
    *index = (struct vv_rename_index){ .allocator = allocator };
    vv_arena_init(&index->arena, allocator);
    vv_map_init(&index->entries, allocator);
    vv_map_init(&index->stage_map, allocator);
    vv_buffer_init(&index->text, allocator);
}

void vv_rename_index_clear(struct vv_rename_index *index)
{
    const varve_allocator *a = index->allocator;
    vv_release(a, index->stages, index->stage_capacity * sizeof *index->stages);
    vv_release(a, index->shapes, index->shape_capacity * sizeof *index->shapes);
    vv_map_clear(&index->entries);
    vv_map_clear(&index->stage_map);
    vv_arena_clear(&index->arena);
    vv_buffer_clear(&index->text);
    vv_rename_index_init(index, a);
}

/* --- Keys --------------------------------------------------------------- */

static uint64_t key_of_shape(size_t shape)
{
    return vv_map_mix(shape + 1);
}

static uint64_t key_from(uint64_t key, uint32_t from)
{
    return vv_map_mix(key + from);
}

static bool has_key(const void *item, const void *key)
{
    return ((const struct entry *)item)->key == *(const uint64_t *)key;
}

static bool rename_index_add_entry(
    struct vv_rename_index *index, uint64_t key, uint32_t number, bool is_stage)
{
    struct entry *entry = vv_arena_take(&index->arena, sizeof *entry);
    struct entry *first = vv_map_find(&index->entries, key, has_key, &key);
    if (!entry)
        return false;
    *entry = (struct entry){ key, number, is_stage, NULL };
    if (!first)
        return vv_map_add(&index->entries, key, entry);
    entry->next = first->next;
    first->next = entry;
    return true;
}

/* --- Names of a piece --------------------------------------------------- */

/* The last names of a piece, unescaped, with their ends. */
struct piece_names {
    uint32_t count;
    struct vv_name_ends ends[VV_RENAME_MOST_NAMES];
    uint64_t keys[VV_RENAME_MOST_NAMES];
};

static bool has_ends(
    const struct vv_rename_shape *shape, const struct piece_names *names)
{
    return shape->count == names->count &&
           (names->count == 0 || memcmp(shape->ends, names->ends,
                                     names->count * sizeof *names->ends) == 0);
}

/* Sets *key to the key of the names. Returns false if out of memory. */
static bool find_shape(struct vv_rename_index *index,
    const struct piece_names *names, uint64_t *key)
{
    size_t shape = 0, size = names->count * sizeof *names->ends;
    while (
        shape < index->shape_count && !has_ends(&index->shapes[shape], names))
        shape++;
    if (shape == index->shape_count) {
        struct vv_name_ends *ends = vv_arena_take(&index->arena, size + 1);
        if (!ends || !vv_grow_array(index->allocator, &index->shapes,
                         &index->shape_capacity, shape, sizeof *index->shapes))
            return false;
        memcpy(ends, names->ends, size);
        index->shapes[index->shape_count++] =
            (struct vv_rename_shape){ names->count, ends };
        if (names->count > index->most_names)
            index->most_names = names->count;
    }
    *key = key_of_shape(shape);
    for (uint32_t i = 0; i < names->count; i++)
        *key = vv_map_mix(*key + names->keys[i]);
    return !index->text.failed;
}

/* Sets *key to the key of a piece behind a stage. */
static bool rename_index_key_of_piece(struct vv_rename_index *index,
    const struct vv_rename_parts *parts, uint32_t number, uint32_t stage,
    uint64_t *key)
{
    const struct vv_rename_piece *piece = &parts->pieces[number];
    struct piece_names names = { .count = piece->count };
    if (piece->count > VV_RENAME_MOST_NAMES) {
        names.count = VV_RENAME_MOST_NAMES;
        stage = (uint32_t)FROM_ANYWHERE;
    }
    for (uint32_t i = 0; i < names.count; i++)
        vv_name_ends_of(
            parts->names[piece->first + piece->count - 1 - i].pattern, true,
            &index->text, &names.ends[i], &names.keys[i]);
    if (!find_shape(index, &names, key))
        return false;
    *key = key_from(*key, stage);
    return true;
}

/* --- Stages ------------------------------------------------------------- */

struct stage_key {
    const struct vv_rename_index *index;
    struct vv_rename_stage stage;
};

static struct vv_text text_of_piece(
    const struct vv_rename_parts *parts, uint32_t number)
{
    const struct vv_rename_piece *piece = &parts->pieces[number];
    if (piece->count == 0)
        return (struct vv_text){ "", 0 };
    struct vv_text first = parts->names[piece->first].pattern;
    struct vv_text last = parts->names[piece->first + piece->count - 1].pattern;
    return (struct vv_text){ first.bytes,
        (size_t)(last.bytes + last.size - first.bytes) };
}

static bool is_same_piece_text(struct vv_text a, struct vv_text b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

/* The items of `stage_map` are numbers of stages. */
static bool rename_index_is_stage(const void *item, const void *key)
{
    const struct stage_key *wanted = key;
    const struct vv_rename_stage *b = &wanted->stage;
    const struct vv_rename_stage *a =
        &wanted->index->stages[*(const uint32_t *)item - 1];
    return a->above == b->above && a->piece == b->piece &&
           is_same_piece_text(text_of_piece(a->parts, a->piece),
               text_of_piece(b->parts, b->piece)) &&
           is_same_piece_text(
               a->parts->pieces[a->piece].to, b->parts->pieces[b->piece].to);
}

/* Returns the stage whose last piece a node matches when it enters this one:
 * one above it, if its own last piece has no names. 0: all of them have none.
 */
static uint32_t entered_with(
    const struct vv_rename_index *index, uint32_t stage)
{
    while (stage) {
        const struct vv_rename_stage *s = &index->stages[stage - 1];
        if (s->parts->pieces[s->piece].count > 0)
            break;
        stage = s->above;
    }
    return stage;
}

/* Sets *key to the key by which nodes that enter a stage are found. */
static bool key_of_entering(
    struct vv_rename_index *index, uint32_t stage, uint64_t *key)
{
    const struct piece_names none = { .count = 0 };
    uint32_t with = entered_with(index, stage);
    if (with) {
        const struct vv_rename_stage *s = &index->stages[with - 1];
        return rename_index_key_of_piece(
            index, s->parts, s->piece, s->above, key);
    }
    if (!find_shape(index, &none, key))
        return false;
    *key = key_from(*key, FROM_ROOT);
    return true;
}

/* Sets *number to the stage with these texts. */
static bool find_stage(struct vv_rename_index *index,
    struct vv_rename_stage stage, uint32_t *number)
{
    struct stage_key key = { index, stage };
    struct vv_text left = text_of_piece(stage.parts, stage.piece);
    struct vv_text right = stage.parts->pieces[stage.piece].to;
    uint64_t entering,
        hash = vv_map_mix(vv_hash_of(left.bytes, left.size) + stage.above);
    hash = vv_map_mix(hash + vv_hash_of(right.bytes, right.size));
    uint32_t *known =
        vv_map_find(&index->stage_map, hash, rename_index_is_stage, &key);
    if (!known) {
        known = vv_arena_take(&index->arena, sizeof *known);
        if (!known || !vv_grow_array(index->allocator, &index->stages,
                          &index->stage_capacity, index->stage_count,
                          sizeof *index->stages))
            return false;
        index->stages[index->stage_count++] = stage;
        *known = index->stage_count;
        if (!vv_map_add(&index->stage_map, hash, known) ||
            !key_of_entering(index, *known, &entering) ||
            !rename_index_add_entry(index, entering, *known, true))
            return false;
    }
    *number = *known;
    return true;
}

/* --- Adding ------------------------------------------------------------- */

bool vv_rename_index_add(struct vv_rename_index *index, uint32_t number,
    const struct vv_rename_parts *parts, uint32_t *stage)
{
    uint32_t last = parts->piece_count - 1;
    uint64_t key;
    *stage = 0;
    for (uint32_t i = 0; i < last; i++) {
        if (!find_stage(
                index, (struct vv_rename_stage){ *stage, i, parts }, stage))
            return false;
    }
    if (!rename_index_key_of_piece(index, parts, last, *stage, &key) ||
        !rename_index_add_entry(index, key, number, false))
        return false;
    /* If nothing follows the last `**`, the rename matches the nodes that enter
     * the stage and all nodes below them. */
    return parts->pieces[last].count > 0 || *stage == 0 ||
           (key_of_entering(index, *stage, &key) &&
               rename_index_add_entry(index, key, number, false));
}

bool vv_rename_index_add_slot(
    struct vv_rename_index *index, uint32_t number, struct vv_text inside)
{
    struct vv_text last[VV_RENAME_MOST_NAMES], name;
    struct piece_names names = { .count = 0 };
    uint32_t count = 0;
    uint64_t key;
    while (vv_text_next_name(&inside, &name)) {
        if (vv_name_pattern_is_deep(name) ||
            memchr(name.bytes, '(', name.size) ||
            memchr(name.bytes, ')', name.size)) {
            count = 0;
            continue;
        }
        last[count++ % VV_RENAME_MOST_NAMES] = name;
    }
    names.count = count < VV_RENAME_MOST_NAMES ? count : VV_RENAME_MOST_NAMES;
    for (uint32_t i = 0; i < names.count; i++)
        vv_name_ends_of(last[(count - 1 - i) % VV_RENAME_MOST_NAMES], true,
            &index->text, &names.ends[i], &names.keys[i]);
    return find_shape(index, &names, &key) &&
           rename_index_add_entry(
               index, key_from(key, (uint32_t)IN_SLOT), number, false);
}

/* --- Searches ----------------------------------------------------------- */

static void add_found(const struct vv_rename_index *index, uint64_t key,
    bool is_stage, struct vv_buffer *found)
{
    const struct entry *e = vv_map_find(&index->entries, key, has_key, &key);
    for (; e; e = e->next) {
        if (e->is_stage == is_stage)
            vv_buffer_add(found, &e->number, sizeof e->number);
    }
}

/* Sets *key to the key that a piece of this shape has if it matches the names.
 * Returns false if none can match. */
static bool key_of_names(const struct vv_rename_index *index, size_t number,
    const struct vv_rename_names *names, uint64_t *key)
{
    const struct vv_rename_shape *shape = &index->shapes[number];
    if (shape->count > names->count)
        return false;
    *key = key_of_shape(number);
    for (uint32_t i = 0; i < shape->count; i++) {
        uint64_t each;
        if (!vv_name_ends_key(names->names[i], shape->ends[i], &each))
            return false;
        *key = vv_map_mix(*key + each);
    }
    return true;
}

static void add_behind(const struct vv_rename_search *s, uint64_t key,
    uint32_t node, bool is_stage, struct vv_buffer *found)
{
    size_t count;
    const struct vv_stage_state *states = s->states(s->user, node, &count);
    for (size_t i = 0; i < count; i++)
        add_found(s->index, key_from(key, states[i].stage), is_stage, found);
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Sorts the numbers in `found` and removes those that are there twice. */
static void rename_index_sort(struct vv_buffer *found)
{
    uint32_t *numbers = (uint32_t *)(void *)found->data;
    size_t count = found->size / sizeof *numbers, kept = 0;
    if (count > 1)
        qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || numbers[kept - 1] != numbers[i])
            numbers[kept++] = numbers[i];
    }
    found->size = kept * sizeof *numbers;
}

static void rename_index_search(
    const struct vv_rename_search *s, bool is_stage, struct vv_buffer *found)
{
    const struct vv_rename_names *names = s->names;
    uint64_t key;
    for (size_t i = 0; i < s->index->shape_count; i++) {
        uint32_t count = s->index->shapes[i].count;
        if (!key_of_names(s->index, i, names, &key))
            continue;
        if (count == 0) { /* inherited from the node above */
            if (names->count)
                add_behind(s, key, names->before[1], is_stage, found);
            else
                add_found(s->index, key_from(key, FROM_ROOT), is_stage, found);
            continue;
        }
        add_found(
            s->index, key_from(key, (uint32_t)FROM_ANYWHERE), is_stage, found);
        if (names->before[count] == s->root)
            add_found(s->index, key_from(key, FROM_ROOT), is_stage, found);
        add_behind(s, key, names->before[count], is_stage, found);
    }
    rename_index_sort(found);
}

void vv_rename_candidates(
    const struct vv_rename_search *s, struct vv_buffer *found)
{
    rename_index_search(s, false, found);
}

void vv_rename_stages(const struct vv_rename_search *s, struct vv_buffer *found)
{
    rename_index_search(s, true, found);
}

void vv_rename_slot_candidates(
    const struct vv_rename_search *s, struct vv_buffer *found)
{
    uint64_t key;
    for (size_t i = 0; i < s->index->shape_count; i++) {
        if (key_of_names(s->index, i, s->names, &key))
            add_found(s->index, key_from(key, (uint32_t)IN_SLOT), false, found);
    }
    rename_index_sort(found);
}

/* --- Stands at nodes ------------------------------------------------------ */

void vv_rename_states_init(
    struct vv_rename_states *s, const varve_allocator *allocator)
{
    *s = (struct vv_rename_states){ .allocator = allocator };
    vv_buffer_init(&s->all, allocator);
}

void vv_rename_states_clear(struct vv_rename_states *s)
{
    vv_release(s->allocator, s->of, s->capacity * sizeof *s->of);
    vv_buffer_clear(&s->all);
    vv_rename_states_init(s, s->allocator);
}

bool vv_rename_states_grow(struct vv_rename_states *s, size_t wanted)
{
    return wanted <= s->capacity || vv_grow_zeroed(s->allocator, &s->of,
                                        &s->capacity, wanted, sizeof *s->of);
}

const struct vv_stage_state *vv_rename_states_at(
    const struct vv_rename_states *s, uint32_t node, size_t *count)
{
    *count = node < s->capacity ? s->of[node].count : 0;
    if (*count == 0)
        return NULL;
    return (const struct vv_stage_state *)(const void *)s->all.data +
           s->of[node].begin;
}

const struct vv_rename_state *vv_rename_state_in(
    const struct vv_rename_states *s, uint32_t node, uint32_t stage)
{
    size_t low = 0, high;
    const struct vv_stage_state *list = vv_rename_states_at(s, node, &high);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle].stage == stage)
            return &list[middle].state;
        if (list[middle].stage < stage)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool vv_rename_states_set(struct vv_rename_states *s, uint32_t node,
    const struct vv_buffer *list, bool *is_new)
{
    struct vv_states_of_node *of = &s->of[node];
    const size_t each = sizeof(struct vv_stage_state);
    size_t old, count = list->size / each;
    const struct vv_stage_state *before = vv_rename_states_at(s, node, &old);
    if (list->failed)
        return false;
    *is_new = count != old ||
              (count > 0 && memcmp(before, list->data, list->size) != 0);
    if (count > of->capacity) {
        size_t capacity = of->capacity ? 2 * count : count;
        size_t begin = s->all.size / each;
        if (!vv_buffer_extend(&s->all, capacity * each)) {
            vv_emptied(&s->all)->size = begin * each;
            return false;
        }
        of->begin = begin;
        of->capacity = (uint32_t)capacity;
    }
    of->count = (uint32_t)count;
    if (count > 0)
        memcpy(s->all.data + of->begin * each, list->data, list->size);
    return true;
}
