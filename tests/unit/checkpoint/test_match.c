/* test_match.c - Tests matching along edges of equal names, aliases, renames
 * and slots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "match.h"

#include "worlds.h"

static float values[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static float mine[8];

static varve_node *saved_leaf(varve_node *parent, const char *name, int i)
{
    return varve_add_variable(parent, name, varve_scalar(&values[i]));
}

static varve_node *leaf(varve_node *parent, const char *name, int i)
{
    mine[i] = 0;
    return varve_add_variable(parent, name, varve_scalar(&mine[i]));
}

static void finish(varve_node *root)
{
    write_root(root);
    free_root(root);
}

TEST(match, follows_edges_of_the_same_name)
{
    begin_world();
    varve_node *root = new_root();
    varve_node *list = varve_add_list(root, "list");
    for (int i = 0; i < 3; i++)
        saved_leaf(list, VARVE_APPEND, i);
    varve_node *a = varve_add_object(root, "a");
    saved_leaf(a, "x", 3);
    varve_track(a, "up", root);
    varve_track(root, "shared", a);
    finish(root);
    root = new_root();
    a = varve_add_object(root, "shared");
    leaf(a, "x", 3);
    list = varve_add_list(varve_track(a, "up", root), "list");
    for (int i = 0; i < 4; i++)
        leaf(list, VARVE_APPEND, i + (i == 3));
    varve_restoration *r = read_root(root, NULL);
    cr_assert(mine[0] == 1 && mine[1] == 2 && mine[2] == 3 && mine[4] == 0);
    cr_assert_eq(mine[3], 4);
    cr_assert_eq(vv_match_child(&r->matching, list, "2"),
        vv_file_node_of(&r->pairing.matches, varve_list_at(list, 2)));
    cr_assert_eq(vv_match_child(&r->matching, list, "3"), VV_NONE);
    cr_assert_eq(vv_match_child(&r->matching, root, "a"),
        vv_file_node_of(&r->pairing.matches, a));
    cr_assert_eq(vv_match_child(&r->matching, root, "none"), VV_NONE);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* The next edge of the file usually matches. Here it does not: the program
 * has other edges, fewer of them, in another order, and alternates between
 * parents. */
