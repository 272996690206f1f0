/* test_path_text.c - Tests the parsing of names that end in a number.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "path_text.h"

TEST(numbered_name, consists_of_a_stem_a_number_and_an_ending)
{
    static const struct {
        const char *name, *ending;
        char separator;
        size_t stem_size;
        uint64_t number;
        bool is_padded;
    } names[] = {
        { "ckpt-12.varve", ".varve", '-', 4, 12, false },
        { "ckpt-0.varve", ".varve", '-', 4, 0, false },
        { "a-1-5.varve", ".varve", '-', 3, 5, false },
        { "ckpt-00000012.varve", ".varve", '-', 4, 12, true },
        { "ckpt-00000000.varve", ".varve", '-', 4, 0, true },
        { "ckpt-12345678.varve", ".varve", '-', 4, 12345678, false },
        { "-7.index", ".index", '-', 0, 7, false },
        { "checkpoint_18446744073709551615", "", '_', 10, UINT64_MAX, false },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct vv_numbered_name n;
        cr_assert(vv_numbered_name_parse(names[i].name, names[i].separator,
                      names[i].ending, &n),
            "%s", names[i].name);
        cr_assert_eq(n.stem_size, names[i].stem_size, "%s", names[i].name);
        cr_assert_eq(n.number, names[i].number, "%s", names[i].name);
        cr_assert_eq(n.is_padded, names[i].is_padded, "%s", names[i].name);
    }
}

TEST(numbered_name, rejects_other_names)
{
    static const char *const names[] = { "", ".varve", "ckpt.varve",
        "ckpt-.varve", "12.varve", "ckpt-012.varve", "ckpt-000000012.varve",
        "ckpt-1x.varve", "ckpt-12.index", "ckpt_12.varve", "ckpt-12",
        "ckpt-18446744073709551616.varve", "ckpt-3.0123456789abcdef.varve" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct vv_numbered_name n;
        cr_assert_not(vv_numbered_name_parse(names[i], '-', ".varve", &n),
            "%s", names[i]);
    }
}
