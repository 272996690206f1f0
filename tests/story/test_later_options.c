/* test_later_options.c - Tests that options of a later library version are
 * rejected without any effect.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

static int something;

#define LATER { .words[7] = &something }

struct world {
    varve_graph *graph;
    varve_node *root;
    varve_error error;
    float v;
    int calls; /* calls that returned something */
};

static void begin(struct world *w)
{
    *w = (struct world){ .v = 1 };
    w->graph = story_graph();
    w->root = varve_graph_root(w->graph);
    story_add(w->root, "v", &w->v);
}

static void end(struct world *w)
{
    varve_graph_free(w->graph);
}

#define REFUSED(w, call)                                                       \
    do {                                                                       \
        (w)->error = (varve_error){ 0 };                                       \
        if (call)                                                              \
            (w)->calls++;                                                      \
        cr_assert_eq((w)->error.status, VARVE_TOO_NEW, "%s: %s", #call,        \
            (w)->error.message);                                               \
    } while (0)

static varve_status visit(void *user, varve_node *node, const char *path)
{
    (void)node;
    (void)path;
    (*(int *)user)++;
    return VARVE_OK;
}

TEST(later_options, are_refused_by_files)
{
    struct world w;
    begin(&w);
    STORY_FILE("f", { "v", 5 });
    const char *path = test_path("f");
    varve_write_options write = { .reserved = LATER };
    varve_read_options read = { .reserved = { [6] = &something } };
    varve_verify_options verify = { .reserved = LATER };
    REFUSED(&w, varve_write(w.root, test_path("g"), &write, &w.error));
    REFUSED(&w, varve_save(w.root, test_path("g"), &write, &w.error));
    REFUSED(&w, varve_read(w.root, path, &read, &w.error));
    REFUSED(&w, varve_restore(w.root, path, &read, &w.error));
    REFUSED(&w, varve_dry_run(w.root, path, &read, &w.error));
    cr_assert_eq(w.v, 1);
    cr_assert_eq(test_file_count(), 1);
    varve_reader *reader = varve_reader_open(path, NULL, &w.error);
    cr_assert(reader);
    REFUSED(&w, varve_reader_verify(reader, &verify, &w.error));
    varve_reader_free(reader);
    end(&w);
}

TEST(later_options, are_refused_in_the_struct_of_a_feature)
{
    struct world w;
    begin(&w);
    STORY_FILE("f", { "v", 5 });
    const char *path = test_path("f");
    const varve_write_options write = { .increment.reserved = LATER };
    const varve_read_options read = { .salvage.reserved = LATER };
    const varve_reader_options open = { .foreign.reserved = LATER };
    REFUSED(&w, varve_write(w.root, path, &write, &w.error));
    REFUSED(&w, varve_repack(path, NULL, &write, &w.error));
    REFUSED(&w, varve_read(w.root, path, &read, &w.error));
    REFUSED(&w, varve_reader_open_with(path, &open, &w.error));
    cr_assert_eq(w.v, 1);
    end(&w);
}

TEST(later_options, are_refused_by_graphs_and_snapshots)
{
    struct world w;
    begin(&w);
    int visited = 0;
    varve_select select = { .reserved = LATER };
    varve_snapshot_options options = { .reserved[6] = &something };
    varve_snapshot_restore_options back = { .reserved = LATER };
    REFUSED(&w, varve_each(w.root, &select, visit, &visited, &w.error));
    cr_assert_eq(visited, 0);
    REFUSED(&w, varve_snapshot_new_with(w.root, &options, &w.error));
    REFUSED(&w, varve_ring_new(w.root, 2, &options, &w.error));
    varve_snapshot *snapshot = varve_snapshot_new(w.root, &w.error);
    cr_assert(snapshot);
    w.v = 2;
    REFUSED(&w, varve_snapshot_restore_with(snapshot, &back, &w.error));
    cr_assert_eq(w.v, 2);
    varve_snapshot_free(snapshot);
    end(&w);
}

TEST(later_options, are_refused_by_managers_savers_and_watches)
{
    struct world w;
    begin(&w);
    varve_manager_options manage = { .reserved[4] = &something };
    varve_manager_save_options save = { .reserved = LATER };
    varve_saver_options name = { .reserved = LATER };
    varve_saver_save_options save_names = { .reserved = LATER };
    varve_watch_options watch = { .reserved = LATER };
    varve_events_options events = { .reserved = LATER };
    varve_records_options records = { .reserved[4] = &something };
    REFUSED(&w, varve_manager_new(w.root, test_path("d"), &manage, &w.error));
    varve_manager *m =
        varve_manager_new(w.root, test_path("d"), NULL, &w.error);
    cr_assert(m);
    REFUSED(&w, varve_manager_save_with(m, 1, &save, &w.error));
    cr_assert_eq(varve_manager_count(m), 0);
    varve_manager_free(m);
    REFUSED(&w, varve_saver_new(w.graph, &name, &w.error));
    varve_saver *saver = varve_saver_new(w.graph, NULL, &w.error);
    cr_assert(saver);
    cr_assert_eq(varve_saver_add(saver, "v", varve_find(w.root, "v"), &w.error),
        VARVE_OK);
    REFUSED(&w,
        varve_saver_save(saver, test_path("s"), &save_names, &w.error));
    varve_saver_free(saver);
    REFUSED(&w, varve_watch_new(test_path("w"), &watch, &w.error));
    REFUSED(&w, varve_events_open(test_path("e"), &events, &w.error));
    REFUSED(&w,
        varve_records_open_array(&w.v, 1, 4, &records, &w.error));
    end(&w);
}
