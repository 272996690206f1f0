/* bundle_key.c - Follows the names in a key through the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_key.h"

#include <string.h>

#include "bundle.h"

/* The rest of a key. */
struct rest {
    const struct vv_index *index;
    const char *at;
    const char *end;
    struct vv_buffer *name; /* the last name that was parsed */
};

static bool bundle_key_begins_with(const struct rest *r, const char *mark)
{
    size_t size = strlen(mark);
    return (size_t)(r->end - r->at) >= size && memcmp(r->at, mark, size) == 0;
}

/* Parses a name and the '/' after it. Returns false if an escape is invalid. */
static bool bundle_key_take_name(struct rest *r)
{
    r->name->size = 0;
    for (; r->at < r->end && *r->at != '/'; r->at++) {
        char c = *r->at;
        if (c == '.') {
            if (++r->at == r->end || (*r->at != '.' && *r->at != 'S'))
                return false;
            c = *r->at == 'S' ? '/' : '.';
        }
        vv_buffer_add8(r->name, (uint8_t)c);
    }
    r->at += r->at < r->end;
    return !r->name->failed;
}

static uint32_t name_number(const struct rest *r)
{
    return r->name->size ? vv_index_find_name(r->index,
                               (const char *)r->name->data, r->name->size)
                         : VV_NONE;
}

/* Returns the node to which the names up to the next mark lead from the root.
 */
static uint32_t bundle_key_follow(struct rest *r, const char *mark)
{
    uint32_t node = 0;
    if (r->at < r->end && *r->at == '/')
        r->at++; /* the path is empty */
    while (
        node != VV_NONE && r->at < r->end && !bundle_key_begins_with(r, mark)) {
        uint32_t name = bundle_key_take_name(r) ? name_number(r) : VV_NONE;
        node = name == VV_NONE ? VV_NONE
                               : vv_index_find_child(r->index, node, name);
    }
    return node;
}

/* Returns the beginning of the last name before the last mark, which is the
 * name of a slot. */
static const char *last_name(const struct rest *r)
{
    static const char mark[] = "/" VV_BUNDLE_ATTRIBUTES "/";
    const char *at = r->end;
    while (at > r->at && ((size_t)(r->end - at) < sizeof mark - 1 ||
                             memcmp(at, mark, sizeof mark - 1) != 0))
        at--;
    while (at > r->at && at[-1] != '/')
        at--;
    return at;
}

static uint32_t bundle_key_follow_slot(struct rest *r, uint32_t variable)
{
    const char *name = last_name(r);
    struct rest path = { r->index, r->at, name, r->name };
    uint32_t owner = bundle_key_follow(&path, VV_BUNDLE_ATTRIBUTES "/");
    r->at = name;
    uint32_t number = bundle_key_take_name(r) ? name_number(r) : VV_NONE;
    return owner == VV_NONE || number == VV_NONE
               ? VV_NONE
               : vv_index_find_slot(r->index, owner, variable, number);
}

/* Follows the key up to the mark of attributes, through a slot if there is one.
 */
static uint32_t bundle_key_follow_all(struct rest *r)
{
    static const char slot[] = VV_BUNDLE_SLOT "/";
    struct rest other = *r;
    uint32_t node = bundle_key_follow(r, VV_BUNDLE_ATTRIBUTES "/");
    if (node != VV_NONE && bundle_key_begins_with(r, VV_BUNDLE_ATTRIBUTES "/"))
        return node;
    *r = other;
    node = bundle_key_follow(r, slot);
    if (node == VV_NONE || !bundle_key_begins_with(r, slot))
        return VV_NONE;
    r->at += sizeof slot - 1;
    return bundle_key_follow_slot(r, node);
}

bool vv_bundle_key_leads(const struct vv_index *index, const char *key,
    size_t size, uint32_t node, struct vv_buffer *scratch)
{
    if (size == 0)
        return false;
    struct rest rest = { index, key, key + size, scratch };
    return bundle_key_follow_all(&rest) == node &&
           bundle_key_begins_with(&rest, VV_BUNDLE_ATTRIBUTES "/");
}
