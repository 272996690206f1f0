/* hdf5_graph.c - Lists groups breadth first with a queue, each once, even if
 * several links lead to it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "draft_parts.h"
#include "failure.h"
#include "hdf5_values.h"
#include "name.h"
#include "try.h"

/* --- Names ---------------------------------------------------------------- */

bool vv_hdf5_is_name(const char *bytes, size_t size, const char *name)
{
    return size == strlen(name) && memcmp(bytes, name, size) == 0;
}

/* Returns true if the '%' at `at` begins an escape code. Codes of whole names
 * must be at the beginning. */
static bool is_code(const char *bytes, size_t size, size_t at)
{
    size_t first = at++;
    while (size - at >= 2 && memcmp(bytes + at, "25", 2) == 0)
        at += 2;
    if (size - at >= 2 && memcmp(bytes + at, "2F", 2) == 0)
        return true;
    bytes += at;
    size -= at;
    return first == 0 && (vv_hdf5_is_name(bytes, size, "2E") ||
                             vv_hdf5_is_name(bytes, size, "40slots") ||
                             vv_hdf5_is_name(bytes, size, "40state"));
}

void vv_hdf5_escape(struct vv_buffer *to, const char *bytes, size_t size)
{
    bool is_whole = vv_hdf5_is_name(bytes, size, ".") ||
                    vv_hdf5_is_name(bytes, size, VV_HDF5_SLOTS) ||
                    vv_hdf5_is_name(bytes, size, VV_HDF5_STATE);
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '/')
            vv_buffer_add_string(to, "%2F");
        else if (is_whole && i == 0)
            vv_buffer_add_string(to, bytes[0] == '.' ? "%2E" : "%40");
        else if (bytes[i] == '%' && is_code(bytes, size, i))
            vv_buffer_add_string(to, "%25");
        else
            vv_buffer_add8(to, (uint8_t)bytes[i]);
    }
}

/* Returns the character for an escape code of two digits. */
static uint8_t meaning_of(const char *digits)
{
    return memcmp(digits, "25", 2) == 0   ? '%'
           : memcmp(digits, "2F", 2) == 0 ? '/'
           : memcmp(digits, "2E", 2) == 0 ? '.'
                                          : '@';
}

const char *vv_hdf5_unescape(struct vv_buffer *text, const char *name)
{
    size_t size = strlen(name);
    if (!memchr(name, '%', size))
        return name;
    text->size = 0;
    for (size_t i = 0; i < size; i++) {
        if (name[i] == '%' && is_code(name, size, i)) {
            vv_buffer_add8(text, meaning_of(name + i + 1));
            i += 2;
        } else {
            vv_buffer_add8(text, (uint8_t)name[i]);
        }
    }
    return text->failed ? NULL : vv_buffer_string(text);
}

/* --- Groups and links ----------------------------------------------------- */

/* A link takes some bytes of the file, so the size of the file limits their
 * number. The total size of texts may exceed that of the file, because a text
 * may be referred to several times. */
enum {
    FREE_LINKS = 1000,
    LINK_SIZE = 8,
    FREE_TEXTS = 1 << 20,
    MOST_TOO_LONG = 16
};
static const uint64_t spare_bytes = UINT64_C(64) << 20;

static varve_status hdf5_graph_fail_memory(const struct vv_hdf5_graph *g)
{
    return vv_fail_memory(g->error, "objects of an HDF5 file");
}

/* --- Things --------------------------------------------------------------- */

static size_t hdf5_item_count(const struct vv_hdf5_graph *g)
{
    return g->items.size / sizeof(struct vv_hdf5_item);
}

/* The map contains numbers plus 1 instead of pointers, because items move in
 * memory. */
struct key {
    const struct vv_hdf5_graph *graph;
    uint64_t object;
};

static bool hdf5_graph_is_object(const void *item, const void *user)
{
    const struct key *key = user;
    return vv_hdf5_item_at(key->graph, (size_t)(uintptr_t)item - 1)->object ==
           key->object;
}

static size_t find_item(const struct vv_hdf5_graph *g, uint64_t object)
{
    struct key key = { g, object };
    void *item = vv_map_find(
        &g->numbers, vv_map_mix(object), hdf5_graph_is_object, &key);
    return item ? (size_t)(uintptr_t)item - 1 : SIZE_MAX;
}

static size_t hdf5_graph_add_item(
    struct vv_hdf5_graph *g, const struct vv_hdf5_item *item)
{
    size_t number = hdf5_item_count(g);
    vv_buffer_add(&g->items, item, sizeof *item);
    return g->items.failed ? SIZE_MAX : number;
}

