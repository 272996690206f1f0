/* test_lease.c - Tests leases: a deletion finds a file locked as long as it is
 * read, also if it is replaced or deleted between opening and locking.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "lease.h"
#include "leases.h"

static varve_lease *take(struct sea *sea, const char *path)
{
    varve_error error = { .message = "" };
    varve_lease *lease = vv_lease_new_in(&sea->context, path, &error);
    cr_assert(lease, "%s", error.message);
    cr_assert_str_empty(error.message, "an error beside a success");
    return lease;
}

static varve_status refused(struct sea *sea, const char *path)
{
    varve_error error = { .message = "" };
    cr_assert_null(vv_lease_new_in(&sea->context, path, &error));
    cr_assert(strncmp(error.message, path, strlen(path)) == 0, "%s",
        error.message);
    cr_assert_null(strchr(error.message, '\n'));
    return error.status;
}

TEST(lease, protects_a_file_from_deletion_until_its_end)
{
    struct sea sea = sea_new();
    const struct vv_system *system = memory_system(sea.memory);
    put(&sea, "run/c-1.varve");
    cr_assert_not(is_leased(system, "run/c-1.varve"));
    varve_lease *one = take(&sea, "run/c-1.varve");
    varve_lease *two = take(&sea, "run/c-1.varve");
    cr_assert(is_leased(system, "run/c-1.varve"));
    varve_lease_free(one);
    cr_assert(is_leased(system, "run/c-1.varve"), "the other one has it too");
    varve_lease_free(two);
    cr_assert_not(is_leased(system, "run/c-1.varve"));
    sea_free(&sea);
}

TEST(lease, finds_the_same_checkpoint_as_a_restore)
{
    struct sea sea = sea_new();
    put(&sea, "run/c-2.varve");
    put(&sea, "run/c-10.varve");
    varve_lease *lease = take(&sea, "run/c");
    cr_assert_str_eq(varve_lease_path(lease), "run/c-10.varve");
    varve_lease_free(lease);
    lease = take(&sea, "run/c-2");
    cr_assert_str_eq(varve_lease_path(lease), "run/c-2.varve");
    varve_lease_free(lease);
    cr_assert_eq(refused(&sea, "run/c-3"), VARVE_NOT_FOUND);
    cr_assert_eq(refused(&sea, "run/c-3.varve"), VARVE_NOT_FOUND);
    cr_assert_eq(elapsed_ms(&sea), 0, "it waited for nothing");
    sea_free(&sea);
}

TEST(lease, is_refused_without_a_path)
{
    struct sea sea = sea_new();
    varve_error error;
    cr_assert_null(vv_lease_new_in(&sea.context, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    varve_lease_free(NULL);
    cr_assert_null(varve_lease_path(NULL));
    sea_free(&sea);
}

TEST(lease, fails_after_waiting_ten_seconds_for_a_lock)
{
    struct sea sea = sea_new();
    put(&sea, "c-1.varve");
    int file = lock_alone(&sea, "c-1.varve");
    cr_assert_eq(refused(&sea, "c-1.varve"), VARVE_TIMEOUT);
    cr_assert_geq(elapsed_ms(&sea), 10000);
    cr_assert_lt(elapsed_ms(&sea), 10200);
    end_lock(&sea, file);
    sea_free(&sea);
}

/* --- While it is taken -------------------------------------------------- */

/* The action of another process at a selected lock call. */
struct stranger {
    struct sea *sea;
    int file; /* closed unless it is -1 */
    const char *deletes;
    const char *puts;
};

static void come(void *user)
{
    struct stranger *stranger = user;
    if (stranger->file >= 0)
        end_lock(stranger->sea, stranger->file);
    if (stranger->deletes)
        delete(stranger->sea, stranger->deletes);
    if (stranger->puts)
        put(stranger->sea, stranger->puts);
}

static void let_come(struct stranger *stranger, long number)
{
    faulty_plan(stranger->sea->faulty, &(struct faulty_plan){
        .number = number, .kinds = FAULTY_SHARE_LOCK, .way = FAULTY_STOPS,
        .stop = come, .user = stranger });
}

TEST(lease, waits_until_a_lock_is_released)
{
    struct sea sea = sea_new();
    put(&sea, "c-1.varve");
    struct stranger writer = { &sea, lock_alone(&sea, "c-1.varve"), NULL,
        NULL };
    let_come(&writer, 5);
    varve_lease *lease = take(&sea, "c-1.varve");
    cr_assert_eq(elapsed_ms(&sea), 1 + 2 + 4 + 8 + 16);
    varve_lease_free(lease);
    sea_free(&sea);
}

