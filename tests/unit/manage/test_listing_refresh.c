/* test_listing_refresh.c - Tests updating a listing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "listing_refresh.h"
#include "manage_world.h"
#include "manager.h"
#include "system.h"

/* --- System calls ------------------------------------------------------- */

/* Returns the number of calls of a save, of all or some kinds. */
static long count_calls(struct world *w, unsigned kinds, int64_t step)
{
    faulty_plan(w->faulty,
        &(struct faulty_plan){ .number = -1, .kinds = kinds });
    world_save(w, step);
    return faulty_count(w->faulty);
}

TEST(listing_refresh, calls_of_a_save_do_not_depend_on_the_checkpoint_count)
{
    struct world w;
    long few = 0, many = 0;
    world_begin(&w, NULL);
    for (int step = 1; step <= 60; step++) {
        long calls = count_calls(&w, FAULTY_ALL, step);
        few = step == 6 ? calls : few;
        many = calls;
    }
    cr_assert_eq(varve_manager_count(w.manager), 60);
    cr_assert_eq(few, many, "%ld with 5 kept, %ld with 59", few, many);
    cr_assert_leq(many, 50, "%ld calls", many);
    world_end(&w);
}

TEST(listing_refresh, many_deletions_are_synced_together)
{
    struct world w;
    varve_error error = { 0 };
    world_begin(&w, NULL);
    for (int step = 1; step <= 60; step++)
        world_save(&w, step);
    world_again(&w, &(varve_manager_options){ .keep_last = 2 });
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    faulty_plan(w.faulty, &(struct faulty_plan){
        .number = -1, .kinds = FAULTY_SYNC_DIRECTORY });
    cr_assert_ok(varve_manager_prune(w.manager, &error), error);
    cr_assert_null(varve_manager_warning(w.manager));
    cr_assert_eq(varve_manager_count(w.manager), 2);
    cr_assert_leq(faulty_count(w.faulty), 4, "%ld syncs",
        faulty_count(w.faulty));
    world_end(&w);
}

/* --- Stale listings ----------------------------------------------------- */

static struct {
    struct vv_system system;
    const struct vv_system *under;
    uint64_t hides_from; /* names of this number and above are hidden */
} late;

struct hiding {
    vv_each_name *each;
    void *user;
};

static int pass_on(
    void *user, const char *name, const struct vv_file_info *info)
{
    const struct hiding *h = user;
    unsigned long long number = 0;
    bool is_hidden = sscanf(name, "ckpt-%llu.varve", &number) == 1 &&
                     number >= late.hides_from;
    return is_hidden ? 0 : h->each(h->user, name, info);
}

static int each_name(
    void *state, int directory, vv_each_name *each, void *user)
{
    struct hiding h = { each, user };
    return late.under->each_name(state, directory, pass_on, &h);
}

/* Omits one file in every second listing. */
static int each_name_flickering(
    void *state, int directory, vv_each_name *each, void *user)
{
    late.hides_from = late.hides_from == 5 ? 6 : 5;
    return each_name(state, directory, each, user);
}

/* Creates a world with stale listings of its directory. */
static void begin_late(struct world *w, uint64_t hides_from)
{
    world_begin(w, NULL);
    for (int step = 1; step <= 5; step++)
        world_save(w, 10 * step);
    world_stop(w);
    late.under = w->context.system;
    late.system = *late.under;
    late.system.each_name = each_name;
    late.hides_from = hides_from;
    w->context.system = &late.system;
}

static void resume_late(struct world *w, float wanted)
{
    varve_error error = { 0 };
    world_start(w, NULL);
    cr_assert_ok(varve_manager_resume(w->manager, &error), error);
    cr_assert_eq(w->value, wanted, "%g", (double)w->value);
}

TEST(listing_refresh, finds_checkpoints_of_the_ledger_missing_in_the_listing)
{
    struct world w;
    begin_late(&w, 1);
    resume_late(&w, 50);
    world_end(&w);
}