size_t vv_hdf5_add_mark(
    struct vv_hdf5_graph *g, const char *tag, const char *what)
{
    struct vv_hdf5_item item = { .path = "" };
    g->text.size = 0;
    vv_buffer_add_string(&g->text, "hdf5:");
    vv_buffer_add_string(&g->text, tag);
    if (*what) {
        vv_buffer_add8(&g->text, ':');
        vv_buffer_add_string(&g->text, what);
    }
    if (g->text.failed)
        return SIZE_MAX;
    item.node = vv_draft_node(g->draft, VARVE_OBJECT);
    if (!vv_name_is_valid((const char *)g->text.data, g->text.size))
        g->text.size = strlen("hdf5:") + strlen(tag);
    vv_draft_tag(g->draft, item.node, vv_buffer_string(&g->text));
    return hdf5_graph_add_item(g, &item);
}

/* Returns the path of a child, allocated in the arena; "" if it is too long. */
static const char *hdf5_graph_path_of(
    struct vv_hdf5_graph *g, size_t parent, const char *name)
{
    const char *above = vv_hdf5_item_at(g, parent)->path;
    g->text.size = 0;
    if (parent > 0 && !*above)
        return "";
    if (*above) {
        vv_buffer_add_string(&g->text, above);
        vv_buffer_add8(&g->text, '/');
    }
    vv_buffer_add_string(&g->text, name);
    if (g->text.failed)
        return NULL;
    return g->text.size > VV_LONGEST_PATH
               ? ""
               : vv_arena_text(&g->source->names, (const char *)g->text.data,
                     g->text.size);
}

/* --- Objects -------------------------------------------------------------- */

static varve_status hdf5_graph_make_node(struct vv_hdf5_graph *g,
    const struct vv_hdf5_object *what, struct vv_hdf5_item *item)
{
    item->is_group = what->kind == VV_HDF5_GROUP;
    if (what->kind == VV_HDF5_DATASET) {
        VV_TRY(
            vv_hdf5_add_value(g, item->object, what, item->path, &item->node));
        varve_kind kind =
            (varve_kind)vv_draft_node_at(g->draft, item->node)->kind;
        if (*item->path && kind != VARVE_OBJECT &&
            vv_name_is_valid(item->path, strlen(item->path)))
            vv_draft_global(
                g->draft, item->node, item->path, strlen(item->path));
        return VARVE_OK;
    }
    item->node = vv_draft_node(g->draft, VARVE_OBJECT);
    if (!item->is_group)
        vv_draft_tag(g->draft, item->node,
            what->kind == VV_HDF5_NAMED_TYPE ? "hdf5:type" : "hdf5:unknown");
    return VARVE_OK;
}

/* Lists an edge as left out, by its path. */
static void leave_edge_out(
    struct vv_hdf5_graph *g, const struct vv_hdf5_edge *edge, const char *what)
{
    const char *above = vv_hdf5_item_at(g, edge->parent)->path;
    g->text.size = 0;
    vv_buffer_add_string(&g->text, above);
    if (*above)
        vv_buffer_add8(&g->text, '/');
    vv_buffer_add_string(&g->text, edge->name);
    if (!g->text.failed)
        vv_draft_leave_out_name(g->draft,
            g->text.size ? (const char *)g->text.data : "", g->text.size, what);
}

/* If an object was written by a newer version of libhdf5 in a way that this
 * version cannot read, lists its contents as left out and keeps an empty
 * object. */
static varve_status leave_object_out(struct vv_hdf5_graph *g, const char *path,
    const varve_error *said, struct vv_hdf5_object *what)
{
    char text[VARVE_MESSAGE_SIZE + 32];
    if (said->status != VARVE_TOO_NEW)
        return vv_hdf5_fail_at(g->source, path, said, g->error);
    *what = (struct vv_hdf5_object){ .kind = VV_HDF5_UNKNOWN };
    snprintf(text, sizeof text, "an object: %s", said->message);
    vv_draft_leave_out_name(g->draft, path, strlen(path), text);
    return VARVE_OK;
}

/* Adds an object that was found for the first time and sets *number to its
 * number. */
