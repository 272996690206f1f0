/* test_power_cut.c - Tests that a power failure at any time of a save leaves
 * the older or the newer checkpoint, and the newer one after the save has
 * returned.
 *
 * Checks every disk that history.h allows, at the time of every call that
 * changes something; other calls do not change what a power failure can leave.
 * The same search must detect saves that omit a sync or rename too early.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "system.h"

#include "crash/recorder.h"
#include "crash/states.h"
#include "crash/subject.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test.h"

struct scenario {
    const char *name;
    const char *older;  /* existing file; NULL: none */
    const char *beside; /* another file, whose directory exists; or NULL */
    const char *path;   /* path or prefix to save to */
    const char *made;   /* the file that is created */
    bool is_second;     /* `older` is saved just before and is not yet synced */
    /* directory that a killed save created but did not sync, or NULL */
    const char *left;
};

static const struct scenario scenarios[] = {
    { "a new file", NULL, "run/other", "run/a.varve", "run/a.varve",
        false, NULL },
    { "a new file in the working directory", NULL, NULL, "a.varve",
        "a.varve", false, NULL },
    { "over an older file", "run/a.varve", NULL, "run/a.varve",
        "run/a.varve", false, NULL },
    { "a numbered save", "run/a-1.varve", NULL, "run/a", "run/a-2.varve",
        false, NULL },
    { "a first save into missing directories", NULL, NULL, "run/deep/a",
        "run/deep/a-1.varve", false, NULL },
    { "over a file just written", "run/a.varve", NULL, "run/a.varve",
        "run/a.varve", true, NULL },
    { "a second numbered save", "run/a-1.varve", NULL, "run/a",
        "run/a-2.varve", true, NULL },
    { "over an older file, where a killed save left its own", "run/a.varve",
        "run/.a.varve.0123456789abcdef.tmp", "run/a.varve", "run/a.varve",
        false, NULL },
    { "a numbered save, where a killed one left its own", "run/a-1.varve",
        "run/.a-2.varve.0123456789abcdef.tmp", "run/a", "run/a-2.varve",
        false, NULL },
    { "into a directory that a killed save left", NULL, NULL, "run/a",
        "run/a-1.varve", false, "run" },
    { "below a directory that a killed save left", NULL, NULL, "run/deep/a",
        "run/deep/a-1.varve", false, "run" },
};

/* These have more states than can be checked, so a sample is used. */
static const struct scenario foreign[] = {
    { "a new safetensors file", NULL, "run/other", "run/m.safetensors",
        "run/m.safetensors", false, NULL },
    { "over an older safetensors file", "run/m.safetensors", NULL,
        "run/m.safetensors", "run/m.safetensors", false, NULL },
    { "over an older npz", "run/m.npz", NULL, "run/m.npz", "run/m.npz", false,
        NULL },
    { "over an older torch file", "run/m.pt", NULL, "run/m.pt", "run/m.pt",
        false, NULL },
    { "over an older gguf file", "run/m.gguf", NULL, "run/m.gguf",
        "run/m.gguf", false, NULL },
#ifdef VV_HAVE_HDF5
    { "over an older HDF5 file", "run/m.h5", NULL, "run/m.h5", "run/m.h5",
        false, NULL },
#endif
    { "several new safetensors files", NULL, "run/other",
        "run/m.safetensors.index.json", "run/m.safetensors.index.json", false,
        NULL },
    { "over several older safetensors files", "run/m.safetensors.index.json",
        NULL, "run/m.safetensors.index.json", "run/m.safetensors.index.json",
        false, NULL },
    { "a new TensorFlow checkpoint", NULL, "run/other", "run/m.index",
        "run/m.index", false, NULL },
    { "over an older TensorFlow checkpoint", "run/m.index", NULL,
        "run/m.index", "run/m.index", false, NULL },
};

