/* managed.c - Contains helpers for the stories about managers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "managed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const varve_write_options fast = { .no_sync = true };

void start_in(struct program *p, const char *directory,
    varve_manager_options options)
{
    varve_error error = { 0 };
    p->v = 0;
    p->graph = story_graph();
    p->root = varve_graph_root(p->graph);
    story_add(p->root, "v", &p->v);
    p->manager =
        varve_manager_new(p->root, test_path(directory), &options, &error);
    cr_assert(p->manager, "%s", error.message);
}

void start(struct program *p, varve_manager_options options)
{
    start_in(p, "run", options);
}

void stop(struct program *p)
{
    varve_manager_free(p->manager);
    varve_graph_free(p->graph);
}

bool save_with(struct program *p, int64_t step,
    const varve_manager_save_options *options)
{
    varve_error error = { 0 };
    p->v = (float)step;
    cr_assert_ok(
        varve_manager_save_with(p->manager, step, options, &error), error);
    cr_assert_null(varve_manager_warning(p->manager), "%s",
        varve_manager_warning(p->manager));
    return varve_manager_saved(p->manager) != NULL;
}

bool save(struct program *p, int64_t step)
{
    return save_with(p, step, NULL);
}

void resume(struct program *p)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_manager_resume(p->manager, &error), error);
}

/* Returns the existing numbers, oldest first: "1 3 4". */
static const char *numbers(const struct program *p)
{
    static char text[512];
    varve_checkpoint_info at;
    text[0] = '\0';
    for (size_t i = 0; varve_manager_at(p->manager, i, &at); i++) {
        size_t size = strlen(text);
        snprintf(text + size, sizeof text - size, "%s%llu", size ? " " : "",
            (unsigned long long)at.number);
    }
    return text;
}

void must_have(struct program *p, const char *wanted)
{
    varve_error error = { 0 };
    cr_assert_str_eq(numbers(p), wanted);
    cr_assert_ok(varve_manager_refresh(p->manager, &error), error);
    cr_assert_str_eq(numbers(p), wanted, "other checkpoints exist");
}

varve_checkpoint_info find(const struct program *p, uint64_t number)
{
    varve_checkpoint_info at;
    for (size_t i = 0; varve_manager_at(p->manager, i, &at); i++)
        if (at.number == number)
            return at;
    cr_assert(false, "number %d does not exist", (int)number);
    return at;
}

void damage(const char *name)
{
    size_t size;
    unsigned char *bytes = test_read_file(test_path(name), &size);
    bytes[64] ^= 1;
    test_write_file(test_path(name), bytes, size);
    free(bytes);
}
