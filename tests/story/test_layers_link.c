/* test_layers_link.c - Tests directories that share a folder of data files
 * through a symbolic link: pruning deletes no data file there.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* for symlink */

#include "story.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <varve/incremental.h>
#include <varve/manager.h>
#include <varve/reader.h>

enum { COUNT = 65536, SAVES = 5 };

/* A program with a manager of its own directory. */
struct sharer {
    float fixed[COUNT];
    float changing[COUNT];
    varve_graph *graph;
    varve_manager *manager;
    char directory[512];
};

static const varve_write_options incremental = { .incremental = true };

static void begin(struct sharer *s, const char *name, size_t keep_last)
{
    varve_error error = { 0 };
    memset(s, 0, sizeof *s);
    snprintf(s->directory, sizeof s->directory, "%s", test_path(name));
    s->graph = story_graph();
    varve_node *root = varve_graph_root(s->graph);
    varve_add_variable(root, "fixed", varve_array(s->fixed, COUNT));
    varve_add_variable(root, "changing", varve_array(s->changing, COUNT));
    s->manager = varve_manager_new(root, s->directory,
        &(varve_manager_options){
            .keep_last = keep_last, .write = &incremental },
        &error);
    cr_assert(s->manager, "%s", error.message);
}

static void save(struct sharer *s, int step)
{
    varve_error error = { 0 };
    for (int i = 0; i < COUNT; i++)
        s->changing[i] = (float)(step * 7 + i);
    cr_assert_ok(varve_manager_save(s->manager, step, &error), error);
}

static void end(struct sharer *s)
{
    varve_manager_free(s->manager);
    varve_graph_free(s->graph);
}

/* Verifies all checkpoints and returns their number. */
static size_t verify_all(struct sharer *s)
{
    varve_checkpoint_info found;
    size_t count = 0;
    for (; varve_manager_at(s->manager, count, &found); count++) {
        varve_error error = { 0 };
        varve_reader *reader = varve_reader_open(found.path, NULL, &error);
        cr_assert(reader, "%s", error.message);
        cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
        varve_reader_free(reader);
    }
    return count;
}

static void make_link(const char *to, const char *name)
{
    cr_assert_eq(symlink(to, test_path(name)), 0);
}

static void make_directory(const char *name)
{
    cr_assert_eq(mkdir(test_path(name), 0777), 0);
}

TEST(layers_link, two_managers_of_one_directory_damage_nothing_and_warn)
{
    static struct sharer both[2];
    make_directory("one");
    make_directory("two");
    make_directory("folder");
    make_link("../folder", "one/layers");
    make_link("../folder", "two/layers");
    begin(&both[0], "one", 2);
    begin(&both[1], "two", 2);
    for (int step = 1; step <= SAVES; step++) {
        for (int i = 0; i < 2; i++) {
            save(&both[i], step);
            const char *warning = varve_manager_warning(both[i].manager);
            cr_assert_eq(warning != NULL, step > 2, "step %d", step);
            cr_assert(!warning || strstr(warning, "symbolic link"));
        }
    }
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(verify_all(&both[i]), 2);
        end(&both[i]);
    }
}

TEST(layers_link, a_linked_data_directory_loses_no_file)
{
    static struct sharer owner, guest;
    varve_error error = { 0 };
    make_directory("owner");
    make_directory("owner/layers");
    make_directory("guest");
    make_link("../owner/layers", "guest/layers");
    begin(&owner, "owner", 1);
    begin(&guest, "guest", 0);
    save(&owner, 1);
    save(&guest, 1);
    save(&owner, 2);
    const char *warning = varve_manager_warning(owner.manager);
    cr_assert(warning && strstr(warning, "owner/layers"));
    cr_assert(strstr(warning, "\"shared\""), "%s", warning);
    cr_assert_eq(
        varve_prune_data_files(owner.directory, &error), VARVE_MISUSE);
    cr_assert_eq(verify_all(&owner), 1);
    cr_assert_eq(verify_all(&guest), 1);
    end(&owner);
    end(&guest);
}

TEST(layers_link, pruning_a_directory_with_a_link_fails_with_its_name)
{
    static struct sharer owner;
    varve_error error = { 0 };
    make_directory("other");
    begin(&owner, "owner", 0);
    for (int step = 1; step <= 3; step++)
        save(&owner, step);
    make_link("../owner/layers", "other/layers");
    cr_assert_eq(
        varve_prune_data_files(test_path("other"), &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "other/layers"), "%s", error.message);
    cr_assert(story_says(&error, "symbolic link"), "%s", error.message);
    cr_assert(story_is_one_line(&error));
    cr_assert_eq(verify_all(&owner), 3);
    end(&owner);
}
