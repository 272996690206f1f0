/* test_path_end.c - Tests that the end of a path equals the end of the whole
 * path written by name.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "path_end.h"

enum { NAMES = 300 };

static const char *const names[] = { "a", "weight", "a/b%", "*", "é", "ab(c)",
    "\x01", "layer-12", "€€€" };

static const char *name_at(size_t i)
{
    return names[i * 7 % (sizeof names / sizeof *names)];
}

/* Compares the path of the first `count` names. */
static void compare(size_t count, size_t longest)
{
    struct vv_buffer wanted, found;
    struct vv_path_end end;
    size_t size = count > 0 ? count - 1 : 0;
    vv_buffer_init(&wanted, test_allocator());
    vv_buffer_init(&found, test_allocator());
    for (size_t i = 0; i < count; i++) {
        const char *name = name_at(i);
        if (i > 0)
            vv_buffer_add8(&wanted, '/');
        vv_path_add_name(&wanted, name, strlen(name));
        size += vv_path_name_size(name, strlen(name));
    }
    cr_assert_eq(wanted.size, size);
    vv_path_shorten(&wanted, longest);
    vv_buffer_add_string(&found, "other");
    cr_assert(vv_path_end_begin(&end, &found, size, longest));
    for (size_t i = count; i > 0 && !vv_path_end_is_full(&end); i--) {
        const char *name = name_at(i - 1);
        vv_path_end_add_name(&end, name, strlen(name));
        if (i > 1)
            vv_path_end_add(&end, '/');
    }
    cr_assert(vv_path_end_is_full(&end));
    vv_path_end_finish(&end, &found);
    cr_assert_str_eq(vv_buffer_string(&found), vv_buffer_string(&wanted));
    vv_buffer_clear(&wanted);
    vv_buffer_clear(&found);
}

TEST(path_end, equals_the_end_of_the_whole_path)
{
    for (size_t count = 0; count < NAMES; count++) {
        compare(count, 255);
        compare(count, 20);
        compare(count, VV_LONGEST_PATH);
    }
    compare(1200, VV_LONGEST_PATH);
    compare(1200, VV_LONGEST_SEARCHED_PATH);
}

TEST(path_end, fails_without_memory)
{
    struct vv_buffer path;
    struct vv_path_end end;
    vv_buffer_init(&path, test_allocator());
    test_fail_allocation(0, true);
    cr_assert_not(vv_path_end_begin(&end, &path, 100, 255));
    test_fail_allocation(-1, false);
    cr_assert(path.failed);
    vv_buffer_clear(&path);
    cr_assert_eq(vv_path_size_kept(7), 7);
    cr_assert_eq(vv_path_size_kept(70000), VV_PATH_SIZE_MANY);
}
