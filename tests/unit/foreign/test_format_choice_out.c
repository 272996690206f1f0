/* test_format_choice_out.c - Tests the choice of the writer for a format.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "formats.h"
#include "support/memory_system.h"
#include "support/test_context.h"

TEST(checkpoint_out, refuses_formats_that_are_only_read)
{
    varve_error error = { 0 };
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_target target = { .context = &context, .path = "out" };
    cr_assert_eq(vv_target_write(&target, VARVE_FORMAT_ONNX, &error),
        VARVE_MISUSE);
    cr_assert_str_eq(error.message,
        "out: the format onnx cannot be written");
    cr_assert_eq(vv_target_write(&target, VARVE_FORMAT_VARVE, &error),
        VARVE_MISUSE);
    cr_assert_eq(vv_target_write(&target, (varve_format)99, &error),
        VARVE_MISUSE);
    cr_assert(strstr(error.message, "the format unknown"));
    memory_free(memory);
}