enum {
    SCENARIOS = sizeof scenarios / sizeof *scenarios,
    FOREIGN = sizeof foreign / sizeof *foreign,
    MOST = 65536, /* disks checked for one time */
    MOST_OF_WRONG = 4096,
    MOST_OF_FOREIGN = 256,
};

static const char *const mistakes[] = {
    "as it is", "files not synced", "directories not synced",
    "nothing synced", "renamed before the sync",
};

struct search {
    const struct scenario *scenario;
    enum crash_mistake mistake;
    bool is_behind; /* the save is asynchronous */
    bool is_done; /* the call has returned VARVE_OK */
    long time;
    bool was_seen[FINDINGS]; /* results for the new file while the save ran */
    long bad, by_finding[FINDINGS];
    struct crash_count count;
};

#define BIT(finding) (1u << (finding))

/* Returns true if one file of a disk is as it must be. With correct saves, the
 * first bad disk fails the test. */
static bool is_good(struct search *search, struct memory *disk,
    const char *path, unsigned allowed)
{
    enum subject_finding finding =
        subject_find(memory_system(disk), path);
    if (!search->is_done && strcmp(path, search->scenario->made) == 0)
        search->was_seen[finding] = true;
    if (allowed & BIT(finding))
        return true;
    cr_assert(search->mistake != CRASH_NONE,
        "%s, power cut after change %ld%s: %s: found %s",
        search->scenario->name, search->time,
        search->is_done ? " and the return" : "", path,
        subject_finding_name(finding));
    search->by_finding[finding]++;
    return false;
}

/* Checks that leftover files do not prevent another save. A memory system
 * repeats the same random names, so the save also encounters names of existing
 * temporary files. */
static void save_again(const struct search *search, struct memory *disk)
{
    const char *path = search->scenario->path;
    varve_error error = { 0 };
    varve_status status = subject_save(
        memory_system(disk), path, SUBJECT_NEWER, &error);
    cr_assert(status == VARVE_OK, "%s, power cut after change %ld, next save: "
        "%s", search->scenario->name, search->time, error.message);
    cr_assert_eq(subject_find(memory_system(disk), path), FOUND_NEWER);
}

static void look(void *user, struct memory *disk)
{
    struct search *search = user;
    const struct scenario *s = search->scenario;
    bool is_replaced = s->older && strcmp(s->older, s->made) == 0;
    unsigned of_made = BIT(FOUND_NEWER), of_prefix = BIT(FOUND_NEWER);
    if (!search->is_done) {
        of_made |= is_replaced ? BIT(FOUND_OLDER) : BIT(FOUND_NOTHING);
        of_prefix |= s->older ? BIT(FOUND_OLDER) : BIT(FOUND_NOTHING);
    }
    bool is_bad = !is_good(search, disk, s->made, of_made);
    if (s->older && !is_replaced)
        is_bad |= !is_good(search, disk, s->older, BIT(FOUND_OLDER));
    if (strcmp(s->path, s->made) != 0)
        is_bad |= !is_good(search, disk, s->path, of_prefix);
    search->bad += is_bad;
    if (search->mistake == CRASH_NONE)
        save_again(search, disk);
}

static void put_older(const char *path)
{
    struct memory *memory = memory_new();
    varve_error error = { 0 };
    cr_assert_ok(subject_save(memory_system(memory), path,
        SUBJECT_OLDER, &error), error);
    for (size_t i = 0; i < memory_file_count(memory); i++) {
        size_t size;
        const char *file = memory_file_path(memory, i);
        const unsigned char *bytes = memory_bytes(memory, file, &size);
        recorder_put(file, bytes, size);
    }
    memory_free(memory);
}

/* Returns true if the search may end: for foreign formats, one bad state is
 * enough to show that an error is detected. */
static bool is_enough(const struct search *search)
{
    return search->bad > 0 && search->scenario >= foreign &&
           search->scenario < foreign + FOREIGN;
}

/* Saves once and simulates a power failure at every time of the save and once
 * after it has returned. */
