/* test_name_set.c - Tests sets of names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "name_set.h"

#include "support/test.h"

TEST(name_set, compares_names_by_their_bytes)
{
    struct vv_taken taken;
    bool is_new;
    vv_taken_init(&taken, test_allocator());
    cr_assert(vv_taken_add(&taken, "ab", 2, &is_new) && is_new);
    cr_assert(vv_taken_add(&taken, "ab", 1, &is_new) && is_new);
    cr_assert(vv_taken_add(&taken, "a\0c", 3, &is_new) && is_new);
    cr_assert(vv_taken_add(&taken, "a\0d", 3, &is_new) && is_new);
    cr_assert(vv_taken_add(&taken, "ab", 2, &is_new) && !is_new);
    cr_assert(vv_taken_add(&taken, "", 0, &is_new) && is_new);
    cr_assert(vv_taken_add(&taken, "", 0, &is_new) && !is_new);
    vv_taken_clear(&taken);
}

TEST(name_set, copies_names)
{
    struct vv_taken taken;
    char name[2] = "a";
    bool is_new;
    vv_taken_init(&taken, test_allocator());
    cr_assert(vv_taken_add(&taken, name, 1, &is_new));
    name[0] = 'b';
    cr_assert(vv_taken_add(&taken, name, 1, &is_new) && is_new);
    cr_assert(vv_taken_add(&taken, "a", 1, &is_new) && !is_new);
    vv_taken_clear(&taken);
}

TEST(name_set, fails_without_memory)
{
    bool is_taken = false;
    for (long n = 0; !is_taken; n++) {
        struct vv_taken taken;
        bool is_new;
        long before = test_block_count();
        vv_taken_init(&taken, test_allocator());
        test_fail_allocation(n, false);
        is_taken = vv_taken_add(&taken, "a", 1, &is_new);
        test_fail_allocation(-1, false);
        vv_taken_clear(&taken);
        cr_assert_eq(test_block_count(), before);
        cr_assert(n < 10);
    }
}
