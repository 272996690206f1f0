/* test_run_identity.c - Tests identities of runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "run_identity.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/test_context.h"

#define A_MILLISECOND INT64_C(1000000)

TEST(run_identity, sorts_by_time_and_is_unique)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    char older[VV_RUN_SIZE], newer[VV_RUN_SIZE], again[VV_RUN_SIZE];
    varve_error error;
    memory_set_now(memory, 1764345600000 * A_MILLISECOND);
    cr_assert_ok(vv_run_identity_make(&context, older, &error), error);
    memory_set_now(memory, 1764345600001 * A_MILLISECOND);
    cr_assert_ok(vv_run_identity_make(&context, newer, &error), error);
    cr_assert_ok(vv_run_identity_make(&context, again, &error), error);
    cr_assert_eq(strlen(older), 26);
    cr_assert_lt(strcmp(older, newer), 0);
    cr_assert_neq(strcmp(newer, again), 0);
    cr_assert_eq(vv_run_identity_time(older), 1764345600000);
    cr_assert_eq(vv_run_identity_time(newer), 1764345600001);
    cr_assert_eq(vv_run_identity_time("slurm-17"), 0);
    cr_assert_ok(vv_run_identity_check(older, &error), error);
    memory_free(memory);
}

TEST(run_identity, is_unique_without_random_bytes)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    char run[VV_RUN_SIZE], first[VV_RUN_SIZE];
    varve_error error;
    cr_assert_ok(vv_run_identity_make(&context, run, &error), error);
    memcpy(first, run, sizeof first);
    faulty_plan(faulty, &(struct faulty_plan){
        .kinds = FAULTY_RANDOM, .error = EIO, .sticky = true });
    vv_run_identity_renew(&context, run, 7);
    cr_assert_neq(strcmp(run, first), 0);
    cr_assert_eq(strlen(run), 26);
    cr_assert_eq(vv_run_identity_make(&context, run, &error), VARVE_IO);
    faulty_free(faulty);
    memory_free(memory);
}

TEST(run_identity, given_by_the_program_is_checked)
{
    static const char *const bad[] = { "", "-", "a b", "a\n", "\xc3\xa4",
        "0123456789012345678901234567890123456789012345678901234567890123" };
    varve_error error;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_eq(vv_run_identity_check(bad[i], &error), VARVE_BAD_NAME,
            "\"%s\"", bad[i]);
    cr_assert_ok(vv_run_identity_check("slurm-17/3", &error), error);
}
