/* test_random_kill.c - Tests that processes killed at a random time of a save
 * lose no saved checkpoint, leave only intact files, and do not prevent the
 * next save.
 *
 * Temporary files of killed saves remain. A kill leaves at most one, and an
 * incremental save a second one for its new data file.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crash/killing.h"
#include "support/proof.h"
#include "support/test.h"

enum {
    MOST_FILES = 4096,    /* existing at the same time */
    /* number of temporary files before they are removed */
    KEPT_TEMPORARIES = 16
};

struct way {
    const char *name;
    killing_save *save;
    bool has_one_file; /* each save replaces one file; else creates a new one */
    int savers;
    unsigned left; /* temporary files that a kill leaves, at most */
};

static struct {
    char directory[256];
    struct killing_model model;
    struct killing_saver *savers;
    const struct way *way;
    bool has_timer;    /* the saver's timer kills it; else this process does */
    uint64_t duration; /* approximate duration of a save, in ns */
    uint64_t random;
    uint64_t next; /* an unused step */
    uint64_t steps[MOST_FILES]; /* steps of the existing files */
    size_t count;
    /* temporary files; kills since they were removed */
    uint64_t temporaries, killed_since;
    uint64_t kills, within, newer, most_left;
    uint64_t all_newer; /* kills after the rename, for all kinds of saves */
} bench;

/* --- Ways to save --------------------------------------------------------- */

static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", bench.directory, name);
    return path;
}

static varve_status save_new(
    struct killing_model *model, uint64_t step, varve_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "new%llu.varve", (unsigned long long)step);
    return varve_write(
        varve_graph_root(model->graph), path_of(name), NULL, error);
}

static varve_status save_over(
    struct killing_model *model, uint64_t step, varve_error *error)
{
    (void)step;
    return varve_write(
        varve_graph_root(model->graph), path_of("over.varve"), NULL, error);
}

static varve_status save_numbered(
    struct killing_model *model, uint64_t step, varve_error *error)
{
    (void)step;
    return varve_save(
        varve_graph_root(model->graph), path_of("numbered"), NULL, error);
}

static varve_status save_deep(
    struct killing_model *model, uint64_t step, varve_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "d%llu/deep/a.varve",
        (unsigned long long)step);
    return varve_write(
        varve_graph_root(model->graph), path_of(name), NULL, error);
}

/* Ends an asynchronous save. Staged values change at once. */
static varve_status end_job(
    varve_job *job, struct killing_model *model, varve_error *error)
{
    if (!job)
        return error->status;
    varve_status status = varve_job_wait_staged(job, error);
    killing_fill(model, 0);
    if (!status)
        status = varve_job_wait(job, error);
    varve_job_free(job);
    return status;
}

static varve_status save_behind(
    struct killing_model *model, uint64_t step, varve_error *error)
{
    const varve_write_options options = { .async.zero_copy = true };
    (void)step;
    return end_job(varve_write_async(varve_graph_root(model->graph),
                       path_of("behind.varve"), &options, error),
        model, error);
}

static varve_status save_layers_behind(
    struct killing_model *model, uint64_t step, varve_error *error)
{
    const varve_write_options options = { .incremental = true };
    (void)step;
    return end_job(varve_save_async(varve_graph_root(model->graph),
                       path_of("incremental"), &options, error),
        model, error);
}

static const struct way ways[] = {
    { "new files", save_new, false, 1, 1 },
    { "over one file", save_over, true, 1, 1 },
    { "numbered", save_numbered, false, 1, 1 },
    { "missing directories", save_deep, false, 1, 1 },
    { "numbered, two savers", save_numbered, false, 2, 1 },
    { "over one file, asynchronous", save_behind, true, 1, 1 },
    { "numbered, incremental, asynchronous", save_layers_behind, false, 1, 2 },
    { "numbered, incremental, asynchronous, two savers", save_layers_behind,
        false, 2, 2 },
};

/* --- What is there -------------------------------------------------------- */

