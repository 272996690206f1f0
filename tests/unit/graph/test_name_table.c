/* test_name_table.c - Tests the interning and ranking of names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "name_table.h"

static const struct vv_name *intern(
    struct vv_name_table *names, const char *text)
{
    return vv_names_intern(names, text, strlen(text));
}

TEST(name_table, keeps_each_name_once)
{
    struct vv_name_table names;
    vv_names_init(&names, test_allocator());
    cr_assert_null(vv_names_find(&names, "a", 1));
    const struct vv_name *a = intern(&names, "a");
    const struct vv_name *ab = vv_names_intern(&names, "abc", 2);
    cr_assert_eq(intern(&names, "a"), a);
    cr_assert_eq(vv_names_find(&names, "ab", 2), ab);
    cr_assert_eq(vv_names_find(&names, "abc", 3), NULL);
    cr_assert_str_eq(ab->bytes, "ab");
    cr_assert_eq(ab->size, 2);
    cr_assert_eq(a->number, 0);
    cr_assert_eq(ab->number, 1);
    vv_names_clear(&names);
}

TEST(name_table, ranks_by_bytes_with_a_prefix_first)
{
    static const char *const sorted[] = { "\x01", "0", "1", "10", "2", "A",
        "a", "aa", "abcdefgh", "abcdefgh\x01", "abcdefgha", "abcdefghab",
        "abcdefghabcdefgh", "abcdefghabcdefgh1",
        "abcdefghabcdefgh2", "abcdefghabcdefgi", "abcdefghb", "abcdefgi",
        "b", "\xc3\xa4", "\xf0\x9f\x98\x80" };
    enum { COUNT = sizeof sorted / sizeof *sorted };
    struct vv_name_table names;
    for (size_t step = 1; step < COUNT; step++) {
        vv_names_init(&names, test_allocator());
        for (size_t i = 0; i < COUNT; i++)
            intern(&names, sorted[i * step % COUNT]);
        for (size_t i = 0; i < COUNT; i++)
            intern(&names, sorted[i]);
        cr_assert(vv_names_rank(&names));
        for (size_t i = 0; i < COUNT; i++) {
            cr_assert_eq(intern(&names, sorted[i])->rank, i, "%s", sorted[i]);
            cr_assert_str_eq(names.ranked[i]->bytes, sorted[i]);
        }
        vv_names_clear(&names);
    }
}

/* Names that agree in no byte, in the first, in the first eight, in sixteen; of
 * many sizes, with and without memory for sorting. */
TEST(name_table, ranks_many)
{
    static const char *const begins[] = { "", "w", "weight_1",
        "0123456789abcde", "0123456789abcdef", "0123456789abcdefg/" };
    enum { COUNT = 3000 };
    for (int without = 0; without < 2; without++) {
        struct vv_name_table names;
        char text[64];
        vv_names_init(&names, test_allocator());
        for (unsigned i = 0; i < COUNT; i++) {
            unsigned number = i * 7919 % COUNT;
            snprintf(text, sizeof text, "%s%c%x", begins[number % 6],
                (char)('a' + number % 26), number);
            intern(&names, text);
        }
        cr_assert_eq(names.set.count, COUNT);
        if (without)
            test_fail_allocation(2, false);
        cr_assert(vv_names_rank(&names));
        test_fail_allocation(-1, false);
        for (size_t i = 0; i < COUNT; i++) {
            cr_assert_eq(names.ranked[i]->rank, i);
            cr_assert(i == 0 || strcmp(names.ranked[i - 1]->bytes,
                                    names.ranked[i]->bytes) < 0);
        }
        vv_names_clear(&names);
    }
}

TEST(name_table, ranks_again_only_after_a_new_name)
{
    struct vv_name_table names;
    vv_names_init(&names, test_allocator());
    cr_assert(vv_names_rank(&names));
    intern(&names, "b");
    cr_assert(vv_names_rank(&names));
    intern(&names, "b");
    test_fail_allocation(0, true);
    cr_assert(vv_names_rank(&names));
    cr_assert_eq(test_allocation_count(), 0);
    test_fail_allocation(-1, false);
    const struct vv_name *a = intern(&names, "a");
    cr_assert(vv_names_rank(&names));
    cr_assert_eq(a->rank, 0);
    cr_assert_eq(intern(&names, "b")->rank, 1);
    vv_names_clear(&names);
}

TEST(name_table, handles_every_failed_allocation)
{
    bool failed = true;
    for (long n = 0; failed; n++) {
        struct vv_name_table names;
        vv_names_init(&names, test_allocator());
        test_fail_allocation(n, false);
        failed = false;
        for (int i = 0; i < 40; i++) {
            char text[16];
            snprintf(text, sizeof text, "%d", i);
            failed |= !intern(&names, text);
        }
        failed |= !vv_names_rank(&names);
        test_fail_allocation(-1, false);
        cr_assert(vv_names_rank(&names));
        for (size_t i = 1; i < names.set.count; i++)
            cr_assert_lt(strcmp(names.ranked[i - 1]->bytes,
                             names.ranked[i]->bytes), 0);
        vv_names_clear(&names);
    }
}

/* Names of all sizes: in pools, and with their own blocks. */
TEST(name_table, removes_unused_names)
{
    struct vv_name_table names;
    vv_names_init(&names, test_allocator());
    enum { COUNT = 300 };
    const struct vv_name *all[COUNT];
    char text[COUNT + 16];
    for (int every = 1; every <= 3; every++) {
        for (int i = 0; i < COUNT; i++) {
            snprintf(text, sizeof text, "%0*d", i + 1, i);
            all[i] = intern(&names, text);
        }
        cr_assert(vv_names_rank(&names));
        vv_names_sweep_begin(&names);
        for (int i = 0; i < COUNT; i += every)
            vv_name_keep(all[i]);
        vv_names_sweep_end(&names, 0);
        size_t kept = (COUNT + (size_t)every - 1) / (size_t)every;
        bool taken[COUNT] = { false };
        cr_assert_eq(names.set.count, kept);
        for (int i = 0; i < COUNT; i++) {
            snprintf(text, sizeof text, "%0*d", i + 1, i);
            const struct vv_name *found =
                vv_names_find(&names, text, strlen(text));
            cr_assert_eq(found, i % every ? NULL : all[i]);
            if (!found)
                continue;
            cr_assert(found->number < kept && !taken[found->number]);
            taken[found->number] = true;
        }
        cr_assert(vv_names_rank(&names));
        cr_assert_eq(intern(&names, "0")->rank, 0);
    }
    cr_assert(!vv_names_are_enough(&names));
    vv_names_clear(&names);
}
