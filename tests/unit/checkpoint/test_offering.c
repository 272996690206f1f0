/* test_offering.c - Tests offering the children of a file node to the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "offering.h"

static float values[3] = { 1, 2, 3 };
static float mine[3];

/* Writes a, b and c, and "b" once more as "again". */
static void write_file(void)
{
    varve_node *root = new_root();
    for (int i = 0; i < 3; i++)
        varve_add_variable(root, (const char *[]){ "a", "b", "c" }[i],
            varve_scalar(&values[i]));
    varve_track(root, "again", varve_find(root, "b"));
    write_root(root);
    free_root(root);
}

struct offers {
    char names[8];
    bool removes; /* removes the callback in its first call */
};

static void make(void *user, varve_node *node, const varve_offer *offer)
{
    struct offers *offers = user;
    strcat(offers->names, offer->name);
    cr_assert(offer->kind == VARVE_VARIABLE && offer->value);
    varve_add_variable(
        node, offer->name, varve_scalar(&mine[*offer->name - 'a']));
    if (offers->removes)
        varve_set_on_demand(node, NULL, NULL);
}

/* Existing nodes are shared, not offered. */
TEST(offering, offers_each_missing_child)
{
    struct offers offers = { .removes = false };
    begin_world();
    write_file();
    varve_node *root = new_root();
    memset(mine, 0, sizeof mine);
    varve_add_variable(root, "b", varve_scalar(&mine[1]));
    varve_set_on_demand(root, make, &offers);
    varve_restoration *r = read_root(root, NULL);
    cr_assert_str_eq(offers.names, "ac");
    cr_assert_eq(varve_find(root, "again"), varve_find(root, "b"));
    for (int i = 0; i < 3; i++)
        cr_assert_eq(mine[i], values[i]);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(offering, ends_when_the_node_needs_no_more)
{
    struct offers offers = { .removes = true };
    begin_world();
    write_file();
    varve_node *root = new_root();
    varve_set_on_demand(root, make, &offers);
    varve_restoration *r = read_root(root, NULL);
    cr_assert_str_eq(offers.names, "a");
    cr_assert_eq(varve_pending_count(r), 2);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
