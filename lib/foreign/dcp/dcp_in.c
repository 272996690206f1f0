/* dcp_in.c - Reads the metadata, opens the files that it names, and adds the
 * values one by one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "dcp_in.h"

#include <string.h>

#include "checksum.h"
#include "dcp_tensor.h"
#include "failure.h"
#include "name.h"
#include "pickle_in.h"
#include "magic_bytes.h"
#include "torch_decode.h"
#include "torch_in.h"
#include "try.h"

/* --- The tree ------------------------------------------------------------- */

struct vv_dcp_node {
    struct vv_dcp_node *parent;
    struct vv_dcp_node *first, *last,
        *next; /* the first and last child; the next sibling */
    uint32_t key;
    uint32_t item; /* of a value; of a dict once it was added */
    uint32_t count;
    bool is_value;
    bool is_list; /* the keys are 0, 1, 2, ... */
};

struct place {
    const struct vv_pickle *p;
    const struct vv_dcp_node *parent;
    uint32_t key;
};

static bool dcp_tree_is_same(const struct vv_pickle *p, uint32_t a, uint32_t b)
{
    const struct vv_pickle_item *x = vv_pickle_item(p, a);
    const struct vv_pickle_item *y = vv_pickle_item(p, b);
    if (x->kind != y->kind || x->b != y->b)
        return false;
    return x->kind == VV_PICKLE_TEXT
               ? memcmp(vv_pickle_bytes(p, x), vv_pickle_bytes(p, y), x->b) == 0
               : x->a == y->a;
}

static bool dcp_tree_is_there(const void *item, const void *wanted)
{
    const struct vv_dcp_node *node = item;
    const struct place *place = wanted;
    return node->parent == place->parent &&
           dcp_tree_is_same(place->p, node->key, place->key);
}

static uint64_t dcp_tree_hash_of(const struct place *place)
{
    const struct vv_pickle_item *key = vv_pickle_item(place->p, place->key);
    uint64_t hash = key->kind == VV_PICKLE_TEXT
                        ? vv_hash_of(vv_pickle_bytes(place->p, key), key->b)
                        : (uint64_t)key->b << 32 | key->a;
    return vv_map_mix(hash + (uint64_t)(uintptr_t)place->parent);
}

static struct vv_dcp_node *dcp_tree_add_node(struct vv_dcp_tree *t)
{
    struct vv_dcp_node *node = vv_arena_take(&t->arena, sizeof *node);
    if (!node)
        return NULL;
    *node = (struct vv_dcp_node){ .is_list = true };
    vv_buffer_add(&t->nodes, &node, sizeof node);
    return t->nodes.failed ? NULL : node;
}

bool vv_dcp_tree_begin(struct vv_dcp_tree *t, struct vv_torch_merge *merge)
{
    const varve_allocator *a = merge->pickle.items.allocator;
    *t = (struct vv_dcp_tree){ .merge = merge };
    vv_arena_init(&t->arena, a);
    vv_map_init(&t->places, a);
    vv_buffer_init(&t->nodes, a);
    return dcp_tree_add_node(t) != NULL;
}

void vv_dcp_tree_clear(struct vv_dcp_tree *t)
{
    vv_arena_clear(&t->arena);
    vv_map_clear(&t->places);
    vv_buffer_clear(&t->nodes);
}

/* Returns the child of a node under a key, and creates it if there is none.
 * Returns NULL without memory. */
static struct vv_dcp_node *dcp_tree_step(
    struct vv_dcp_tree *t, struct vv_dcp_node *parent, uint32_t key)
{
    const struct vv_pickle *p = &t->merge->pickle;
    struct place place = { .p = p, .parent = parent, .key = key };
    uint64_t hash = dcp_tree_hash_of(&place);
    struct vv_dcp_node *node =
        vv_map_find(&t->places, hash, dcp_tree_is_there, &place);
    if (node)
        return node;
    node = dcp_tree_add_node(t);
    if (!node || !vv_map_add(&t->places, hash, node))
        return NULL;
    node->parent = parent;
    node->key = key;
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    const struct vv_pickle_item *item = vv_pickle_item(p, key);
    parent->is_list &= item->kind == VV_PICKLE_INTEGER &&
                       vv_pickle_integer(item) == parent->count;
    parent->count++;
    return node;
}

bool vv_dcp_tree_add(struct vv_dcp_tree *t, const uint32_t *keys, size_t count,
    uint32_t item, bool *is_free)
{
    struct vv_dcp_node *node = *(struct vv_dcp_node **)(void *)t->nodes.data;
    *is_free = true;
    for (size_t i = 0; i < count; i++) {
        node = dcp_tree_step(t, node, keys[i]);
        if (!node)
            return false;
        *is_free = !node->is_value;
        if (!*is_free)
            return true;
    }
    *is_free = !node->first;
    if (*is_free) {
        node->is_value = true;
        node->item = item;
    }
    return true;
}