static varve_status hdf5_graph_add_object(
    struct vv_hdf5_graph *g, uint64_t object, const char *path, size_t *number)
{
    struct vv_hdf5_object what;
    struct vv_hdf5_item item = { .object = object, .path = path };
    varve_error said = { VARVE_OK, 0, "" };
    if (!path)
        return hdf5_graph_fail_memory(g);
    if (g->source->calls->describe(g->source->file, object, &what, &said))
        VV_TRY(leave_object_out(g, path, &said, &what));
    VV_TRY(hdf5_graph_make_node(g, &what, &item));
    *number = hdf5_graph_add_item(g, &item);
    if (*number == SIZE_MAX || !vv_map_add(&g->numbers, vv_map_mix(object),
                                   (void *)(uintptr_t)(*number + 1)))
        return hdf5_graph_fail_memory(g);
    return what.kind == VV_HDF5_UNKNOWN ? VARVE_OK
                                        : vv_hdf5_add_texts(g, *number);
}

/* --- Links ---------------------------------------------------------------- */

/* The links of one group. The objects are read after all links have been
 * listed. */
struct listing {
    struct vv_hdf5_graph *graph;
    size_t parent;
    struct vv_buffer objects; /* objects of hard links (uint64_t), indexed by
                                 edge */
    varve_status status;
};

static bool hdf5_graph_stop(struct listing *l, varve_status status)
{
    l->status = status;
    return false;
}

static const char *hdf5_graph_keep(struct vv_hdf5_graph *g, const char *text)
{
    return vv_arena_text(&g->source->names, text, strlen(text));
}

static bool hdf5_graph_take_link(void *user, const struct vv_hdf5_link *link)
{
    struct listing *l = user;
    struct vv_hdf5_graph *g = l->graph;
    struct vv_hdf5_edge edge = { .parent = l->parent, .item = SIZE_MAX };
    uint64_t object = link->object;
    if (g->links == 0)
        return hdf5_graph_stop(l, VARVE_LIMIT);
    g->links--;
    edge.name = hdf5_graph_keep(g, link->name);
    if (link->kind == VV_HDF5_SOFT) {
        edge.soft = hdf5_graph_keep(g, link->target);
        g->has_soft = true;
    } else if (link->kind != VV_HDF5_HARD) {
        edge.item = vv_hdf5_add_mark(g,
            link->kind == VV_HDF5_EXTERNAL ? "external" : "link", link->target);
        object = UINT64_MAX;
    }
    if (!edge.name || (link->kind == VV_HDF5_SOFT && !edge.soft) ||
        (object == UINT64_MAX && edge.item == SIZE_MAX))
        return hdf5_graph_stop(l, VARVE_NO_MEMORY);
    vv_buffer_add(&g->edges, &edge, sizeof edge);
    vv_buffer_add(&l->objects, &object, sizeof object);
    return !g->edges.failed && !l->objects.failed
               ? !g->draft->failed
               : hdf5_graph_stop(l, VARVE_NO_MEMORY);
}

static varve_status hdf5_graph_list(struct listing *l)
{
    struct vv_hdf5_graph *g = l->graph;
    varve_error said = { VARVE_OK, 0, "" };
    const struct vv_hdf5_item *group = vv_hdf5_item_at(g, l->parent);
    varve_status status = g->source->calls->links(
        g->source->file, group->object, hdf5_graph_take_link, l, &said);
    if (l->status == VARVE_NO_MEMORY)
        return hdf5_graph_fail_memory(g);
    if (l->status)
        return vv_fail(g->error, l->status,
            "%s: too many links for a file of %" PRIu64 " bytes",
            g->source->foreign->files[0].path, g->source->size);
    if (status && status != VARVE_CANCELLED)
        return vv_hdf5_fail_at(g->source, group->path, &said, g->error);
    return VARVE_OK;
}

static varve_status hdf5_graph_follow(struct listing *l, size_t first)
{
    struct vv_hdf5_graph *g = l->graph;
    size_t count = l->objects.size / sizeof(uint64_t);
    for (size_t i = 0; i < count && !g->draft->failed; i++) {
        uint64_t object = ((uint64_t *)(void *)l->objects.data)[i];
        struct vv_hdf5_edge *edge = vv_hdf5_edge_at(g, first + i);
        if (edge->soft || edge->item != SIZE_MAX)
            continue;
        size_t item = find_item(g, object);
        if (item == SIZE_MAX)
            VV_TRY(hdf5_graph_add_object(g, object,
                hdf5_graph_path_of(g, l->parent, edge->name), &item));
        edge->item = item;
    }
    return VARVE_OK;
}

static varve_status list_group(struct vv_hdf5_graph *g, size_t number)
{
    struct listing l = { .graph = g, .parent = number };
    size_t first = vv_hdf5_edge_count(g);
    vv_buffer_init(&l.objects, g->items.allocator);
    varve_status status = hdf5_graph_list(&l);
    if (!status) {
        vv_hdf5_item_at(g, number)->first = first;
        vv_hdf5_item_at(g, number)->count = vv_hdf5_edge_count(g) - first;
        status = hdf5_graph_follow(&l, first);
    }
    vv_buffer_clear(&l.objects);
    return status;
}

