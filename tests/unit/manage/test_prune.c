/* test_prune.c - Tests deletion of checkpoints that no policy keeps.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "directory.h"
#include "file.h"
#include "graph.h"
#include "prune.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "system.h"
#include "temporary.h"
#include "listing_refresh.h"

static struct memory *memory;
static struct faulty *faulty;
static struct vv_context context;
static struct vv_listing listing;
static struct vv_decision decision;

static void put(int number, bool is_ours)
{
    char path[64];
    varve_error error;
    float v = 1;
    const varve_metadata owner = { .name = VV_MANAGER_KEY,
        .kind = VARVE_METADATA_STRING, .string = "ckpt" };
    varve_write_options options = {
        .metadata = &owner, .metadata_count = is_ours
    };
    snprintf(path, sizeof path, "run/ckpt-%d.varve", number);
    varve_graph *graph = vv_graph_new_in(&context);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "v", varve_scalar(&v));
    cr_assert_ok(varve_write(root, path, &options, &error), error);
    varve_graph_free(graph);
}

static void decide(size_t keep_last)
{
    varve_error error;
    struct vv_policy policy = { .keep_last = keep_last };
    cr_assert_ok(vv_listing_refresh(&listing, &error), error);
    cr_assert_ok(vv_decide_listing(
                     &decision, &policy, &listing, NULL, &error), error);
}

/* Creates files 1 to 4; 2 is not a checkpoint of Varve. */
static void begin(void)
{
    varve_error error;
    memory = memory_new();
    faulty = faulty_new(memory_system(memory));
    context = test_context(faulty_system(faulty));
    decision = (struct vv_decision){ .allocator = &context.allocator };
    cr_assert_ok(vv_listing_begin(
                     &listing, &context, "run", "ckpt", "loss", &error),
        error);
    for (int i = 1; i <= 4; i++)
        put(i, i != 2);
    decide(1);
}

static void end(void)
{
    vv_decision_clear(&decision);
    vv_listing_clear(&listing);
    cr_assert_eq(memory_open_count(memory), 0);
    faulty_free(faulty);
    memory_free(memory);
}

static bool has(const char *path)
{
    return memory_bytes(memory, path, &(size_t){ 0 }) != NULL;
}

TEST(prune, deletes_own_checkpoints_without_a_reason_to_keep)
{
    varve_error error;
    begin();
    cr_assert_ok(vv_prune(&listing, &decision, &error), error);
    cr_assert_eq(memory_file_count(memory), 2);
    cr_assert(has("run/ckpt-2.varve") && has("run/ckpt-4.varve"));
    cr_assert_eq(listing.count, 2);
    cr_assert_eq(decision.count, 2);
    cr_assert_eq(decision.facts[0].reasons, VV_KEPT_FOREIGN);
    end();
}

/* Also with a manager without redundancy, such as that of the command. */
TEST(prune, deletes_parity_with_its_checkpoint)
{
    varve_error error;
    begin();
    memory_put(memory, "run/ckpt-1.parity", "x", 1);
    memory_put(memory, "run/ckpt-4.parity", "x", 1);
    memory_put(memory, "run/other-1.parity", "x", 1);
    decide(1);
    cr_assert_ok(vv_prune(&listing, &decision, &error), error);
    cr_assert(!has("run/ckpt-1.varve") && !has("run/ckpt-1.parity"));
    cr_assert(has("run/ckpt-4.varve") && has("run/ckpt-4.parity"));
    cr_assert(has("run/other-1.parity"));
    end();
}

TEST(prune, keeps_leased_checkpoints)
{
    varve_error error;
    begin();
    const struct vv_system *system = context.system;
    int file = system->open_file(
        system->state, VV_WORKING_DIRECTORY, "run/ckpt-1.varve");
    cr_assert_eq(system->share_lock(system->state, file), 0);
    cr_assert_ok(vv_prune(&listing, &decision, &error), error);
    cr_assert(has("run/ckpt-1.varve") && !has("run/ckpt-3.varve"));
    cr_assert_eq(decision.facts[0].reasons, VV_KEPT_LEASED);
    system->close(system->state, file);
    decide(1);
    cr_assert_ok(vv_prune(&listing, &decision, &error), error);
    cr_assert_not(has("run/ckpt-1.varve"));
    end();
}

TEST(prune, keeps_checkpoints_pinned_meanwhile)
{
    varve_error error;
    begin();
    memory_put(memory, "run/ckpt-1.pin", "", 0); /* after the decision */
    cr_assert_ok(vv_prune(&listing, &decision, &error), error);
    cr_assert(has("run/ckpt-1.varve") && !has("run/ckpt-3.varve"));
    cr_assert_eq(decision.facts[0].reasons, VV_KEPT_PINNED);
    end();
}

/* Without locks a pin may be added between the check for it and the rename. */
static const struct vv_system *unlocked_under;