TEST(listing_refresh, nothing_is_deleted_if_no_two_listings_agree)
{
    struct world w;
    varve_error error = { 0 };
    begin_late(&w, 6);
    late.system.each_name = each_name_flickering;
    world_start(&w, &(varve_manager_options){ .keep_last = 1 });
    cr_assert_ok(varve_manager_prune(w.manager, &error), error);
    cr_assert_eq(varve_manager_count(w.manager), 5);
    const char *warning = varve_manager_warning(w.manager);
    cr_assert(warning &&
                  strstr(warning, "the listings of ckpt-N.varve keep changing"),
        "%s", warning);
    late.system.each_name = each_name; /* later listings are current */
    late.hides_from = 6;
    cr_assert_ok(varve_manager_prune(w.manager, &error), error);
    cr_assert_null(varve_manager_warning(w.manager));
    cr_assert_eq(varve_manager_count(w.manager), 1);
    world_end(&w);
}

TEST(listing_refresh, finds_the_numbers_after_the_listed_ones)
{
    struct world w;
    begin_late(&w, 4);
    const struct vv_system *s = memory_system(w.memory);
    cr_assert_eq(
        s->remove(s->state, VV_WORKING_DIRECTORY, "run/ckpt.ledger"), 0);
    resume_late(&w, 50);
    world_end(&w);
}

TEST(listing_refresh, the_search_ends_if_numbers_cannot_be_read)
{
    struct world w;
    varve_error error = { 0 };
    world_begin(&w, NULL);
    world_save(&w, 10);
    faulty_plan(w.faulty, &(struct faulty_plan){
        .kinds = FAULTY_OPEN, .error = EACCES, .sticky = true });
    cr_assert_ok(varve_manager_refresh(w.manager, &error), error);
    faulty_plan(w.faulty, NULL);
    cr_assert_eq(varve_manager_count(w.manager), 1);
    world_end(&w);
}

/* --- Starting from the beginning ---------------------------------------- */

static varve_status note_fresh(void *user)
{
    *(bool *)user = true;
    return VARVE_OK;
}

static void remove_checkpoints(struct world *w)
{
    const struct vv_system *s = memory_system(w->memory);
    for (size_t i = memory_file_count(w->memory); i-- > 0;) {
        const char *path = memory_file_path(w->memory, i);
        if (strstr(path, ".varve"))
            cr_assert_eq(s->remove(s->state, VV_WORKING_DIRECTORY, path), 0);
    }
}

TEST(listing_refresh, a_run_does_not_start_over_if_the_ledger_has_entries)
{
    struct world w;
    varve_error error = { 0 };
    bool is_fresh = false;
    const varve_manager_options options = {
        .initialize = note_fresh, .initialize_user = &is_fresh
    };
    world_begin(&w, &options);
    world_save(&w, 10);
    world_stop(&w);
    remove_checkpoints(&w);
    world_start(&w, &options);
    cr_assert_eq(varve_manager_resume(w.manager, &error), VARVE_IO);
    cr_assert(strstr(error.message, "run: ckpt.ledger lists ckpt-1.varve"),
        "%s", error.message);
    cr_assert_not(is_fresh);
    const struct vv_system *s = memory_system(w.memory);
    s->remove(s->state, VV_WORKING_DIRECTORY, "run/ckpt.ledger");
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert(is_fresh);
    world_end(&w);
}

TEST(listing_refresh, missing_checkpoints_of_the_ledger_are_reported)
{
    struct world w;
    varve_error error = { 0 };
    world_begin(&w, NULL);
    world_save(&w, 10);
    world_save(&w, 20);
    world_stop(&w);
    const struct vv_system *s = memory_system(w.memory);
    s->remove(s->state, VV_WORKING_DIRECTORY, "run/ckpt-2.varve");
    world_start(&w, NULL);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_eq(w.value, 10);
    cr_assert_str_eq(varve_manager_warning(w.manager), "run: ckpt.ledger "
        "lists ckpt-2.varve, which no longer exists");
    world_end(&w);
}