static bool ends_in(const char *name, const char *end)
{
    size_t size = strlen(name), end_size = strlen(end);
    return size > end_size && strcmp(name + size - end_size, end) == 0;
}

/* Checks that a name is that of a checkpoint, a data file, a note or a
 * temporary file. */
static int look_at(
    const char *path, const struct stat *info, int type, struct FTW *walk)
{
    const char *name = path + walk->base;
    (void)info;
    if (type != FTW_F)
        return 0;
    if (ends_in(name, ".varve")) {
        cr_assert_lt(bench.count, MOST_FILES);
        bench.steps[bench.count++] = killing_step_of(path);
    } else if (name[0] == '.') {
        cr_assert(ends_in(name, ".tmp"), "%s: unexpected file", path);
        bench.temporaries++;
    } else {
        cr_assert(ends_in(name, ".latest") || ends_in(name, ".data"),
            "%s: unexpected file", path);
    }
    return 0;
}

static void look(void)
{
    bench.count = 0;
    bench.temporaries = 0;
    cr_assert_eq(nftw(bench.directory, look_at, 16, FTW_PHYS), 0);
    cr_assert(bench.temporaries <= bench.killed_since * bench.way->left,
        "%s: %llu kills left %llu temporary files", bench.way->name,
        (unsigned long long)bench.killed_since,
        (unsigned long long)bench.temporaries);
    if (bench.temporaries > bench.most_left)
        bench.most_left = bench.temporaries;
}

static bool is_there(uint64_t step)
{
    for (size_t i = 0; i < bench.count; i++)
        if (bench.steps[i] == step)
            return true;
    return false;
}

static int remove_one(
    const char *path, const struct stat *info, int type, struct FTW *walk)
{
    const char *name = path + walk->base;
    (void)info;
    (void)type;
    if (walk->level > 0 && (name[0] != '.' ||
            bench.temporaries >= KEPT_TEMPORARIES || type == FTW_DP))
        remove(path); /* fails for a directory that is not empty */
    return 0;
}

/* Removes files. Temporary files are kept for some rounds, to obstruct later
 * saves if they can. */
