/* test_hdf5_graph_names.c - Tests escaping names for HDF5.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_graph.h"

#include <string.h>

#include "support/test.h"

static const struct { const char *ours, *theirs; } names[] = {
    { "a", "a" }, { "a/b", "a%2Fb" }, { "/", "%2F" }, { ".", "%2E" },
    { "..", ".." }, { "a.b", "a.b" }, { "@slots", "%40slots" },
    { "@state", "%40state" }, { "@slots2", "@slots2" }, { "@", "@" },
    { "%2F", "%252F" }, { "a%2Fb/c", "a%252Fb%2Fc" }, { "%252F", "%25252F" },
    { "%2E", "%252E" }, { "a%2E", "a%2E" }, { "%2Ex", "%2Ex" },
    { "%40slots", "%2540slots" }, { "%40", "%40" }, { "100%", "100%" },
    { "%25", "%25" }, { "%25%2F", "%25%252F" }, { "%2", "%2" }, { "", "" },
};

TEST(hdf5_name, is_escaped_if_necessary_and_unescaped)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct vv_buffer text;
        vv_buffer_init(&text, test_allocator());
        vv_hdf5_escape(&text, names[i].ours, strlen(names[i].ours));
        cr_assert_str_eq(vv_buffer_string(&text), names[i].theirs);
        cr_assert_str_eq(
            vv_hdf5_unescape(&text, names[i].theirs), names[i].ours);
        vv_buffer_clear(&text);
    }
}

TEST(hdf5_name, fails_without_memory)
{
    struct vv_buffer text;
    vv_buffer_init(&text, test_allocator());
    test_fail_allocation(0, false);
    cr_assert_null(vv_hdf5_unescape(&text, "a%2Fb"));
    cr_assert_str_eq(vv_hdf5_unescape(&text, "plain"), "plain");
    vv_buffer_clear(&text);
}

/* All names of a few letters must have different names in the file. */
TEST(hdf5_name, is_recovered_by_unescaping)
{
    static const char letters[] = "%25F/.";
    for (int i = 0; i < 6 * 6 * 6 * 6 * 6 * 6; i++) {
        struct vv_buffer text, back;
        char name[7] = "";
        for (int k = 0, rest = i; k < 6; k++, rest /= 6)
            name[k] = letters[rest % 6];
        vv_buffer_init(&text, test_allocator());
        vv_buffer_init(&back, test_allocator());
        vv_hdf5_escape(&text, name, 6);
        cr_assert_null(memchr(text.data, '/', text.size));
        cr_assert_str_eq(
            vv_hdf5_unescape(&back, vv_buffer_string(&text)), name);
        vv_buffer_clear(&text);
        vv_buffer_clear(&back);
    }
}