static void search_all(struct search *search)
{
    const struct scenario *s = search->scenario;
    struct memory *memory = memory_new();
    const struct vv_system *system = recorder_begin(memory, search->mistake);
    varve_error error = { 0 };
    if (s->is_second)
        cr_assert_ok(
            subject_save(system, s->path, SUBJECT_OLDER, &error), error);
    else if (s->older)
        put_older(s->older);
    if (s->beside)
        recorder_put(s->beside, "other", 5);
    if (s->left)
        cr_assert_eq(system->make_directory(
            system->state, VV_WORKING_DIRECTORY, s->left), 0);
    const struct history *history = recorder_history();
    long time = history->time;
    cr_assert_ok((search->is_behind ? subject_save_behind : subject_save)(
                     system, s->path, SUBJECT_NEWER, &error), error);
    for (; time <= history->time && !is_enough(search); time++) {
        search->time = time;
        crash_states_at(history, time, look, search, &search->count);
    }
    search->is_done = true;
    if (!is_enough(search))
        crash_states_at(history, history->time, look, search, &search->count);
    recorder_end();
    memory_free(memory);
}

static void say(const struct search *search)
{
    cr_log_info("%s, %s: %ld states at %ld times (not all at %ld), %ld bad: "
        "%ld gone, %ld stale, %ld refused, %ld wrong",
        search->scenario->name, mistakes[search->mistake],
        search->count.states, search->count.times, search->count.cut_times,
        search->bad, search->by_finding[FOUND_NOTHING],
        search->by_finding[FOUND_OLDER], search->by_finding[FOUND_REFUSED],
        search->by_finding[FOUND_WRONG]);
}

static void search_good(
    const struct scenario *s, bool is_behind, uint64_t most)
{
    struct search search = { .scenario = s,
        .is_behind = is_behind,
        .count.most = most };
    search_all(&search);
    say(&search);
    proof_count("crash.states", (uint64_t)search.count.states);
    bool is_replaced = s->older && strcmp(s->older, s->made) == 0;
    cr_assert(search.was_seen[FOUND_NEWER] && search.was_seen[
        is_replaced ? FOUND_OLDER : FOUND_NOTHING],
        "%s: the power was never cut in between", s->name);
}

TEST(crash, a_power_cut_leaves_the_older_or_the_newer_checkpoint)
{
    for (int i = 0; i < SCENARIOS; i++)
        search_good(&scenarios[i], false, MOST);
}

TEST(crash, a_power_cut_of_an_asynchronous_save_leaves_either_checkpoint)
{
    for (int i = 0; i < SCENARIOS; i++)
        search_good(&scenarios[i], true, proof_size(MOST_OF_WRONG, MOST));
}

TEST(crash, a_power_cut_leaves_either_checkpoint_in_every_format)
{
    for (int i = 0; i < FOREIGN; i++)
        search_good(&foreign[i], false, proof_size(MOST_OF_FOREIGN, 8192));
}

TEST(crash, errors_of_saves_are_detected)
{
    long states = 0, bad = 0;
    for (int mistake = CRASH_NONE + 1; mistake < CRASH_MISTAKES; mistake++)
        for (int i = 0; i < SCENARIOS + FOREIGN; i++) {
            struct search search = {
                .scenario = i < SCENARIOS ? &scenarios[i]
                                          : &foreign[i - SCENARIOS],
                .mistake = (enum crash_mistake)mistake,
                .count.most =
                    i < SCENARIOS ? MOST_OF_WRONG : MOST_OF_FOREIGN };
            search_all(&search);
            say(&search);
            cr_assert_gt(search.bad, 0, "%s, %s: no bad state was found",
                search.scenario->name, mistakes[mistake]);
            states += search.count.states;
            bad += search.bad;
        }
    proof_count("crash.states_of_wrong_saves", (uint64_t)states);
    proof_count("crash.bad_states_of_wrong_saves", (uint64_t)bad);
}