/* --- Entry points --------------------------------------------------------- */

/* The root is already in the draft as node 0. */
static varve_status hdf5_graph_begin(struct vv_hdf5_graph *g)
{
    struct vv_hdf5_item root = {
        .object = g->source->root, .path = "", .is_group = true
    };
    if (hdf5_graph_add_item(g, &root) == SIZE_MAX ||
        !vv_map_add(&g->numbers, vv_map_mix(root.object), (void *)(uintptr_t)1))
        return hdf5_graph_fail_memory(g);
    return vv_hdf5_add_texts(g, 0);
}

varve_status vv_hdf5_graph_read(struct vv_hdf5_graph *g,
    struct vv_hdf5_source *source, struct vv_draft *draft, varve_error *error)
{
    const varve_allocator *a = &draft->context->allocator;
    *g = (struct vv_hdf5_graph){ .source = source,
        .draft = draft,
        .error = error,
        .links = FREE_LINKS + source->size / LINK_SIZE,
        .texts = FREE_TEXTS + source->size,
        .spare = spare_bytes + source->size,
        .stored = source->size,
        .too_long = MOST_TOO_LONG };
    vv_buffer_init(&g->items, a);
    vv_buffer_init(&g->edges, a);
    vv_buffer_init(&g->text, a);
    vv_map_init(&g->numbers, a);
    VV_TRY(hdf5_graph_begin(g));
    for (size_t i = 0; i < hdf5_item_count(g) && !draft->failed; i++) {
        if (vv_hdf5_item_at(g, i)->is_group)
            VV_TRY(list_group(g, i));
    }
    return VARVE_OK;
}

void vv_hdf5_graph_clear(struct vv_hdf5_graph *g)
{
    vv_buffer_clear(&g->items);
    vv_buffer_clear(&g->edges);
    vv_buffer_clear(&g->text);
    vv_map_clear(&g->numbers);
}

/* The edges of a group are sorted by name. */
static struct vv_hdf5_edge *hdf5_graph_find_edge(
    const struct vv_hdf5_graph *g, size_t group, const char *name)
{
    const struct vv_hdf5_item *item = vv_hdf5_item_at(g, group);
    size_t low = item->first, high = item->first + item->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct vv_hdf5_edge *edge = vv_hdf5_edge_at(g, middle);
        int order = strcmp(edge->name, name);
        if (order == 0)
            return edge;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

size_t vv_hdf5_child(
    const struct vv_hdf5_graph *g, size_t group, const char *name)
{
    const struct vv_hdf5_edge *edge = hdf5_graph_find_edge(g, group, name);
    return edge ? edge->item : SIZE_MAX;
}

/* Returns the name of an edge in the graph. An escaped name is not unescaped if
 * the group already contains the unescaped name. Returns NULL if memory runs
 * out. */
static const char *hdf5_graph_name_of(
    struct vv_hdf5_graph *g, const struct vv_hdf5_edge *e)
{
    const char *name = e->own ? e->own : vv_hdf5_unescape(&g->text, e->name);
    if (!name || name == e->own || name == e->name)
        return name;
    const struct vv_hdf5_edge *other = hdf5_graph_find_edge(g, e->parent, name);
    return other && !other->is_left_out ? e->name : name;
}

varve_status vv_hdf5_graph_end(struct vv_hdf5_graph *g)
{
    size_t count = vv_hdf5_edge_count(g);
    for (size_t i = 0; i < count && !g->draft->failed; i++) {
        const struct vv_hdf5_edge *e = vv_hdf5_edge_at(g, i);
        if (e->is_left_out)
            continue;
        const char *name = hdf5_graph_name_of(g, e);
        if (!name)
            return hdf5_graph_fail_memory(g);
        if (!vv_name_is_valid(name, strlen(name))) {
            leave_edge_out(g, e, NULL);
            continue;
        }
        vv_draft_edge(g->draft, vv_hdf5_item_at(g, e->parent)->node, name,
            strlen(name), vv_hdf5_item_at(g, e->item)->node);
    }
    return VARVE_OK;
}

bool vv_hdf5_add_edge(
    struct vv_hdf5_graph *g, size_t parent, const char *name, size_t item)
{
    struct vv_hdf5_edge edge = { .name = name, .item = item, .parent = parent };
    vv_buffer_add(&g->edges, &edge, sizeof edge);
    return !g->edges.failed;
}