static void clear(void)
{
    nftw(bench.directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (bench.temporaries >= KEPT_TEMPORARIES)
        bench.killed_since = 0;
}

/* --- One kill ------------------------------------------------------------- */

static void check_saver(const struct killing_saver *saver)
{
    bench.kills++;
    bench.killed_since++;
    bench.within += saver->begun != saver->done;
    bench.newer += saver->begun != saver->done && is_there(saver->begun);
    if (saver->done && !bench.way->has_one_file)
        cr_assert(is_there(saver->done), "%s: step %llu was saved and is gone",
            bench.way->name, (unsigned long long)saver->done);
    if (saver->done && bench.way->has_one_file)
        cr_assert(is_there(saver->done) || is_there(saver->begun),
            "%s: neither step %llu nor %llu", bench.way->name,
            (unsigned long long)saver->done,
            (unsigned long long)saver->begun);
}

/* Checks that the newest checkpoint is not older than the newest reported
 * save. */
static void check_newest(void)
{
    char path[512];
    varve_error error = { 0 };
    uint64_t done = bench.savers[0].done;
    if (bench.way->save != save_numbered || !done)
        return;
    cr_assert_ok(varve_latest(
        path_of("numbered"), path, sizeof path, &error), error);
    uint64_t step = killing_step_of(path);
    cr_assert(bench.way->savers > 1 || step == done ||
        step == bench.savers[0].begun, "the newest is of step %llu, not %llu",
        (unsigned long long)step, (unsigned long long)done);
}

static void save_next(void)
{
    varve_error error = { 0 };
    uint64_t step = bench.next++;
    killing_fill(&bench.model, step);
    cr_assert_ok(bench.way->save(&bench.model, step, &error), error);
    look();
    cr_assert(is_there(step), "%s: the next save does not exist",
        bench.way->name);
    cr_assert(!bench.way->has_one_file || bench.temporaries == 0,
        "%s: the next save has not removed leftover files", bench.way->name);
}

/* Returns a time of a few saves. The first save of a process is the slowest,
 * and two savers need longer before their saves overlap. */
static uint64_t draw_time(void)
{
    uint64_t savers = (uint64_t)bench.way->savers;
    uint64_t last = bench.savers[0].duration;
    if (last)
        bench.duration += last / 8 - bench.duration / 8;
    uint64_t most = 4 * bench.duration * savers * savers;
    return 1 + proof_next(&bench.random) % most;
}

static void try_kill(void)
{
    int savers = bench.way->savers;
    for (int i = 0; i < savers; i++)
        killing_start(&bench.savers[i], &(struct killing_plan){
            .model = &bench.model, .save = bench.way->save,
            .first = bench.next + (uint64_t)i, .stride = (uint64_t)savers,
            .time = bench.has_timer ? draw_time() : 0 });
    for (int i = 0; i < savers; i++)
        killing_end(&bench.savers[i], bench.has_timer,
            proof_next(&bench.random));
    bench.killed_since += (uint64_t)savers; /* before the check */
    look();
    bench.killed_since -= (uint64_t)savers;
    for (int i = 0; i < savers; i++) {
        check_saver(&bench.savers[i]);
        if (bench.savers[i].begun >= bench.next)
            bench.next = bench.savers[i].begun + 1;
    }
    check_newest();
    save_next();
    clear();
}

/* --- Many ----------------------------------------------------------------- */

static void kill_often(const struct way *way, uint64_t kills)
{
    uint64_t begin = killing_now();
    bench.way = way;
    bench.next = 1;
    bench.kills = bench.within = bench.newer = bench.most_left = 0;
    bench.killed_since = 0;
    bench.duration = 200000;
    while (bench.kills < kills) {
        if (bench.next > 1 << 23)
            bench.next = 1; /* below 2^24, so that floats are exact */
        try_kill();
    }
    uint64_t duration = killing_now() - begin;
    cr_log_info("%s in %s: %llu kills, %llu a second, %llu within a save, of "
        "these %llu with the newer one in place; %llu temporary files at a "
        "time at most", way->name, bench.directory,
        (unsigned long long)bench.kills,
        (unsigned long long)(bench.kills * 1000000000 / (duration + 1)),
        (unsigned long long)bench.within, (unsigned long long)bench.newer,
        (unsigned long long)bench.most_left);
    cr_assert(bench.within > kills / 2, "most kills missed the saves");
    bench.all_newer += bench.newer;
    proof_count("kills.random", bench.kills);
    proof_count("kills.random_within_a_save", bench.within);
    bench.temporaries = KEPT_TEMPORARIES;
    clear();
}

static void kill_in(const char *parent, bool has_timer, uint64_t kills)
{
    bench.has_timer = has_timer;
    snprintf(bench.directory, sizeof bench.directory,
        "%s/varve-kills-XXXXXX", parent);
    if (!mkdtemp(bench.directory)) {
        snprintf(bench.directory, sizeof bench.directory, "%s", test_path("k"));
        cr_assert_eq(mkdir(bench.directory, 0777), 0);
    }
    bench.random = proof_seed();
    bench.savers = killing_share();
    killing_begin_model(&bench.model);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        kill_often(&ways[i], kills / (sizeof ways / sizeof *ways));
    cr_assert_gt(bench.all_newer, 0, "no kill came after a rename");
    killing_end_model(&bench.model);
    killing_unshare(bench.savers);
    rmdir(bench.directory);
}

TEST(random_kill, loses_no_save_in_a_memory_file_system)
{
    kill_in("/dev/shm", true, proof_size(400, 160000));
}

TEST(random_kill, loses_no_save_on_a_disk)
{
    char parent[256];
    snprintf(parent, sizeof parent, "%s", test_path(""));
    kill_in(parent, false, proof_size(160, 3200));
}