static int lock_absent(void *state, int file)
{
    (void)state;
    (void)file;
    return -ENOTSUP;
}

static int rename_beside_a_pin(
    void *state, int directory, const char *from, const char *to)
{
    if (strcmp(from, "ckpt-1.varve") == 0)
        memory_put(memory, "run/ckpt-1.pin", "", 0);
    return unlocked_under->rename(state, directory, from, to);
}

TEST(prune, renames_back_a_checkpoint_pinned_during_deletion)
{
    varve_error error;
    begin();
    unlocked_under = context.system;
    struct vv_system system = *unlocked_under;
    system.lock = lock_absent;
    system.rename = rename_beside_a_pin;
    context.system = &system;
    cr_assert_ok(vv_prune(&listing, &decision, &error), error);
    cr_assert(has("run/ckpt-1.varve") && !has("run/ckpt-3.varve"));
    cr_assert_eq(decision.facts[0].reasons, VV_KEPT_PINNED);
    context.system = unlocked_under;
    end();
}

static int rename_back_absent(
    void *state, int directory, const char *from, const char *to)
{
    (void)state;
    (void)directory;
    (void)from;
    memory_put(memory, "run/ckpt-1.varve", "another", 7);
    cr_assert_str_eq(to, "ckpt-1.varve");
    return -ENOSYS;
}

static int rename_back_broken(
    void *state, int directory, const char *from, const char *to)
{
    (void)state;
    (void)directory;
    (void)from;
    (void)to;
    return -EIO;
}

/* Prunes while a pin is added that is found only after the rename. */
static varve_status prune_beside_a_pin(
    int (*rename_back)(void *, int, const char *, const char *))
{
    varve_error error;
    unlocked_under = context.system;
    struct vv_system system = *unlocked_under;
    system.lock = lock_absent;
    system.rename = rename_beside_a_pin;
    system.rename_new = rename_back;
    context.system = &system;
    varve_status status = vv_prune(&listing, &decision, &error);
    context.system = unlocked_under;
    return status;
}

TEST(prune, does_not_rename_back_over_another_file)
{
    size_t size;
    begin();
    cr_assert_eq(prune_beside_a_pin(rename_back_absent), VARVE_OK);
    memory_bytes(memory, "run/ckpt-1.varve", &size);
    cr_assert_eq(size, 7, "the file that came meanwhile is not replaced");
    end();
}

TEST(prune, fails_if_a_pinned_file_cannot_be_renamed_back)
{
    begin();
    cr_assert_eq(prune_beside_a_pin(rename_back_broken), VARVE_IO);
    cr_assert(has("run/.ckpt-1.varve.gone"), "it is not removed");
    end();
}

TEST(prune, keeps_files_that_changed_since_the_listing)
{
    varve_error error;
    begin();
    put(1, false); /* after the decision */
    cr_assert_ok(vv_prune(&listing, &decision, &error), error);
    cr_assert(has("run/ckpt-1.varve") && !has("run/ckpt-3.varve"));
    end();
}

TEST(prune, removes_files_of_an_interrupted_deletion)
{
    varve_error error;
    begin();
    memory_put(memory, "run/.ckpt-0.varve.gone", "x", 1);
    decide(4);
    cr_assert_ok(vv_prune(&listing, &decision, &error), error);
    cr_assert_not(has("run/.ckpt-0.varve.gone"));
    cr_assert_eq(memory_file_count(memory), 4);
    cr_assert_eq(listing.gone.size, 0);
    end();
}

/* The deletion failed to rename a pinned file back. */
TEST(prune, restores_a_pinned_file_of_an_interrupted_deletion)
{
    varve_error error;
    size_t size;
    begin();
    memory_put(memory, "run/.ckpt-1.varve.gone", "another", 7);
    memory_put(memory, "run/ckpt-1.pin", "", 0);
    memory_put(memory, "run/.ckpt-7.varve.gone", "pinned", 6);
    memory_put(memory, "run/ckpt-7.pin", "", 0);
    decide(4);
    cr_assert_ok(vv_prune(&listing, &decision, &error), error);
    memory_bytes(memory, "run/ckpt-7.varve", &size);
    cr_assert(has("run/ckpt-7.varve") && size == 6);
    cr_assert_not(has("run/.ckpt-7.varve.gone"));
    memory_bytes(memory, "run/ckpt-1.varve", &size);
    cr_assert_neq(size, 7, "the file that has the name is not replaced");
    cr_assert_not(has("run/.ckpt-1.varve.gone"));
    end();
}

/* Returns the number of files that a deletion may have left under its temporary
 * name. */
static size_t half_deleted(void)
{
    return (size_t)has("run/.ckpt-1.varve.gone") +
           has("run/.ckpt-3.varve.gone");
}