/* Adds the dict or list of a node. The items of its children exist already. */
static varve_status dcp_tree_add_dict(
    struct vv_dcp_tree *t, struct vv_dcp_node *node)
{
    bool is_list = node->is_list && node->count > 0;
    struct vv_pickle_item item = { .kind = is_list ? VV_PICKLE_LIST
                                                   : VV_PICKLE_DICT };
    VV_TRY(vv_torch_merge_item(t->merge, item, &node->item));
    for (struct vv_dcp_node *at = node->first; at; at = at->next) {
        if (!is_list)
            VV_TRY(vv_torch_merge_member(t->merge, node->item, at->key));
        VV_TRY(vv_torch_merge_member(t->merge, node->item, at->item));
    }
    return VARVE_OK;
}

varve_status vv_dcp_tree_end(struct vv_dcp_tree *t, uint32_t *root)
{
    struct vv_dcp_node **nodes = (struct vv_dcp_node **)(void *)t->nodes.data;
    for (size_t i = t->nodes.size / sizeof *nodes; i-- > 0;) {
        if (!nodes[i]->is_value)
            VV_TRY(dcp_tree_add_dict(t, nodes[i]));
    }
    *root = nodes[0]->item;
    return VARVE_OK;
}

/* --- Reading -------------------------------------------------------------- */

enum { MOST_LEVELS = 64, MOST_METADATA = 1 << 30 };

struct reading {
    struct vv_foreign *foreign;
    const char *path;
    varve_error *error;
    struct vv_buffer bytes; /* of the metadata */
    struct vv_pickle pickle;
    struct vv_dcp_metadata metadata;
    struct vv_torch_merge merge;
    struct vv_dcp_tree tree;
    struct vv_dcp_reading values;
};

static enum vv_probe_result dcp_in_probe(const struct vv_candidate *c)
{
    return vv_dcp_is_metadata(c->head, c->head_size) ? VV_PROBE_SURE
                                                     : VV_PROBE_NONE;
}

/* --- The metadata --------------------------------------------------------- */

static varve_status read_metadata(struct reading *r)
{
    uint32_t root;
    uint64_t size = r->foreign->files[0].size;
    if (size > MOST_METADATA)
        return vv_fail(r->error, VARVE_LIMIT,
            "%s: the metadata exceeds the limit of 1 GiB", r->path);
    void *bytes = vv_buffer_extend(&r->bytes, (size_t)size);
    if (!bytes)
        return vv_fail_memory(r->error, "the metadata of a checkpoint");
    VV_TRY(vv_foreign_read(r->foreign, 0, bytes, (size_t)size, 0, r->error));
    VV_TRY(vv_pickle_read(&r->pickle, &r->bytes, r->path, r->error));
    /* Added first, so that texts of the metadata can be keys: their items keep
     * their numbers. */
    VV_TRY(vv_torch_merge_add(&r->merge, NULL, &r->pickle, &root));
    return vv_dcp_metadata_read(&r->metadata, &r->pickle,
        &r->foreign->context->allocator, r->path, r->error);
}

/* --- The files ------------------------------------------------------------ */

static varve_status dcp_in_add_file(
    struct reading *r, const struct vv_dcp_part *part, uint32_t *file)
{
    struct vv_buffer path;
    const struct vv_pickle_item *name = vv_pickle_item(&r->pickle, part->path);
    const char *bytes = vv_pickle_bytes(&r->pickle, name);
    if (!vv_name_stays(bytes, name->b))
        return vv_dcp_fail(&r->metadata, VARVE_CORRUPT, part->name,
            "its file is not in the directory of the metadata");
    vv_buffer_init(&path, &r->foreign->context->allocator);
    vv_sibling_path(&path, r->path, bytes, name->b);
    varve_status status = path.failed
                              ? vv_fail_memory(r->error, "a path")
                              : vv_foreign_add_file(r->foreign,
                                    vv_buffer_string(&path), file, r->error);
    if (status == VARVE_NOT_FOUND)
        status = vv_fail(r->error, status,
            "%s: the file \"%.*s\" is missing: all files of a checkpoint must "
            "be in one directory",
            r->path, vv_dcp_shown(name->b), bytes);
    vv_buffer_clear(&path);
    return status;
}

/* Parts are sorted by file. */
static varve_status dcp_in_add_files(struct reading *r)
{
    struct vv_dcp_part *const *parts =
        (struct vv_dcp_part *const *)(const void *)r->metadata.parts.data;
    const struct vv_pickle_item *last = NULL;
    uint32_t file = 0;
    for (size_t i = 0; i < r->metadata.parts.size / sizeof *parts; i++) {
        const struct vv_pickle_item *path =
            vv_pickle_item(&r->pickle, parts[i]->path);
        bool is_same = last && last->b == path->b &&
                       memcmp(vv_pickle_bytes(&r->pickle, last),
                           vv_pickle_bytes(&r->pickle, path), path->b) == 0;
        if (!is_same)
            VV_TRY(dcp_in_add_file(r, parts[i], &file));
        parts[i]->file = file;
        last = path;
    }
    return VARVE_OK;
}

/* --- Values --------------------------------------------------------------- */

/* Sets `keys` to the path of a value, or to its name if the path is not usable,
 * and returns the number of keys. */
