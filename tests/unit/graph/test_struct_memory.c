/* test_struct_memory.c - Tests text that the program allocates.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <stdlib.h>

#include "state.h"
#include "struct_memory.h"

struct named {
    int64_t before;
    char *name;
};

static bool has_memory = true;

static void *resize(void *text, size_t size)
{
    if (size)
        return has_memory ? realloc(text, size) : NULL;
    free(text);
    return NULL;
}

static const varve_field field = {
    .kind = VARVE_FIELD_IS_TEXT,
    .name = "name",
    .offset = offsetof(struct named, name),
    .size = sizeof(char *),
    .element_size = 1,
    .struct_size = sizeof(struct named),
    .is_pointer = true,
    .resize = resize,
};

static varve_status load(varve_node *node, const char *bytes, size_t size)
{
    varve_error error = { 0 };
    return vv_state_load(node, "name", bytes, size, &error);
}

TEST(owned_text, is_resized_when_it_is_loaded)
{
    struct named named = { .before = 7 };
    varve_graph *graph = new_graph();
    varve_node *node = vv_owned_text_new(graph, &field, &named);
    cr_assert_eq(vv_owned_text_of(node)->size, 0);
    cr_assert_eq(load(node, "a name", 6), VARVE_OK);
    cr_assert_str_eq(named.name, "a name");
    cr_assert_eq(vv_owned_text_of(node)->size, 7);
    has_memory = false;
    cr_assert_eq(load(node, "another", 7), VARVE_NO_MEMORY);
    has_memory = true;
    cr_assert_str_eq(named.name, "a name");
    cr_assert_eq(load(node, "", 0), VARVE_OK);
    cr_assert_str_eq(named.name, "");
    cr_assert_eq(load(node, "\0", 1), VARVE_OK);
    cr_assert_null(named.name);
    cr_assert_eq(load(node, "a\0", 2), VARVE_CALLBACK);
    cr_assert_null(named.name);
    cr_assert_eq(named.before, 7);
    varve_remove(node);
    free_good(graph);
}

TEST(owned_text, is_read_at_the_address_of_its_object)
{
    char first[] = "one", second[] = "second";
    struct named named = { .name = first }, other = { .name = second };
    varve_graph *graph = new_graph();
    varve_node *node = vv_owned_text_new(graph, &field, &named);
    const struct vv_owned_text *text = vv_owned_text_of(node);
    graph->has_new_views = false;
    cr_assert(vv_owned_text_look(node, &field, &named));
    cr_assert(!graph->has_new_views);
    first[1] = '\0';
    cr_assert(vv_owned_text_look(node, &field, &named));
    cr_assert(graph->has_new_views);
    cr_assert_eq(text->size, 2);
    cr_assert(!vv_owned_text_look(node, &field, &other));
    vv_owned_text_rebind(node, &field, &other);
    cr_assert(vv_owned_text_look(node, &field, &other));
    cr_assert_eq(text->text, second);
    varve_remove(node);
    free_good(graph);
}

TEST(owned_text, reports_failed_allocations)
{
    char text[] = "one";
    struct named named = { .name = text };
    for (long n = 0; n < 2; n++) {
        varve_graph *graph = new_graph();
        test_fail_allocation(n, false);
        varve_node *node = vv_owned_text_new(graph, &field, &named);
        bool hit = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        cr_assert_eq(vv_is_nil(node), hit);
        if (!hit)
            varve_remove(node);
        if (hit)
            free_bad(graph, VARVE_NO_MEMORY);
        else
            free_good(graph);
    }
}
