/* page_world.h - what the tests of pages share: a graph with slots, sharing and
 * a cycle, and pieces of the page that is made of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_PAGE_WORLD_H
#define UNIT_PAGE_WORLD_H

#include "worlds.h"

#include <varve/page.h>

#include "reader.h"

#define PAGE_NAME "page.html"

static float page_values[16] = { 1, 2, 3 };

/* model (a list that is shared, a cycle), a variable with a slot, a tag, a
 * global name. */
static inline void write_graph(void)
{
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_node *kernel =
        varve_add_variable(model, "kernel", varve_array(page_values, 2, 3));
    varve_node *adam = varve_add_object(root, "adam");
    varve_add_slot(adam, kernel, "m", varve_array(page_values, 2, 3));
    varve_track(root, "same", model);
    varve_track(model, "up", root);
    varve_tag(kernel, "big");
    varve_set_global_name(kernel, "global/kernel");
    good(root);
    write_root(root);
    free_root(root);
}

static inline varve_reader *open_graph(void)
{
    varve_error error = { 0 };
    varve_reader *reader =
        vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert(reader, "%s", error.message);
    return reader;
}

/* A page as a string, to be freed. */
static inline char *page_text(void)
{
    size_t size = 0;
    const void *bytes = memory_bytes(world.memory, PAGE_NAME, &size);
    cr_assert(bytes, "there is no page");
    char *text = malloc(size + 1);
    cr_assert(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    cr_assert_eq(strlen(text), size);
    return text;
}

static inline void page_has(const char *words)
{
    char *page = page_text();
    const char *data = strstr(page, "{\"schema\"");
    cr_assert(data && strstr(data, words), "no %s in\n%s", words, data);
    free(page);
}

static inline void page_lacks(const char *words)
{
    char *page = page_text();
    const char *data = strstr(page, "{\"schema\"");
    cr_assert(data && !strstr(data, words), "%s in\n%s", words, data);
    free(page);
}

/* Of an error that is expected. */
static inline void check_error(
    const varve_error *error, varve_status status, const char *words)
{
    cr_assert_eq(error->status, status, "%s: %s",
        varve_status_name(error->status), error->message);
    cr_assert(strstr(error->message, words), "%s", error->message);
}

#endif
