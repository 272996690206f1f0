/* test_manager_open.c - Tests opening a manager.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "manage_world.h"

TEST(manager_open, refuses_invalid_arguments)
{
    varve_error error;
    struct world w;
    world_begin(&w, NULL);
    cr_assert_null(varve_manager_new(NULL, "run", NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_manager_new(w.root, NULL, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    varve_manager_options options = { .prefix = "a/b" };
    cr_assert_null(varve_manager_new(w.root, "run", &options, &error));
    cr_assert_eq(error.status, VARVE_BAD_NAME);
    options = (varve_manager_options){ .metric = "" };
    cr_assert_null(varve_manager_new(w.root, "run", &options, &error));
    cr_assert_eq(error.status, VARVE_BAD_NAME);
    world_end(&w);
}

/* `run/ckpt` is a prefix for varve_save and the command. */
TEST(manager_open, requires_a_directory_and_not_a_prefix)
{
    struct world w;
    varve_error error = { 0 };
    world_begin(&w, NULL);
    world_save(&w, 1);
    cr_assert_null(varve_manager_new(w.root, "run/ckpt", NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert(strstr(error.message, "run/ckpt: this is the prefix of "
        "checkpoints ckpt-N.varve"), "%s", error.message);
    varve_manager *other =
        varve_manager_new(w.root, "run/other", NULL, &error);
    cr_assert(other, "%s", error.message);
    varve_manager_free(other);
    world_end(&w);
}