TEST(listing_refresh, must_resume_requires_a_checkpoint)
{
    struct world w;
    varve_error error = { 0 };
    varve_manager_options options = { .must_resume = true };
    world_begin(&w, NULL);
    varve_manager *there =
        varve_manager_new(w.root, "absent", &options, &error);
    cr_assert_null(there);
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
    cr_assert(strstr(error.message, "is its file system mounted?"));
    cr_assert_eq(memory_file_count(w.memory), 1, "nothing is made");
    world_again(&w, &options);
    cr_assert_eq(varve_manager_resume(w.manager, &error), VARVE_NOT_FOUND);
    cr_assert(strstr(error.message, "must_resume"), "%s", error.message);
    world_save(&w, 10);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    world_end(&w);
}

/* --- Read errors -------------------------------------------------------- */

static struct {
    struct vv_system system;
    const struct vv_system *under;
    int failures; /* number of failing reads of the file with this name */
    int file;     /* its descriptor */
} shaky;

static int open_shaky(void *state, int directory, const char *name)
{
    int file = shaky.under->open_file(state, directory, name);
    if (strstr(name, "ckpt-2.varve"))
        shaky.file = file;
    return file;
}

static int64_t read_shaky(
    void *state, int file, void *bytes, size_t size, uint64_t offset)
{
    if (file == shaky.file && shaky.failures > 0) {
        shaky.failures--;
        return -ESTALE;
    }
    return shaky.under->read_at(state, file, bytes, size, offset);
}

static void begin_shaky(struct world *w)
{
    world_begin(w, NULL);
    world_save(w, 10);
    world_save(w, 20);
    world_stop(w);
    shaky.under = w->context.system;
    shaky.system = *shaky.under;
    shaky.system.open_file = open_shaky;
    shaky.system.read_at = read_shaky;
    shaky.failures = 0;
    shaky.file = -1;
    w->context.system = &shaky.system;
}

TEST(listing_refresh, temporarily_unreadable_checkpoints_are_read_later)
{
    struct world w;
    varve_error error = { 0 };
    begin_shaky(&w);
    world_start(&w, NULL);
    shaky.failures = 3;
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_eq(w.value, 20);
    cr_assert_null(varve_manager_skipped(w.manager, 0));
    world_end(&w);
}

TEST(listing_refresh, unreadable_checkpoints_are_skipped_only_if_allowed)
{
    struct world w;
    varve_error error = { 0 };
    varve_manager_options options = { .may_resume_older = true };
    begin_shaky(&w);
    world_start(&w, NULL);
    shaky.failures = 1000;
    cr_assert_eq(varve_manager_resume(w.manager, &error), VARVE_IO);
    cr_assert(strstr(error.message, "run/ckpt-2.varve"), "%s", error.message);
    cr_assert(strstr(error.message, "may_resume_older"), "%s", error.message);
    world_again(&w, &options);
    shaky.failures = 1000;
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    cr_assert_eq(w.value, 10);
    cr_assert(strstr(varve_manager_skipped(w.manager, 0), "ckpt-2.varve"));
    shaky.failures = 0;
    world_end(&w);
}

/* --- Identity ----------------------------------------------------------- */

TEST(listing_refresh, each_run_has_an_identity_and_a_parent)
{
    struct world w;
    varve_error error = { 0 };
    varve_checkpoint_info first, second;
    char run[80];
    world_begin(&w, NULL);
    world_save(&w, 10);
    cr_assert(varve_manager_at(w.manager, 0, &first));
    snprintf(run, sizeof run, "%s", first.run);
    cr_assert_str_eq(run, varve_manager_run(w.manager));
    cr_assert_neq(first.identity, 0);
    cr_assert_eq(first.parent, 0);
    world_again(&w, NULL);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    world_save(&w, 20);
    cr_assert(varve_manager_at(w.manager, 1, &second));
    cr_assert_eq(second.parent, first.identity);
    cr_assert_neq(second.identity, first.identity);
    cr_assert_str_neq(second.run, run);
    world_again(&w, &(varve_manager_options){
        .run = "job-17", .may_start_new_run = true });
    world_save(&w, 30);
    cr_assert(varve_manager_at(w.manager, 2, &second));
    cr_assert_str_eq(second.run, "job-17");
    cr_assert_eq(second.parent, 0, "it was not resumed");
    world_end(&w);
}