TEST(prune, removes_files_of_killed_writers_but_not_of_active_ones)
{
    static const char *const left[] = {
        "run/.ckpt-9.varve.0123456789abcdef.tmp",
        "run/.ckpt-3.pin.0123456789abcdef.tmp" };
    static const char *const others[] = {
        "run/.other-9.varve.0123456789abcdef.tmp",
        "run/.ckpt-9.varve.0123456789abcdeg.tmp", "run/.ckpt-9.varve.tmp",
        "run/.ckpt-09.varve.0123456789abcdef.tmp",
        "run/ckpt-9.varve.0123456789abcdef.tmp" };
    varve_error error = { 0 };
    struct vv_temporary living;
    int directory;
    begin();
    for (size_t i = 0; i < 2; i++)
        memory_put(memory, left[i], "x", 1);
    for (size_t i = 0; i < 5; i++)
        memory_put(memory, others[i], "x", 1);
    cr_assert_ok(vv_directory_open_parent(
                     &context, "run/x", &directory, &error), error);
    cr_assert_ok(vv_temporary_make(&living, &context, directory,
                     "ckpt-8.varve", "run/ckpt-8.varve", false, &error), error);
    decide(4);
    cr_assert_ok(vv_prune(&listing, &decision, &error), error);
    for (size_t i = 0; i < 2; i++)
        cr_assert_not(has(left[i]), "%s", left[i]);
    for (size_t i = 0; i < 5; i++)
        cr_assert(has(others[i]), "%s", others[i]);
    cr_assert_eq(memory_file_count(memory), 4 + 5 + 1);
    vv_file_close(&context, living.file);
    vv_temporary_remove(&living);
    vv_file_close(&context, directory);
    end();
}

TEST(prune, continues_after_a_failure_and_repairs_it_next_time)
{
    static const int errors[] = { EIO, EACCES, ENOSPC };
    for (long n = 0;; n++) {
        varve_error error = { 0 };
        begin();
        faulty_plan(faulty, &(struct faulty_plan){
            .number = n, .error = errors[n % 3] });
        varve_status status = vv_prune(&listing, &decision, &error);
        bool hit = faulty_hit(faulty);
        faulty_plan(faulty, NULL);
        cr_assert(has("run/ckpt-2.varve") && has("run/ckpt-4.varve"));
        size_t left = memory_file_count(memory);
        cr_assert_leq(left, 4);
        cr_assert(left == 2 || status || listing.count > 2,
            "call %ld: a file remains without a warning", n);
        cr_assert_leq(half_deleted(), 1);
        decide(1);
        cr_assert_ok(vv_prune(&listing, &decision, &error), error);
        cr_assert_eq(memory_file_count(memory), 2, "call %ld", n);
        end();
        if (!hit)
            break;
    }
}

/* --- Dry run -------------------------------------------------------------- */

TEST(prune, a_dry_run_lists_deletions_and_deletes_nothing)
{
    varve_error error;
    begin();
    const struct vv_system *system = context.system;
    int file = system->open_file(
        system->state, VV_WORKING_DIRECTORY, "run/ckpt-1.varve");
    cr_assert_eq(system->share_lock(system->state, file), 0);
    memory_put(memory, "run/.ckpt-0.varve.gone", "x", 1);
    cr_assert_ok(vv_prune_trial(&listing, &decision, &error), error);
    cr_assert_eq(memory_file_count(memory), 5);
    cr_assert_eq(listing.count, 4);
    cr_assert_eq(decision.facts[0].reasons, VV_KEPT_LEASED);
    cr_assert_eq(decision.facts[2].reasons, 0);
    system->close(system->state, file);
    file = system->open_file(
        system->state, VV_WORKING_DIRECTORY, "run/ckpt-3.varve");
    cr_assert_eq(system->lock(system->state, file), 0, "the trial kept it");
    system->close(system->state, file);
    end();
}

TEST(prune, a_dry_run_detects_changes_since_the_listing)
{
    varve_error error;
    begin();
    put(1, false); /* after the decision */
    cr_assert_ok(vv_prune_trial(&listing, &decision, &error), error);
    cr_assert_eq(decision.facts[0].reasons, VV_KEPT_FOREIGN);
    cr_assert_eq(decision.facts[2].reasons, 0);
    end();
}

TEST(prune, unreadable_files_are_kept_in_a_dry_run_and_a_prune)
{
    for (int i = 0; i < 2; i++) {
        varve_error error;
        begin();
        faulty_plan(faulty, &(struct faulty_plan){ .kinds = FAULTY_OPEN,
                                .error = EACCES, .second = 1,
                                .second_error = EACCES });
        varve_status status = (i ? vv_prune : vv_prune_trial)(
            &listing, &decision, &error);
        cr_assert_eq(status, VARVE_NO_PERMISSION);
        cr_assert_eq(decision.facts[0].reasons, VV_KEPT_UNREADABLE);
        cr_assert(has("run/ckpt-1.varve"));
        cr_assert_eq(has("run/ckpt-3.varve"), i == 0);
        end();
    }
}