static size_t keys_of(
    const struct reading *r, uint32_t name, uint32_t keys[MOST_LEVELS])
{
    const struct vv_pickle *p = &r->pickle;
    const struct vv_pickle_item *path =
        vv_pickle_item(p, vv_dcp_path_of(&r->metadata, name));
    size_t count = 0;
    bool are_keys = path->kind == VV_PICKLE_TUPLE;
    for (uint32_t at = path->first; at && are_keys;
         at = vv_pickle_link(p, at).next) {
        uint32_t key = vv_pickle_link(p, at).item;
        uint32_t kind = vv_pickle_item(p, key)->kind;
        are_keys = count < MOST_LEVELS &&
                   (kind == VV_PICKLE_TEXT || kind == VV_PICKLE_INTEGER);
        if (are_keys)
            keys[count++] = key;
    }
    if (are_keys && count > 0)
        return count;
    keys[0] = name;
    return 1;
}

static varve_status dcp_in_read_value(
    struct reading *r, uint32_t name, uint32_t value, uint32_t *item)
{
    const struct vv_pickle *p = &r->pickle;
    if (vv_dcp_is_a(p, value, "TensorStorageMetadata"))
        return vv_dcp_read_tensor(&r->values, name, value, item);
    if (!vv_dcp_is_a(p, value, "BytesStorageMetadata"))
        return vv_dcp_fail(&r->metadata, VARVE_CORRUPT, name,
            "it is neither a tensor nor an object");
    const struct vv_dcp_part *part =
        vv_dcp_part_of(&r->metadata, name, VV_DCP_OBJECT, NULL);
    if (!part)
        return vv_dcp_fail(
            &r->metadata, VARVE_TRUNCATED, name, "the object is in no file");
    return vv_dcp_read_object(&r->values, part, item);
}

static varve_status dcp_in_add_value(
    struct reading *r, uint32_t name, uint32_t value)
{
    uint32_t keys[MOST_LEVELS], item = 0;
    bool is_free;
    if (vv_pickle_item(&r->pickle, name)->kind != VV_PICKLE_TEXT)
        return vv_fail(r->error, VARVE_CORRUPT,
            "%s: a key of state_dict_metadata is not a string", r->path);
    VV_TRY(dcp_in_read_value(r, name, value, &item));
    size_t count = keys_of(r, name, keys);
    if (!vv_dcp_tree_add(&r->tree, keys, count, item, &is_free))
        return vv_fail_memory(r->error, "values");
    return is_free ? VARVE_OK
                   : vv_dcp_fail(&r->metadata, VARVE_CORRUPT, name,
                         "its keys conflict with those of another value");
}

static varve_status dcp_in_add_values(struct reading *r)
{
    const struct vv_pickle *p = &r->pickle;
    for (uint32_t at = vv_pickle_item(p, r->metadata.values)->first; at;) {
        struct vv_pickle_link name = vv_pickle_link(p, at);
        struct vv_pickle_link value = vv_pickle_link(p, name.next);
        VV_TRY(dcp_in_add_value(r, name.item, value.item));
        at = value.next;
    }
    return VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

static varve_status dcp_in_read_all(struct reading *r, struct vv_draft *draft)
{
    uint32_t root = 0;
    VV_TRY(read_metadata(r));
    VV_TRY(dcp_in_add_files(r));
    r->values = (struct vv_dcp_reading){ .foreign = r->foreign,
        .metadata = &r->metadata,
        .merge = &r->merge,
        .error = r->error,
        .left = r->bytes.size };
    if (!vv_dcp_tree_begin(&r->tree, &r->merge))
        return vv_fail_memory(r->error, "values");
    VV_TRY(dcp_in_add_values(r));
    VV_TRY(vv_dcp_tree_end(&r->tree, &root));
    VV_TRY(vv_torch_merge_end(&r->merge, root));
    return vv_torch_read_graph(
        draft, r->merge.file, &r->merge.pickle, r->error);
}

static varve_status open_metadata(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    const varve_allocator *a = &foreign->context->allocator;
    struct vv_torch_file *file = vv_torch_file_new(foreign);
    struct reading r = {
        .foreign = foreign, .path = foreign->files[0].path, .error = error
    };
    if (!file)
        return vv_fail_memory(error, "a checkpoint");
    foreign->decode = vv_torch_decode;
    foreign->decode_part = vv_torch_decode_part;
    /* The format extras are those that a torch.save file would have. */
    draft->kept.format = VARVE_FORMAT_TORCH;
    vv_buffer_init(&r.bytes, a);
    vv_torch_merge_begin(&r.merge, file, foreign, error);
    varve_status status = dcp_in_read_all(&r, draft);
    vv_dcp_tree_clear(&r.tree);
    vv_torch_merge_clear(&r.merge);
    vv_dcp_metadata_clear(&r.metadata);
    vv_pickle_clear(&r.pickle);
    vv_buffer_clear(&r.bytes);
    return status;
}

const struct vv_foreign_format vv_dcp_format = {
    .format = VARVE_FORMAT_DCP, .probe = dcp_in_probe, .open = open_metadata
};
