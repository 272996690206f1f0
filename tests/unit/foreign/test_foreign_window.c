/* test_foreign_window.c - Tests the window through which files are read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "foreign.h"

#include "readers.h"

TEST(window, returns_the_bytes_at_any_offset)
{
    struct world w = world_new();
    struct vv_buffer b = new_bytes();
    varve_error error = { 0 };
    for (uint32_t i = 0; i < 5000; i++)
        vv_buffer_add32(&b, i);
    struct vv_foreign *f = world_foreign(&w, "f", &b);
    struct vv_window window = { .foreign = f, .error = &error };
    static const uint64_t places[] = { 0, 4080, 4081, 4096, 19990, 20000, 3,
        8000, 7984, 0 };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const unsigned char *bytes;
        size_t size, left = b.size - (size_t)places[i];
        cr_assert_ok(vv_window_look(&window, places[i], &bytes, &size), error);
        cr_assert(size >= (left < VV_WINDOW_SIGHT ? left : VV_WINDOW_SIGHT));
        cr_assert(size <= left);
        cr_assert(size == 0 ||
            memcmp(bytes, b.data + places[i], size) == 0, "%zu", i);
    }
    vv_foreign_free(f);
    vv_buffer_clear(&b);
    world_free(&w);
}

TEST(window, returns_errors_of_the_file)
{
    struct world w = world_new();
    struct vv_buffer b = new_bytes();
    varve_error error = { 0 };
    const unsigned char *bytes;
    size_t size;
    vv_buffer_add32(&b, 7);
    struct vv_foreign *f = world_foreign(&w, "f", &b);
    struct vv_window window = { .foreign = f, .error = &error };
    /* simulates a file that was truncated after opening */
    f->files[0].size = 100;
    cr_assert_eq(vv_window_look(&window, 0, &bytes, &size), VARVE_TRUNCATED);
    vv_foreign_free(f);
    vv_buffer_clear(&b);
    world_free(&w);
}
