/* child_names.c - Sorts names by their ends, and searches ranges of names that
 * begin or end alike.
 *
 * SPDX-License-Identifier: MIT
 */
#include "child_names.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "name_pattern.h"

/* Characters that are special in a pattern, except for stars. */
#define SPECIAL "%?[|()"

/* Compares the last bytes of two names, the last byte first. Returns 0 if one
 * ends with the other. */
static int compare_tails(
    const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t size = a_size < b_size ? a_size : b_size;
    for (size_t i = 1; i <= size; i++) {
        unsigned char one = (unsigned char)a[a_size - i];
        unsigned char other = (unsigned char)b[b_size - i];
        if (one != other)
            return one < other ? -1 : 1;
    }
    return 0;
}

static int compare_ends(const void *left, const void *right)
{
    const struct vv_child_name *a = left, *b = right;
    int order = compare_tails(a->name, a->size, b->name, b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static struct vv_text name_of(const struct vv_index *index, uint32_t edge)
{
    struct vv_text name;
    name.bytes =
        vv_index_name(index, vv_at32(index->edge_names, edge), &name.size);
    return name;
}

struct vv_child_name *vv_child_names_new(
    const varve_allocator *a, const struct vv_index *index)
{
    uint32_t begin, end;
    struct vv_child_name *ends =
        vv_allocate_array(a, index->edge_count, sizeof *ends);
    if (!ends)
        return NULL;
    for (uint32_t edge = 0; edge < index->edge_count; edge++) {
        struct vv_text name = name_of(index, edge);
        ends[edge] =
            (struct vv_child_name){ name.bytes, (uint32_t)name.size, edge };
    }
    for (uint32_t node = 0; node < index->node_count; node++) {
        vv_index_edges(index, node, &begin, &end);
        if (end - begin > 1)
            qsort(ends + begin, end - begin, sizeof *ends, compare_ends);
    }
    return ends;
}

uint32_t vv_child_names_walk(
    const struct vv_saved_paths *paths, const char *path, size_t size)
{
    const struct vv_index *index = paths->index;
    uint32_t at = paths->root;
    if (index->slot_count || strcspn(path, "*" SPECIAL) < size)
        return VV_NONE;
    while (size) {
        const char *slash = memchr(path, '/', size);
        size_t name = slash ? (size_t)(slash - path) : size;
        uint32_t edge =
            name ? vv_index_find_edge_called(index, at, path, name) : VV_NONE;
        if (edge == VV_NONE || name + 1 == size ||
            paths->parents[vv_at32(index->edge_children, edge)] != at)
            return VV_NONE;
        at = vv_at32(index->edge_children, edge);
        path += slash ? name + 1 : name;
        size -= slash ? name + 1 : name;
    }
    return at;
}

/* The literal bytes at one side of a pattern. */
struct side {
    const struct vv_index *index;
    const struct vv_child_name *ends; /* NULL: names begin with the bytes */
    struct vv_text text;
};

/* Compares a name at a position of the sorted names with the bytes of the side.
 * Returns 0 if the name begins or ends with them. */
static int compare_side(const struct side *side, uint32_t at)
{
    const struct vv_text *text = &side->text;
    int order;
    size_t size;
    if (side->ends) {
        size = side->ends[at].size;
        order =
            compare_tails(side->ends[at].name, size, text->bytes, text->size);
    } else {
        struct vv_text name = name_of(side->index, at);
        size = name.size;
        order = memcmp(
            name.bytes, text->bytes, size < text->size ? size : text->size);
    }
    return order == 0 && size < text->size ? -1 : order;
}

/* Returns the first position in [low, high) whose name is above the names of
 * the side or, unless `above` is set, is one of these or above. */
static uint32_t find_bound(
    const struct side *side, uint32_t low, uint32_t high, bool above)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_side(side, middle) < above)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds the child at an edge if the pattern matches its name. Returns false if
 * the child must be found in another way. */
static bool add_match(const struct vv_saved_paths *paths, uint32_t at,
    uint32_t edge, struct vv_text pattern, struct vv_buffer *found)
{
    const struct vv_index *index = paths->index;
    uint32_t child = vv_at32(index->edge_children, edge), begin, end;
    if (!vv_name_pattern_match(pattern, name_of(index, edge), VV_PLAIN))
        return true;
    vv_index_edges(index, child, &begin, &end);
    if (begin != end || paths->parents[child] != at)
        return false;
    vv_buffer_add(found, &child, sizeof child);
    return !found->failed;
}

static int child_names_compare(const void *left, const void *right)
{
    uint32_t a, b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return (a > b) - (a < b);
}

/* Searches the smaller one of two ranges: that of the names with the beginning
 * of the pattern, and that of the names with its end. */
static bool search_ranges(const struct vv_child_name *ends,
    const struct vv_saved_paths *paths, uint32_t at, struct vv_text pattern,
    struct vv_buffer *found)
{
    const struct vv_index *index = paths->index;
    struct side head = { index, NULL, { pattern.bytes, 0 } };
    struct side tail = { index, ends, { pattern.bytes + pattern.size, 0 } };
    while (pattern.bytes[head.text.size] != '*')
        head.text.size++;
    for (; tail.text.bytes[-1] != '*'; tail.text.size++)
        tail.text.bytes--;
    if (!head.text.size && !tail.text.size)
        return false;
    uint32_t begin, end;
    vv_index_edges(index, at, &begin, &end);
    uint32_t head_begin = find_bound(&head, begin, end, false);
    uint32_t head_end = find_bound(&head, head_begin, end, true);
    uint32_t tail_begin = find_bound(&tail, begin, end, false);
    uint32_t tail_end = find_bound(&tail, tail_begin, end, true);
    bool by_head = head_end - head_begin <= tail_end - tail_begin;
    begin = by_head ? head_begin : tail_begin;
    end = by_head ? head_end : tail_end;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t edge = by_head ? i : ends[i].edge;
        if (!add_match(paths, at, edge, pattern, found))
            return false;
    }
    if (found->size)
        qsort(found->data, found->size / sizeof(uint32_t), sizeof(uint32_t),
            child_names_compare);
    return true;
}

bool vv_child_names_find(const struct vv_child_name *ends,
    const struct vv_saved_paths *paths, const char *pattern,
    struct vv_buffer *found)
{
    const char *slash = strrchr(pattern, '/');
    size_t above = slash ? (size_t)(slash - pattern) : 0;
    struct vv_text name = { slash ? slash + 1 : pattern, 0 };
    name.size = strlen(name.bytes);
    if (!strchr(name.bytes, '*') || strpbrk(name.bytes, SPECIAL) ||
        (slash && above == 0))
        return false;
    uint32_t at = vv_child_names_walk(paths, pattern, above);
    if (at == VV_NONE || vv_index_kind(paths->index, at) == VARVE_LIST)
        return false;
    return search_ranges(ends, paths, at, name, found);
}