TEST(match, finds_names_in_any_order)
{
    enum { COUNT = 40 };
    static float saved[2][COUNT], read[2][COUNT];
    begin_world();
    varve_node *root = new_root();
    for (int k = 0; k < 2 * COUNT; k++) {
        varve_node *at = k % 2 ? root : varve_find(root, "list");
        char name[16];
        snprintf(name, sizeof name, "x%d", k / 2);
        if (!at)
            at = varve_add_list(root, "list");
        saved[k % 2][k / 2] = (float)k;
        varve_add_variable(at, k % 2 ? name : VARVE_APPEND,
            varve_scalar(&saved[k % 2][k / 2]));
    }
    finish(root);
    for (int step = 1; step < COUNT; step += 6) {
        root = new_root();
        varve_node *list = varve_add_list(root, "list");
        varve_restoration *r = step % 4 == 1 ? read_root(root, NULL) : NULL;
        memset(read, 0, sizeof read);
        for (int i = 0; i < COUNT; i += step) {
            int at = step % 4 == 1 ? i : COUNT - 1 - i;
            char name[16];
            snprintf(name, sizeof name, "x%d", at);
            varve_add_variable(root, name, varve_scalar(&read[1][at]));
            snprintf(name, sizeof name, "y%d", at);
            varve_add_object(root, name);
            varve_add_variable(
                list, VARVE_APPEND, varve_scalar(&read[0][i / step]));
        }
        if (!r)
            r = read_root(root, NULL);
        for (int i = 0; i < COUNT; i += step) {
            int at = step % 4 == 1 ? i : COUNT - 1 - i;
            cr_assert_eq(read[1][at], saved[1][at]);
            cr_assert_eq(read[0][i / step], saved[0][i / step]);
        }
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

TEST(match, uses_aliases_if_the_name_is_missing)
{
    begin_world();
    varve_node *root = new_root();
    saved_leaf(root, "second", 0);
    saved_leaf(root, "third", 1);
    saved_leaf(root, "b", 2);
    finish(root);
    root = new_root();
    const char *aliases[] = { "first", "second", "third" };
    varve_node *a = leaf(root, "a", 0);
    varve_node *b = leaf(root, "b", 1);
    for (int i = 0; i < 3; i++)
        varve_alias(a, aliases[i]);
    varve_alias(b, "third");
    varve_restoration *r = read_root(root, NULL);
    cr_assert_eq(mine[0], 1);
    cr_assert_eq(mine[1], 3);
    varve_node *late = leaf(root, "late", 2);
    cr_assert_eq(mine[2], 0);
    varve_alias(late, "third");
    cr_assert_eq(mine[2], 2);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(match, follows_renames_of_subtrees)
{
    varve_rename renames[] = { { "net", "model" },
        { "net/moved", "elsewhere/x" } };
    begin_world();
    varve_node *root = new_root();
    saved_leaf(varve_add_object(root, "model"), "x", 0);
    saved_leaf(varve_add_object(root, "elsewhere"), "x", 1);
    finish(root);
    root = new_root();
    varve_node *net = varve_add_object(root, "net");
    leaf(net, "x", 0);
    leaf(net, "moved", 1);
    varve_restoration *r = read_root(root,
        &(varve_read_options){ .rename = { .list = renames, .count = 2 } });
    cr_assert_eq(mine[0], 1);
    cr_assert_eq(mine[1], 2);
    cr_assert(r->pairing.selection.renames[0].was_used);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(match, finds_slots_in_any_creation_order)
{
    begin_world();
    varve_node *root = new_root();
    varve_node *owner = varve_add_object(root, "owner");
    varve_node *x = saved_leaf(root, "x", 0);
    varve_add_slot(owner, x, "m", varve_scalar(&values[1]));
    finish(root);
    for (int order = 0; order < 3; order++) {
        root = new_root();
        varve_restoration *r = read_root(root, NULL);
        owner = varve_add_detached(varve_node_graph(root));
        x = leaf(varve_add_detached(varve_node_graph(root)), "x", 0);
        mine[1] = 0;
        if (order == 0)
            varve_add_slot(owner, x, "m", varve_scalar(&mine[1]));
        varve_track(root, order == 1 ? "x" : "owner", order == 1 ? x : owner);
        if (order == 1)
            varve_add_slot(owner, x, "m", varve_scalar(&mine[1]));
        varve_track(root, order == 1 ? "owner" : "x", order == 1 ? owner : x);
        if (order == 2)
            varve_add_slot(owner, x, "m", varve_scalar(&mine[1]));
        cr_assert_eq(mine[0], 1, "%d", order);
        cr_assert_eq(mine[1], 2, "%d", order);
        cr_assert_eq(vv_match_slot_of(&r->matching, owner, x, "m"),
            vv_file_node_of(
                &r->pairing.matches, varve_find_slot(owner, x, "m")));
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

static int made;

static void demand(void *user, varve_node *node, const varve_offer *offer)
{
    cr_assert_eq(user, &made);
    made++;
    if (offer->value) {
        cr_assert_eq(offer->kind, VARVE_VARIABLE);
        varve_add_allocated_variable(node, offer->name, offer->value->dtype,
            varve_shape_of(offer->value->rank, offer->value->shape), NULL,
            NULL);
        return;
    }
    varve_node *child = offer->kind == VARVE_LIST
                            ? varve_add_list(node, offer->name)
                            : varve_add_object(node, offer->name);
    varve_set_on_demand(child, demand, user);
}

TEST(match, creates_children_on_demand_at_every_depth)
{
    enum { DEPTH = 2000 };
    begin_world();
    varve_node *root = new_root();
    varve_node *node = root;
    for (int i = 0; i < DEPTH; i++)
        node = varve_add_object(node, "n");
    varve_node *list = varve_add_list(node, "list");
    for (int i = 0; i < 8; i++)
        saved_leaf(list, VARVE_APPEND, i);
    varve_track(list, VARVE_APPEND, root);
    finish(root);
    root = new_root();
    varve_set_on_demand(root, demand, &made);
    varve_restoration *r = read_root(root, NULL);
    good(root);
    /* The edge back to the root is created as a separate object, which has no
     * match. */
    cr_assert_eq(made, DEPTH + 1 + 8);
    node = root;
    for (int i = 0; i < DEPTH; i++)
        node = varve_find(node, "n");
    list = varve_find(node, "list");
    for (size_t i = 0; i < 8; i++)
        cr_assert_eq(*(float *)varve_data(varve_list_at(list, i)), values[i]);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(match, restarts_after_a_failed_allocation)
{
    begin_world();
    varve_node *root = new_root();
    for (int i = 0; i < 8; i++)
        saved_leaf(
            varve_add_object(root, (char[]){ (char)('a' + i), 0 }), "x", i);
    finish(root);
    bool done = false;
    for (long n = 0; !done; n++) {
        varve_error error = { 0 };
        root = new_root();
        varve_restoration *r = read_root(root, NULL);
        varve_node *apart = varve_add_detached(varve_node_graph(root));
        for (int i = 0; i < 8; i++)
            leaf(varve_add_object(apart, (char[]){ (char)('a' + i), 0 }), "x",
                i);
        good(root);
        test_fail_allocation(n, false);
        for (int i = 0; i < 8; i++) {
            char name[] = { (char)('a' + i), 0 };
            varve_track(root, name, varve_find(apart, name));
        }
        done = varve_graph_check(varve_node_graph(root), NULL) == VARVE_OK;
        test_fail_allocation(-1, false);
        bool is_built = !varve_node_graph(root)->mistake.status;
        if (is_built)
            cr_assert_ok(varve_restoration_retry(r, &error), error);
        for (int i = 0; i < 8 && is_built; i++)
            cr_assert_eq(mine[i], values[i], "%ld: %d", n, i);
        if (is_built)
            good(root);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

struct removal {
    int asked;
    varve_node *removed;
};

static void remove_one(void *user, varve_node *node, const varve_offer *offer)
{
    struct removal *removal = user;
    (void)node;
    (void)offer;
    removal->asked++;
    if (removal->removed)
        varve_remove(removal->removed);
    removal->removed = NULL;
}

/* The node whose callback runs, or the one that follows. */
TEST(match, continues_if_a_callback_tries_to_remove_a_node)
{
    float one[1] = { 1 };
    begin_world();
    varve_node *root = new_root();
    for (int i = 0; i < 2; i++) {
        varve_node *bag = varve_add_object(root, i ? "b" : "a");
        varve_add_variable(bag, "x", varve_array(COPY_OF(one), 1));
        varve_add_variable(bag, "y", varve_array(COPY_OF(one), 1));
    }
    write_root(root);
    free_root(root);
    for (int which = 0; which < 2; which++) {
        struct removal removal = { 0 };
        root = new_root();
        varve_node *bags[2];
        for (int i = 0; i < 2; i++) {
            bags[i] = varve_add_object(root, i ? "b" : "a");
            varve_set_on_demand(bags[i], remove_one, &removal);
        }
        removal.removed = bags[which];
        varve_restoration *r = read_root(root, NULL);
        cr_assert_eq(removal.asked, 4);
        cr_assert_eq(varve_pending_count(r), 4);
        varve_error error;
        cr_assert_eq(
            varve_graph_check(varve_node_graph(root), &error), VARVE_MISUSE);
        cr_assert_str_eq(error.message,
            which ? "b: a callback of the library may not remove or retype a "
                    "node"
                  : "a: a callback of the library may not remove or retype a "
                    "node");
        cr_assert_eq(varve_find(root, which ? "b" : "a"), bags[which]);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

static void make_value(void *user, varve_node *node, const varve_offer *offer)
{
    (void)user;
    varve_add_allocated_variable(node, offer->name, offer->value->dtype,
        varve_shape_of(offer->value->rank, offer->value->shape), NULL, NULL);
}

TEST(match, repeats_offers_after_any_failed_allocation)
{
    float one[1] = { 1 };
    bool was_tried = true;
    begin_world();
    varve_node *root = new_root();
    varve_node *bag = varve_add_object(root, "bag");
    varve_add_variable(bag, "a rather long name", varve_array(one, 1));
    varve_add_variable(bag, "y", varve_array(COPY_OF(one), 1));
    write_root(root);
    free_root(root);
    for (long n = 0; was_tried; n++) {
        varve_error error = { 0 };
        root = new_root();
        varve_restoration *r = read_root(root, NULL);
        bag = varve_add_detached(varve_node_graph(root));
        varve_set_on_demand(bag, make_value, NULL);
        test_fail_allocation(n, false);
        varve_track(root, "bag", bag);
        was_tried = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        varve_status status = varve_restoration_retry(r, &error);
        varve_node *y = varve_find_path(root, "bag/y");
        if (varve_graph_check(varve_node_graph(root), NULL) == VARVE_OK) {
            cr_assert_ok(status, error);
            cr_assert_eq(varve_edge_count(bag), 2);
            cr_assert_eq(*(float *)varve_data(y), 1);
        }
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}
