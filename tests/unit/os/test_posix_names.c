/* test_posix_names.c - Tests listing a directory of the real system.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system.h"

enum { NAMES = 1500, MOST = 1600 };

struct seen {
    bool has[MOST];
    size_t count, stop_at;
};

static int see(void *user, const char *name, const struct vv_file_info *info)
{
    struct seen *seen = user;
    unsigned number = MOST;
    cr_assert_null(info);
    cr_assert_eq(sscanf(name, "a-rather-long-name-%u", &number), 1, "%s", name);
    cr_assert(number < MOST && !seen->has[number]);
    seen->has[number] = true;
    return ++seen->count == seen->stop_at;
}

TEST(posix_names, are_each_listed_once)
{
    const struct vv_system *s = &vv_posix_system;
    char name[64];
    cr_assert_eq(mkdir(test_path("names"), 0777), 0);
    int directory =
        s->open_directory(s->state, VV_WORKING_DIRECTORY, test_path("names"));
    cr_assert_geq(directory, 0);
    struct seen none = { .count = 0 };
    cr_assert_eq(s->each_name(s->state, directory, see, &none), 0);
    cr_assert_eq(none.count, 0);
    for (unsigned i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "a-rather-long-name-%u", i);
        s->close(s->state, s->create_file(s->state, directory, name));
    }
    for (int round = 0; round < 2; round++) {
        struct seen all = { .count = 0 };
        cr_assert_eq(s->each_name(s->state, directory, see, &all), 0);
        cr_assert_eq(all.count, NAMES);
    }
    struct seen some = { .stop_at = 700 };
    cr_assert_eq(s->each_name(s->state, directory, see, &some), 0);
    cr_assert_eq(some.count, 700);
    s->close(s->state, directory);
    cr_assert_lt(s->each_name(s->state, directory, see, &some), 0);
}
