/* test_module.c - Tests loading modules.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "module.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

TEST(module, that_is_missing_is_reported)
{
    struct vv_buffer reason;
    vv_buffer_init(&reason, test_allocator());
    unsetenv("VARVE_MODULES");
    cr_assert_null(vv_module_find("varve-none.so", "x", "/nowhere", &reason));
    cr_assert(strstr(vv_buffer_string(&reason), "varve-none.so"));
    vv_buffer_clear(&reason);
}

#ifdef VV_HAVE_HDF5

TEST(module, is_searched_in_the_directory_of_the_environment)
{
    struct vv_buffer reason;
    vv_buffer_init(&reason, test_allocator());
    setenv("VARVE_MODULES", "/elsewhere", 1);
    cr_assert_null(vv_module_find("libc.so.6", "x", "/lib", &reason));
    cr_assert(strstr(vv_buffer_string(&reason), "/elsewhere/libc.so.6"));
    vv_buffer_clear(&reason);
}

TEST(module, missing_is_reported_without_memory)
{
    setenv("VARVE_MODULES", "/elsewhere", 1);
    for (long n = 0; n < 2; n++) {
        struct vv_buffer reason;
        vv_buffer_init(&reason, test_allocator());
        test_fail_allocation(n, true);
        cr_assert_null(vv_module_find("x.so", "x", "/nowhere", &reason));
        test_fail_allocation(-1, false);
        cr_assert(reason.failed || n > 0);
        vv_buffer_clear(&reason);
    }
}

#endif
