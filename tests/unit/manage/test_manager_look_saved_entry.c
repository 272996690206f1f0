/* test_manager_look_saved_entry.c - Tests the entries of checkpoints that were
 * just saved.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "manage_world.h"
#include "manager.h"

/* Asserts that a refresh that reads all files finds the listed entries. */
static void check_entries(struct world *w, size_t count)
{
    struct vv_entry known[16];
    varve_error error = { 0 };
    struct vv_listing *l = &w->manager->listing;
    cr_assert_eq(l->count, count);
    for (size_t i = 0; i < count; i++) {
        known[i] = l->entries[i];
        l->entries[i].is_read = false;
    }
    cr_assert_ok(varve_manager_refresh(w->manager, &error), error);
    cr_assert_eq(l->count, count);
    for (size_t i = 0; i < count; i++) {
        const struct vv_entry *a = &known[i], *b = &l->entries[i];
        cr_assert(a->number == b->number && a->counter == b->counter);
        cr_assert(a->step == b->step && a->time == b->time);
        cr_assert_eq(memcmp(&a->metric, &b->metric, sizeof a->metric), 0);
        cr_assert(a->size == b->size && a->modified == b->modified);
        cr_assert(a->identity == b->identity && a->parent == b->parent);
        cr_assert(a->parent_counter == b->parent_counter);
        cr_assert(a->origin == b->origin && !strcmp(a->run, b->run));
        cr_assert_eq(a->ancestry.count, b->ancestry.count);
        cr_assert(a->is_ours && b->is_ours && a->is_pinned == b->is_pinned);
        cr_assert(a->is_read && b->is_read);
        cr_assert(!a->is_damaged && !a->is_unread);
    }
}

static void save_more(struct world *w, bool pin, double metric)
{
    static int64_t step;
    varve_error error = { 0 };
    varve_manager_save_options options = {
        .pin = pin, .has_metric = metric > 0, .metric = metric
    };
    cr_assert_ok(
        varve_manager_save_with(w->manager, ++step, &options, &error), error);
    cr_assert_null(varve_manager_warning(w->manager));
}

TEST(saved_entry, equals_the_entry_read_from_the_file)
{
    struct world w;
    const varve_manager_options options = { .record_time = true };
    varve_error error = { 0 };
    world_begin(&w, &options);
    save_more(&w, false, 0);
    save_more(&w, true, 0.5);
    save_more(&w, false, 2);
    check_entries(&w, 3);
    world_again(&w, &options);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    save_more(&w, false, 3);
    save_more(&w, true, 0);
    check_entries(&w, 5);
    world_end(&w);
}

TEST(saved_entry, replaces_that_of_an_older_file)
{
    struct world w;
    varve_error error = { 0 };
    world_begin(&w, &(varve_manager_options){ .number_by_step = true });
    for (int i = 0; i < 6; i++)
        cr_assert_ok(varve_manager_save(w.manager, 1 + i % 3, &error), error);
    check_entries(&w, 3);
    world_end(&w);
}

TEST(saved_entry, is_missing_if_the_file_was_deleted)
{
    struct world w;
    world_begin(&w, NULL);
    world_save(&w, 1);
    world_save(&w, 2);
    const struct vv_system *system = w.context.system;
    cr_assert_eq(system->remove(system->state, VV_WORKING_DIRECTORY,
                     varve_manager_saved(w.manager)),
        0);
    world_save(&w, 3);
    check_entries(&w, 2);
    world_end(&w);
}
