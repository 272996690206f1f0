/* test_report_html.c - lib/checkpoint/restoration/report_html.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_world.h"

#include <errno.h>

#include "support/faulty_system.h"

static float mine[8];

static varve_node *build(void)
{
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(model, "kernel", varve_array(mine, 2, 3));
    varve_add_variable(model, "other", varve_array(mine, 1));
    return root;
}

TEST(report_html, shows_the_restoration_as_it_is_now)
{
    varve_error error = { 0 };
    begin_world();
    write_graph();
    varve_node *root = build();
    varve_restoration *r = read_root(root, NULL);
    cr_assert_ok(varve_report_html(r, PAGE_NAME, NULL, &error), error);
    page_has("\"notes\":[[3,1,0,0,0],[4,2,\"");
    page_has("[\"model/other\",\"float32[1]\",4,");
    varve_node *kernel = varve_find_path(root, "model/kernel");
    varve_node *adam = varve_add_object(root, "adam");
    varve_add_slot(adam, kernel, "m", varve_array(mine, 2, 3));
    cr_assert_ok(varve_report_html(r, PAGE_NAME, NULL, &error), error);
    page_has("\"notes\":[[3,1,0,0,0],[4,1,0,0,0]]");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* And when the program is gone. */
TEST(report_html, outlives_the_graph)
{
    varve_error error = { 0 };
    begin_world();
    write_graph();
    varve_node *root = build();
    varve_restoration *r = read_root(root, NULL);
    free_root(root);
    cr_assert_ok(varve_report_html(r, PAGE_NAME, NULL, &error), error);
    page_has("the node that it went to is gone");
    varve_restoration_free(r);
    end_world();
}

TEST(report_html, refuses_what_is_not_there)
{
    varve_error error = { 0 };
    begin_world();
    write_graph();
    varve_node *root = build();
    varve_restoration *r = read_root(root, NULL);
    cr_assert_eq(
        varve_report_html(NULL, PAGE_NAME, NULL, &error), VARVE_MISUSE);
    check_error(&error, VARVE_MISUSE, "expected a restoration, found NULL");
    cr_assert_eq(varve_report_html(r, NULL, NULL, &error), VARVE_MISUSE);
    check_error(&error, VARVE_MISUSE, "expected a path, found NULL");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(report_html, changes_nothing_without_memory)
{
    varve_error error = { 0 };
    varve_status status = VARVE_NO_MEMORY;
    long n = 0;
    begin_world();
    write_graph();
    varve_node *root = build();
    varve_restoration *r = read_root(root, NULL);
    for (; status; n++) {
        test_fail_allocation(n, false);
        status = varve_report_html(r, PAGE_NAME, NULL, &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY, "%ld: %s", n, error.message);
        cr_assert_eq(error.status, VARVE_NO_MEMORY);
        cr_assert_eq(memory_file_count(world.memory), 1);
    }
    cr_assert_gt(n, 10);
    page_has("\"notes\":[[3,1,0,0,0],[4,2,\"");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(report_html, leaves_nothing_where_the_system_fails)
{
    varve_error error = { 0 };
    begin_world();
    write_graph();
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    world.context = test_context(faulty_system(faulty));
    varve_node *root = build();
    varve_restoration *r = read_root(root, NULL);
    faulty_plan(faulty, &(struct faulty_plan){ .kinds = FAULTY_WRITE,
                            .error = ENOSPC });
    cr_assert_eq(
        varve_report_html(r, PAGE_NAME, NULL, &error), VARVE_NO_SPACE);
    cr_assert_eq(memory_file_count(world.memory), 1);
    faulty_plan(faulty, NULL);
    cr_assert_ok(varve_report_html(r, PAGE_NAME, NULL, &error), error);
    varve_restoration_free(r);
    free_root(root);
    faulty_free(faulty);
    end_world();
}
