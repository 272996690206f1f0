/* test_kill.c - Tests that a process that is killed at any system call leaves
 * the older or the newer checkpoint, and that the next save succeeds.
 *
 * The test uses the real file system, which keeps everything a killed process
 * has written. It tests the order of the calls, and that leftover files do not
 * prevent the next save.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* for symlink and lstat */

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crash/subject.h"
#include "directory.h"
#include "support/faulty_system.h"
#include "support/proof.h"
#include "support/test.h"
#include "system.h"

struct scenario {
    const char *name;
    const char *older;  /* existing file; NULL: none */
    const char *path;   /* path or prefix to save to */
    const char *made;   /* the file that is created */
    bool is_numbered;
    bool is_behind; /* the save is asynchronous */
    bool is_linked; /* the path is a symbolic link to the existing file */
};

static const struct scenario scenarios[] = {
    { "new", NULL, "run/a.varve", "run/a.varve", false, false, false },
    { "over", "run/a.varve", "run/a.varve", "run/a.varve", false, false,
        false },
    { "linked", "run/a.varve", "run/l.varve", "run/a.varve", false, false,
        true },
    { "numbered", "run/a-1.varve", "run/a", "run/a-2.varve", true, false,
        false },
    { "deep", NULL, "run/deep/a", "run/deep/a-1.varve", true, false, false },
    { "over-behind", "run/a.varve", "run/a.varve", "run/a.varve", false, true,
        false },
    { "numbered-behind", "run/a-1.varve", "run/a", "run/a-2.varve", true,
        true, false },
};

/* Returns a path in a separate directory for each kill. */
static const char *path_in(long number, const char *scenario, const char *path)
{
    char name[256];
    snprintf(name, sizeof name, "%s-%ld/%s", scenario, number, path);
    return test_path(name);
}

static void kill_me(void *user)
{
    (void)user;
    kill(getpid(), SIGKILL);
}

/* Forks a child that saves and is killed before the system call with this
 * number. Returns false if the child makes fewer calls and ends. */
static bool save_and_die(
    const struct scenario *s, const char *path, long number)
{
    pid_t child = fork();
    cr_assert_geq(child, 0, "no child");
    if (child == 0) {
        struct faulty *faulty = faulty_new(&vv_posix_system);
        faulty_plan(faulty, &(struct faulty_plan){
            .number = number, .way = FAULTY_STOPS, .stop = kill_me });
        varve_error error;
        const struct vv_system *system = faulty_system(faulty);
        varve_status status = (s->is_behind ? subject_save_behind
            : subject_save)(system, path, SUBJECT_NEWER, &error);
        _exit(status != VARVE_OK);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
        cr_assert_eq(WTERMSIG(status), SIGKILL);
        return true;
    }
    cr_assert_eq(WEXITSTATUS(status), 0, "the save failed by itself");
    return false;
}

static void check_found(const char *where, long number, const char *path,
    enum subject_finding found, enum subject_finding expected,
    enum subject_finding or_else)
{
    cr_assert(found == expected || found == or_else,
        "%s, killed at call %ld: %s: found %s", where, number, path,
        subject_finding_name(found));
}

static enum subject_finding find(const char *path)
{
    return subject_find(&vv_posix_system, path);
}

static void check_link(const struct scenario *s, const char *path)
{
    struct stat found;
    cr_assert_eq(s->is_linked,
        lstat(path, &found) == 0 && S_ISLNK(found.st_mode), "%s", path);
}

static bool try_kill(const struct scenario *s, long number, long *newer)
{
    const struct vv_system *real = &vv_posix_system;
    varve_error error = { 0 };
    enum subject_finding before = s->older ? FOUND_OLDER : FOUND_NOTHING;
    char path[512], made[512], older[512];
    snprintf(path, sizeof path, "%s", path_in(number, s->name, s->path));
    snprintf(made, sizeof made, "%s", path_in(number, s->name, s->made));
    snprintf(older, sizeof older, "%s",
        path_in(number, s->name, s->older ? s->older : ""));
    if (s->older)
        cr_assert_ok(subject_save(real, older, SUBJECT_OLDER, &error), error);
    if (s->is_linked)
        cr_assert_eq(symlink(vv_path_name(older), path), 0);
    bool was_killed = save_and_die(s, path, number);
    check_link(s, path);
    enum subject_finding found = find(path);
    check_found(s->name, number, path, found, FOUND_NEWER,
        was_killed ? before : FOUND_NEWER);
    check_found(s->name, number, made, find(made), found,
        s->is_numbered && found != FOUND_NEWER ? FOUND_NOTHING : found);
    if (s->is_numbered && s->older)
        check_found(
            s->name, number, older, find(older), FOUND_OLDER, FOUND_OLDER);
    *newer += was_killed && found == FOUND_NEWER;
    cr_assert_ok(subject_save(real, path, SUBJECT_NEWER, &error), error);
    check_found(
        s->name, number, path, find(path), FOUND_NEWER, FOUND_NEWER);
    return was_killed;
}

TEST(crash, a_kill_at_any_call_leaves_the_older_or_the_newer_checkpoint)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        long kills = 0, newer = 0;
        while (try_kill(&scenarios[i], kills, &newer))
            kills++;
        cr_log_info("%s: killed at each of %ld calls; the newer one stood "
            "after %ld", scenarios[i].name, kills, newer);
        proof_count("kills.at_calls", (uint64_t)kills);
        cr_assert(kills > newer && newer > 0,
            "%s: never killed on both sides of the rename",
            scenarios[i].name);
    }
}
