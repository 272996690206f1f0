/* test_dcp_tree.c - Tests the tree of nested dicts and lists.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "dcp_tree.h"
#include "torch_sample.h"

/* A tree for the items of one pickle. */
struct made {
    struct world w;
    struct vv_buffer bytes;
    struct vv_pickle p;
    struct vv_foreign *foreign;
    struct vv_torch_merge merge;
    struct vv_dcp_tree tree;
    varve_error error;
    uint32_t root, items[8];
};

/* The pickle is a list of up to 8 items. */
static struct made *begin(const char *bytes, size_t size)
{
    struct made *m = calloc(1, sizeof *m);
    m->w = world_new();
    m->bytes = new_bytes();
    vv_buffer_add(&m->bytes, bytes, size);
    m->p = read_pickle(&m->bytes);
    m->foreign = world_foreign(&m->w, "a", &m->bytes);
    struct vv_torch_file *file = vv_torch_file_new(m->foreign);
    vv_torch_merge_begin(&m->merge, file, m->foreign, &m->error);
    cr_assert_ok(vv_torch_merge_add(&m->merge, NULL, &m->p, &m->root),
        m->error);
    for (unsigned i = 0; i < 8; i++)
        m->items[i] = vv_pickle_nth(&m->merge.pickle, m->root, i);
    cr_assert(vv_dcp_tree_begin(&m->tree, &m->merge));
    return m;
}

#define LIST(literal) begin("](" literal "e.", sizeof("](" literal "e.") - 1)

static void end(struct made *m)
{
    vv_dcp_tree_clear(&m->tree);
    vv_torch_merge_clear(&m->merge);
    vv_foreign_free(m->foreign);
    vv_pickle_clear(&m->p);
    vv_buffer_clear(&m->bytes);
    world_free(&m->w);
    free(m);
}

static bool add(struct made *m, const char *keys, unsigned item)
{
    uint32_t path[8];
    bool is_free;
    size_t count = strlen(keys);
    for (size_t i = 0; i < count; i++)
        path[i] = m->items[keys[i] - '0'];
    cr_assert(
        vv_dcp_tree_add(&m->tree, path, count, m->items[item], &is_free));
    return is_free;
}

static const struct vv_pickle_item *item_at(struct made *m, uint32_t number)
{
    return vv_pickle_item(&m->merge.pickle, number);
}

TEST(dcp_tree, has_dicts_and_lists_by_their_keys)
{
    struct made *m = LIST("U\1aU\1bK\0K\1G\0\0\0\0\0\0\0\0");
    uint32_t root;
    cr_assert(add(m, "02", 4)); /* a: [0.0, {b: 0.0}] */
    cr_assert(add(m, "031", 4));
    cr_assert(add(m, "1", 4));
    cr_assert_ok(vv_dcp_tree_end(&m->tree, &root), m->error);
    cr_assert_eq(item_at(m, root)->kind, VV_PICKLE_DICT);
    uint32_t list = vv_pickle_look_up(&m->merge.pickle, root, "a");
    cr_assert_eq(item_at(m, list)->kind, VV_PICKLE_LIST);
    uint32_t dict = vv_pickle_nth(&m->merge.pickle, list, 1);
    cr_assert_eq(vv_pickle_look_up(&m->merge.pickle, dict, "b"), m->items[4]);
    cr_assert_eq(vv_pickle_nth(&m->merge.pickle, list, 0), m->items[4]);
    end(m);
}

TEST(dcp_tree, takes_integers_for_keys_where_they_are_no_positions)
{
    struct made *m = LIST("U\1aU\1bK\0K\1G\0\0\0\0\0\0\0\0");
    uint32_t root;
    cr_assert(add(m, "03", 4));
    cr_assert(add(m, "02", 4));
    cr_assert_ok(vv_dcp_tree_end(&m->tree, &root), m->error);
    uint32_t dict = vv_pickle_look_up(&m->merge.pickle, root, "a");
    cr_assert_eq(item_at(m, dict)->kind, VV_PICKLE_DICT);
    end(m);
}

TEST(dcp_tree, has_a_place_for_each)
{
    struct made *m = LIST("U\1aU\1bK\0K\1U\1a");
    cr_assert(add(m, "01", 2));
    cr_assert_not(add(m, "01", 2));
    /* texts are equal as keys if their bytes are */
    cr_assert_not(add(m, "41", 2));
    cr_assert_not(add(m, "0", 2));
    cr_assert_not(add(m, "011", 2));
    cr_assert(add(m, "00", 2));
    end(m);
}

TEST(dcp_tree, of_nothing_is_a_dict)
{
    struct made *m = LIST("K\0");
    uint32_t root;
    cr_assert_ok(vv_dcp_tree_end(&m->tree, &root), m->error);
    cr_assert_eq(item_at(m, root)->kind, VV_PICKLE_DICT);
    end(m);
}