TEST(lease, of_a_file_deleted_meanwhile_is_refused)
{
    struct sea sea = sea_new();
    put(&sea, "c-1.varve");
    struct stranger retention = { &sea, -1, "c-1.varve", NULL };
    let_come(&retention, 0);
    cr_assert_eq(refused(&sea, "c-1.varve"), VARVE_NOT_FOUND);
    sea_free(&sea);
}

TEST(lease, of_a_prefix_uses_the_next_if_the_newest_is_deleted)
{
    struct sea sea = sea_new();
    put(&sea, "c-1.varve");
    put(&sea, "c-2.varve");
    struct stranger retention = { &sea, -1, "c-2.varve", NULL };
    let_come(&retention, 0);
    varve_lease *lease = take(&sea, "c");
    cr_assert_str_eq(varve_lease_path(lease), "c-1.varve");
    varve_lease_free(lease);
    sea_free(&sea);
}

TEST(lease, applies_to_the_current_file_of_the_name)
{
    struct sea sea = sea_new();
    put(&sea, "c-1.varve");
    struct stranger writer = { &sea, -1, "c-1.varve", "c-1.varve" };
    let_come(&writer, 0);
    varve_lease *lease = take(&sea, "c-1.varve");
    cr_assert(is_leased(memory_system(sea.memory), "c-1.varve"));
    varve_lease_free(lease);
    sea_free(&sea);
}

TEST(lease, of_a_file_that_is_always_replaced_times_out)
{
    struct sea sea = sea_new();
    put(&sea, "c-1.varve");
    struct stranger writer = { &sea, -1, "c-1.varve", "c-1.varve" };
    faulty_plan(sea.faulty, &(struct faulty_plan){ .sticky = true,
        .kinds = FAULTY_SHARE_LOCK, .way = FAULTY_STOPS, .stop = come,
        .user = &writer });
    cr_assert_eq(refused(&sea, "c-1.varve"), VARVE_TIMEOUT);
    sea_free(&sea);
}

TEST(lease, keeps_the_file_open_if_there_are_no_locks)
{
    static const int numbers[] = { ENOLCK, EOPNOTSUPP, EBADF, EINVAL, ENOSYS };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sea sea = sea_new();
        put(&sea, "c-1.varve");
        faulty_plan(sea.faulty, &(struct faulty_plan){ .sticky = true,
            .kinds = FAULTY_SHARE_LOCK, .error = numbers[i] });
        varve_lease *lease = take(&sea, "c-1.varve");
        cr_assert_eq(memory_open_count(sea.memory), 3);
        varve_lease_free(lease);
        sea_free(&sea);
    }
}

/* --- Failures ----------------------------------------------------------- */

TEST(lease, fails_without_memory)
{
    struct sea sea = sea_new();
    put(&sea, "run/c-1.varve");
    varve_lease *lease = NULL;
    long n = 0;
    for (; !lease; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        lease = vv_lease_new_in(&sea.context, "run/c", &error);
        test_fail_allocation(-1, false);
        cr_assert(lease || error.status == VARVE_NO_MEMORY, "%s",
            error.message);
        cr_assert(lease || memory_open_count(sea.memory) == 0);
        cr_assert(lease || test_block_count() == 0);
    }
    cr_assert_geq(n, 3);
    varve_lease_free(lease);
    sea_free(&sea);
}

/* Failing lock or close calls do not prevent a lease. */
TEST(lease, fails_and_leaks_nothing_if_system_calls_fail)
{
    struct sea sea = sea_new();
    put(&sea, "run/c-1.varve");
    long refusals = 0;
    for (long n = 0;; n++) {
        varve_error error = { 0 };
        faulty_plan(sea.faulty,
            &(struct faulty_plan){ .number = n, .error = EIO });
        varve_lease *lease = vv_lease_new_in(&sea.context, "run/c", &error);
        bool was_hit = faulty_hit(sea.faulty);
        size_t at = faulty_log_hit(sea.faulty);
        const struct faulty_call none = { .kind = 0 };
        const struct faulty_call *call =
            was_hit ? faulty_log_at(sea.faulty, at) : &none;
        bool passes = (call->kind & (FAULTY_SHARE_LOCK | FAULTY_CLOSE |
                           FAULTY_CLOSE_DIRECTORY)) != 0 ||
            strstr(call->name, ".ledger"); /* a hint */
        cr_assert_eq(lease != NULL, !was_hit || passes, "call %ld", n);
        cr_assert(lease || error.status == VARVE_IO, "%s", error.message);
        cr_assert(lease || error.system_error == EIO);
        refusals += !lease;
        varve_lease_free(lease);
        cr_assert_eq(memory_open_count(sea.memory), 0);
        if (!was_hit)
            break;
    }
    cr_assert_geq(refusals, 6);
    sea_free(&sea);
}
