/* test_resume_file.c - Tests resuming on several processes from damaged,
 * salvaged or missing checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ranks_manager.h"

static void change_byte(const char *path, size_t at)
{
    size_t size;
    unsigned char *bytes = memory_bytes(disk.memory, path, &size);
    cr_assert(bytes && at < size);
    bytes[at] ^= 1;
}

static const char *find_layer(size_t *size)
{
    for (size_t i = 0; i < memory_file_count(disk.memory); i++) {
        const char *path = memory_file_path(disk.memory, i);
        if (strstr(path, "layers/") && memory_bytes(disk.memory, path, size) &&
            *size > 10000)
            return path;
    }
    return NULL;
}

TEST(resume_together, skips_a_damaged_checkpoint)
{
    begin_disk();
    run_ranks(3, save_three, &plain);
    size_t size;
    memory_bytes(disk.memory, "run/ckpt-3.varve", &size);
    change_byte("run/ckpt-3.varve", size - 40);
    const char *notes = run_ranks(3, resume_only, &plain);
    check_has(notes, "step 20, whole\n");
    check_has(notes, "passed over rank 0: run/ckpt-3.varve: ");
    end_disk();
}

/* Sets a bit in `ranks` for each rank that detects the damage. */
static void damage_and_resume(const char *path, size_t at, unsigned *ranks)
{
    change_byte(path, at);
    const char *notes = run_ranks(3, resume_only, &plain);
    check_has(notes, "resume: VARVE_OK\n");
    check_has(notes, ", whole\n");
    const char *found = strstr(notes, "passed over rank ");
    if (found)
        *ranks |= 1u << (found[17] - '0');
    cr_assert(found || strstr(notes, "step 1"), "%s", notes);
    change_byte(path, at);
}

/* In the data of either checkpoint. */
TEST(resume_together, skips_a_checkpoint_that_any_rank_finds_damaged)
{
    unsigned ranks = 0;
    begin_disk();
    disk.total = 900000;
    run_ranks(3, go_on, &plain);
    run_ranks(3, go_on, &plain);
    for (size_t i = 0; i < memory_file_count(disk.memory); i++) {
        char path[200];
        size_t size;
        snprintf(
            path, sizeof path, "%s", memory_file_path(disk.memory, i));
        memory_bytes(disk.memory, path, &size);
        for (size_t at = 5000; strstr(path, ".data") && at < size;
             at += 1u << 19)
            damage_and_resume(path, at, &ranks);
    }
    cr_assert_eq(ranks, 7, "each rank finds what is in its share");
    end_disk();
}

/* Some ranks lose values, and some do not. */
static void salvage(struct rank *r, const void *user)
{
    make(r, user);
    set_values(r, -1);
    note_status(r, "resume", varve_manager_resume(r->manager, &r->error));
    note(r, "step %d\n", (int)r->step);
    look_around(r);
}

TEST(resume_together, salvages_on_all_ranks_if_all_are_damaged)
{
    size_t size;
    const varve_read_options read = { .salvage.on = true };
    varve_manager_options options = { .read = &read };
    begin_disk();
    disk.total = 1500000;
    run_ranks(3, go_on, &plain);
    change_byte(find_layer(&size), 5000);
    const char *notes = run_ranks(3, salvage, &options);
    check_has(notes, "resume: VARVE_OK\nstep 0\n");
    check_has(notes, "passed over rank ");
    const varve_manager_options older = { .may_resume_older = true };
    check_has(run_ranks(3, salvage, &older), "resume: VARVE_OK\nstep -1\n");
    end_disk();
}

/* --- Without a checkpoint ------------------------------------------------- */

static varve_status initialize(void *user)
{
    struct rank *r = user;
    set_values(r, 4);
    return VARVE_OK;
}

static varve_status refuse(void *user)
{
    const struct rank *r = user;
    return r->number == 1 ? VARVE_CANCELLED : VARVE_OK;
}

static void begin_anew(struct rank *r, const void *user)
{
    varve_manager_options options = { .initialize = initialize,
        .initialize_user = r,
        .comm = r->comm };
    (void)user;
    r->manager = varve_manager_new(r->root, "run", &options, &r->error);
    resume(r);
    varve_manager_free(r->manager);
    options.initialize = refuse;
    r->manager = varve_manager_new(r->root, "run", &options, &r->error);
    resume(r);
}

TEST(resume_together, initializes_every_rank_without_a_checkpoint)
{
    begin_disk();
    const char *notes = run_ranks(3, begin_anew, NULL);
    check_has(notes, "resume: VARVE_OK\nstep 4, whole\n");
    check_has(notes, "resume: VARVE_CALLBACK: rank 1: run: the `initialize` "
                     "callback returned VARVE_CANCELLED\n");
    end_disk();
}
