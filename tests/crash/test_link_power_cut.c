/* test_link_power_cut.c - Tests power failures during a save through a symbolic
 * link: its target is the older or the newer checkpoint, and the newer one once
 * the save has returned.
 *
 * The in-memory disk has no links. The system of this test reports one name as
 * a link to a file on the recorded disk. The test therefore detects a sync of
 * the directory of the link instead of that of the target.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "crash/recorder.h"
#include "crash/states.h"
#include "crash/subject.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test.h"
#include "system.h"

#define LINK "l.varve"
#define TARGET "disk/m.varve"

enum { MOST = 65536 };

static struct {
    const struct vv_system *under;
    enum crash_mistake mistake;
    bool has_older;
    bool is_done;
    bool was_seen[FINDINGS];
    long time, bad;
} search;

/* Reports that the path is a link. Does not fill in the file status, so the
 * file is treated as new. */
static int look_at_link(
    void *state, int directory, const char *name, struct vv_file_look *look)
{
    (void)state;
    (void)directory;
    if (strcmp(name, LINK) != 0)
        return -ENOENT;
    *look = (struct vv_file_look){ .kind = VV_OTHER_FILE, .is_link = true };
    snprintf(look->target, sizeof look->target, "../" TARGET);
    return 0;
}

static void look_at_disk(void *user, struct memory *disk)
{
    (void)user;
    const struct vv_system *system = memory_system(disk);
    enum subject_finding before =
        search.has_older ? FOUND_OLDER : FOUND_NOTHING;
    enum subject_finding found = subject_find(system, TARGET);
    bool is_good =
        found == FOUND_NEWER || (!search.is_done && found == before);
    search.was_seen[found] |= !search.is_done;
    search.bad += !is_good;
    cr_assert(is_good || search.mistake != CRASH_NONE,
        "power cut after change %ld%s: found %s", search.time,
        search.is_done ? " and the return" : "", subject_finding_name(found));
    cr_assert_eq(subject_find(system, "run/" LINK), FOUND_NOTHING,
        "the link became a file");
}

static void put_older(struct memory *memory)
{
    varve_error error = { 0 };
    size_t size;
    cr_assert_ok(subject_save(memory_system(memory), TARGET, SUBJECT_OLDER,
                     &error), error);
    const unsigned char *bytes = memory_bytes(memory, TARGET, &size);
    recorder_put(TARGET, bytes, size);
}

static long search_all(bool has_older, enum crash_mistake mistake)
{
    struct memory *memory = memory_new(), *other = memory_new();
    struct crash_count count = { .most = MOST };
    varve_error error = { 0 };
    memset(&search, 0, sizeof search);
    search.has_older = has_older;
    search.mistake = mistake;
    struct vv_system linked = *recorder_begin(memory, mistake);
    linked.look = look_at_link;
    recorder_put("run/other", "other", 5);
    recorder_put("disk/other", "other", 5);
    if (has_older)
        put_older(other);
    const struct history *history = recorder_history();
    long time = history->time;
    cr_assert_ok(
        subject_save(&linked, "run/" LINK, SUBJECT_NEWER, &error), error);
    for (; time <= history->time; time++) {
        search.time = time;
        crash_states_at(history, time, look_at_disk, NULL, &count);
    }
    search.is_done = true;
    crash_states_at(history, history->time, look_at_disk, NULL, &count);
    recorder_end();
    memory_free(memory);
    memory_free(other);
    return count.states;
}

TEST(crash, a_power_cut_through_a_link_leaves_the_older_or_the_newer_file)
{
    for (int has_older = 0; has_older < 2; has_older++) {
        long states = search_all(has_older, CRASH_NONE);
        proof_count("crash.states", (uint64_t)states);
        cr_assert(search.was_seen[FOUND_NEWER]);
        cr_assert(search.was_seen[has_older ? FOUND_OLDER : FOUND_NOTHING]);
    }
}

TEST(crash, errors_of_saves_through_a_link_are_detected)
{
    for (int mistake = CRASH_NONE + 1; mistake < CRASH_MISTAKES; mistake++) {
        search_all(true, (enum crash_mistake)mistake);
        cr_assert_gt(search.bad, 0, "mistake %d", mistake);
    }
}
