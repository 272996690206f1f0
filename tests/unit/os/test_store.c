/* test_store.c - Tests the selection of stores.
 *
 * tests/remote tests reading from stores.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"

TEST(store, is_the_local_system_until_enabled)
{
    varve_error error;
    cr_assert_eq(vv_default_system(), &vv_posix_system);
    cr_assert_ok(vv_store_refuse("s3://bucket/a", &error), error);
}

TEST(store, options_of_a_later_version_are_refused)
{
    varve_error error;
    varve_remote_options options = { .attempts = 1 };
    memset(&options.reserved, 1, sizeof options.reserved);
    cr_assert_eq(varve_remote_enable(&options, &error), VARVE_TOO_NEW);
    cr_assert_eq(vv_default_system(), &vv_posix_system);
}

TEST(store, requires_its_module)
{
    varve_error error;
    setenv("VARVE_MODULES", "/nowhere", 1);
#ifdef VV_HAVE_REMOTE
    cr_assert_eq(varve_remote_enable(NULL, &error), VARVE_NOT_FOUND);
    cr_assert(strstr(error.message, "the module varve-remote cannot"));
#else
    cr_assert_eq(varve_remote_enable(NULL, &error), VARVE_TOO_NEW);
#endif
    cr_assert_eq(vv_default_system(), &vv_posix_system);
}

#ifdef VV_HAVE_REMOTE

TEST(store, is_distinguished_from_local_paths_once_enabled)
{
    static const char *const web[] = { "https://h/a", "http://h/a" };
    static const char *const none[] = { "s3://", "s3:///a", "s3://b",
        "s3://b/" };
    varve_error error;
    setenv("VARVE_MODULES", REMOTE_MODULES, 1);
    cr_assert_ok(varve_remote_enable(NULL, &error), error);
    cr_assert_neq(vv_default_system(), &vv_posix_system);
    for (size_t i = 0; i < sizeof web / sizeof *web; i++) {
        cr_assert_eq(vv_store_refuse(web[i], &error), VARVE_MISUSE);
        cr_assert(strstr(error.message, "the store is read only"));
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        cr_assert_eq(vv_store_refuse(none[i], &error), VARVE_MISUSE);
        cr_assert(strstr(error.message, "expected s3://BUCKET/KEY"));
    }
    cr_assert_ok(vv_store_refuse("s3://b/a", &error), error);
    cr_assert_eq(
        vv_store_refuse_any("s3://b/a", "has no locks", &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "the store has no locks"));
    cr_assert(vv_is_of_store("s3://b/a"));
    cr_assert_not(vv_is_of_store("/a"));
    cr_assert_ok(vv_store_refuse_any("/a", "has no locks", &error), error);
    cr_assert_ok(vv_store_refuse("/a", &error), error);
    cr_assert_ok(vv_store_refuse("s3:/a", &error), error);
}

TEST(store, is_not_used_for_urls_in_a_file)
{
    varve_error error;
    static const char record[] = "model_checkpoint_path: \"http://h/a\"\n";
    setenv("VARVE_MODULES", REMOTE_MODULES, 1);
    cr_assert_ok(varve_remote_enable(NULL, &error), error);
    cr_assert_eq(
        vv_store_refuse_named("a.onnx", "http://h/a", &error), VARVE_CORRUPT);
    cr_assert_ok(
        vv_store_refuse_named("http://h/a", "http://h/b", &error), error);
    cr_assert_eq(chdir(test_path("")), 0);
    test_write_file("checkpoint", record, sizeof record - 1);
    cr_assert_null(varve_reader_open("checkpoint", NULL, &error));
    cr_assert_eq(error.status, VARVE_CORRUPT);
    cr_assert(strstr(error.message, "refers to a file of a store"));
}

TEST(store, leaves_local_paths_to_the_local_system)
{
    varve_error error;
    setenv("VARVE_MODULES", REMOTE_MODULES, 1);
    cr_assert_ok(varve_remote_enable(NULL, &error), error);
    varve_graph *graph = varve_graph_new(test_allocator());
    int32_t value = 7;
    varve_add_variable(varve_graph_root(graph), "x", varve_scalar(&value));
    cr_assert_ok(varve_write(varve_graph_root(graph), test_path("a.varve"),
                     NULL, &error),
        error);
    value = 0;
    varve_restoration_free(varve_read(
        varve_graph_root(graph), test_path("a.varve"), NULL, &error));
    cr_assert_eq(value, 7);
    varve_graph_free(graph);
}

#endif
