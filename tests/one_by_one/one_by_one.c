/* one_by_one.c - Makes calls one by one on n and on 4n items. one_by_one.py
 * counts their instructions.
 *
 *     one_by_one FOLDER [FAMILY]
 *
 * Prints a line for each family and size: its name, n, and the bytes that the
 * calls allocated. The instructions are in the dumps of callgrind, in the same
 * order.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/callgrind.h>

#include <varve/varve.h>

enum { MOST = 1 << 14, TIMES = 4 };

static varve_error error;
static char folder[3000], path[4096];
static float values[MOST];
static varve_node *nodes[MOST];

static void expect(bool is_so, const char *what)
{
    if (is_so)
        return;
    fprintf(stderr, "one_by_one: %s: %s\n", what, error.message);
    exit(EXIT_FAILURE);
}

/* --- Counting ----------------------------------------------------------- */

static size_t bytes;

static void *allocate(void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    bytes += new_size;
    if (new_size)
        return realloc(old, new_size);
    free(old);
    return NULL;
}

static const varve_allocator allocator = { .function = allocate };

static const char *family;
static size_t measured;

static void begin(void)
{
    bytes = 0;
    CALLGRIND_ZERO_STATS;
}

static void end(void)
{
    CALLGRIND_DUMP_STATS;
    printf("%s %zu %zu\n", family, measured, bytes);
}

/* --- Graphs ------------------------------------------------------------- */

static const char *name_of(size_t i)
{
    static char text[32];
    snprintf(text, sizeof text, "name-%07zu", i);
    return text;
}

static varve_graph *flat(size_t n)
{
    varve_graph *graph = varve_graph_new(&allocator);
    for (size_t i = 0; i < n; i++)
        nodes[i] = varve_add_variable(varve_graph_root(graph), name_of(i),
            varve_scalar(&values[i]));
    return graph;
}

static void save(varve_graph *graph)
{
    varve_write_options options = { .no_sync = true };
    snprintf(path, sizeof path, "%s/growth.varve", folder);
    expect(!varve_write(varve_graph_root(graph), path, &options, &error), path);
}

static varve_restoration *read_into(varve_graph *graph)
{
    varve_restoration *r =
        varve_read(varve_graph_root(graph), path, NULL, &error);
    expect(r != NULL, path);
    return r;
}

static varve_node *new_list(varve_graph *graph, size_t n)
{
    varve_node *list = varve_add_list(varve_graph_root(graph), "list");
    for (size_t i = 0; i < n; i++)
        nodes[i] = varve_add_object(list, VARVE_APPEND);
    return list;
}

/* --- Lists -------------------------------------------------------------- */

static void list_removed_oldest_first(size_t n)
{
    varve_graph *graph = varve_graph_new(&allocator);
    new_list(graph, n);
    begin();
    for (size_t i = 0; i < n; i++)
        varve_remove(nodes[i]);
    end();
    varve_graph_free(graph);
}

static void list_popped_by_position(size_t n)
{
    varve_graph *graph = varve_graph_new(&allocator);
    varve_node *list = new_list(graph, n);
    begin();
    for (size_t i = 0; i < n; i++)
        varve_remove(varve_list_at(list, 0));
    end();
    varve_graph_free(graph);
}

static void list_popped_by_edge(size_t n)
{
    varve_graph *graph = varve_graph_new(&allocator);
    varve_node *list = new_list(graph, n);
    begin();
    for (size_t i = 0; i < n; i++)
        varve_untrack(list, varve_edge_first(list)->name);
    end();
    varve_graph_free(graph);
}

/* A replay buffer: removes the oldest element, adds one, and reads another. */
static void list_as_a_queue(size_t n)
{
    varve_graph *graph = varve_graph_new(&allocator);
    varve_node *list = new_list(graph, n);
    begin();
    for (size_t i = 0; i < 2 * n; i++) {
        varve_list_remove(list, 0);
        varve_add_object(list, VARVE_APPEND);
        expect(varve_list_at(list, i * 7 % n) != NULL, family);
    }
    end();
    varve_graph_free(graph);
}

/* --- Names -------------------------------------------------------------- */

static void aliases_of_one_node(size_t n)
{
    varve_graph *graph = flat(1);
    begin();
    for (size_t i = 1; i <= n; i++)
        varve_alias(nodes[0], name_of(i));
    end();
    varve_graph_free(graph);
}

static void retired_names(size_t n)
{
    varve_graph *old = flat(n);
    varve_graph *graph = varve_graph_new(&allocator);
    save(old);
    begin();
    for (size_t i = 0; i < n; i++)
        varve_retire(varve_graph_root(graph), name_of(i));
    varve_restoration *r = read_into(graph);
    expect(!varve_assert_consumed(r, &error), family);
    end();
    varve_restoration_free(r);
    varve_graph_free(graph);
    varve_graph_free(old);
}

/* --- Restorations ------------------------------------------------------- */

static void restored_again(size_t n)
{
    varve_graph *graph = flat(n);
    save(graph);
    varve_restoration *r = read_into(graph);
    begin();
    for (size_t i = 0; i < n; i++)
        expect(!varve_restore_again(r, nodes[i], &error), family);
    end();
    varve_restoration_free(r);
    varve_graph_free(graph);
}

static void pending_counted(size_t n)
{
    varve_graph *old = flat(n);
    varve_graph *graph = varve_graph_new(&allocator);
    save(old);
    varve_restoration *r = read_into(graph);
    begin();
    for (size_t i = 0; i < n; i++)
        expect(varve_pending_count(r) == n, family);
    end();
    varve_restoration_free(r);
    varve_graph_free(graph);
    varve_graph_free(old);
}

static void pending_dropped(size_t n)
{
    varve_graph *old = flat(n);
    varve_graph *graph = varve_graph_new(&allocator);
    save(old);
    varve_restoration *r = read_into(graph);
    begin();
    for (size_t i = 0; i < n; i++)
        expect(!varve_drop_pending(r, name_of(i), &error), family);
    end();
    expect(varve_pending_count(r) == 0, family);
    varve_restoration_free(r);
    varve_graph_free(graph);
    varve_graph_free(old);
}

static void retried_with_nothing_to_do(size_t n)
{
    varve_graph *graph = flat(n);
    save(graph);
    varve_restoration *r = read_into(graph);
    begin();
    for (size_t i = 0; i < n; i++)
        expect(!varve_restoration_retry(r, &error), family);
    end();
    varve_restoration_free(r);
    varve_graph_free(graph);
}

static void metadata_by_name(size_t n)
{
    static varve_metadata metadata[MOST];
    static char names[MOST][32];
    varve_graph *graph = flat(1);
    for (size_t i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "%s", name_of(i));
        metadata[i] = (varve_metadata){ .name = names[i],
            .kind = VARVE_METADATA_INTEGER };
    }
    varve_write_options options = { .no_sync = true, .metadata = metadata,
        .metadata_count = n };
    snprintf(path, sizeof path, "%s/growth.varve", folder);
    expect(!varve_write(varve_graph_root(graph), path, &options, &error), path);
    varve_restoration *r = read_into(graph);
    begin();
    for (size_t i = 0; i < n; i++)
        expect(varve_restoration_metadata(r, names[i]) != NULL, family);
    end();
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* --- Copies ------------------------------------------------------------- */

static void subgraphs_copied(size_t n)
{
    varve_graph *from = flat(n);
    varve_graph *graph = varve_graph_new(&allocator);
    begin();
    for (size_t i = 0; i < n; i++)
        expect(varve_copy_subgraph(varve_graph_root(graph), name_of(i),
                   nodes[i], &error) != NULL,
            family);
    end();
    varve_graph_free(graph);
    varve_graph_free(from);
}

static void removed_under_a_snapshot(size_t n)
{
    varve_graph *graph = flat(n);
    varve_snapshot *snapshot =
        varve_snapshot_new(varve_graph_root(graph), &error);
    expect(snapshot != NULL, family);
    begin();
    for (size_t i = 0; i < n; i++)
        varve_remove(nodes[i]);
    end();
    varve_snapshot_free(snapshot);
    varve_graph_free(graph);
}

static void pushed_into_a_full_ring(size_t n)
{
    varve_graph *graph = flat(1);
    varve_ring *ring =
        varve_ring_new(varve_graph_root(graph), n, NULL, &error);
    expect(ring != NULL, family);
    for (size_t i = 0; i < n; i++)
        expect(!varve_ring_push(ring, &error), family);
    begin();
    for (size_t i = 0; i < n; i++)
        expect(!varve_ring_push(ring, &error), family);
    end();
    varve_ring_free(ring);
    varve_graph_free(graph);
}

/* --- Files of savers and managers --------------------------------------- */

/* Makes a saver that keeps some of n files, and sets the list of them. */
static varve_saver *saver_of(varve_graph *graph, size_t n, size_t keep)
{
    static char names[MOST / 4][3100];
    static const char *list[MOST / 4];
    varve_saver_options options = { .keep = keep };
    varve_saver *saver = varve_saver_new(graph, &options, &error);
    expect(saver && !varve_saver_add_named(
                        saver, varve_graph_root(graph), &error),
        family);
    for (size_t i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "%s/list-%zu.varve", folder, i);
        FILE *file = fopen(names[i], "w");
        expect(file && fclose(file) == 0, names[i]);
        list[i] = names[i];
    }
    begin();
    expect(!varve_saver_set_list(saver, list, n, &error), family);
    return saver;
}

static void files_listed_by_a_saver(size_t n)
{
    varve_graph *graph = flat(1);
    varve_saver *saver = saver_of(graph, n, 0);
    end();
    varve_saver_free(saver);
    varve_graph_free(graph);
}

static void files_deleted_by_a_saver(size_t n)
{
    varve_graph *graph = flat(1);
    varve_saver *saver = saver_of(graph, n, n / 2);
    snprintf(path, sizeof path, "%s/saved", folder);
    begin();
    expect(!varve_saver_save(saver, path, NULL, &error), path);
    end();
    expect(varve_saver_count(saver) == n / 2, family);
    varve_saver_free(saver);
    varve_graph_free(graph);
}

/* Opens a manager of a directory with n checkpoints. */
static varve_manager *manager_of(varve_graph *graph, size_t n, size_t keep)
{
    static varve_write_options fast = { .no_sync = true };
    char place[4000];
    varve_manager_options options = { .keep_last = MOST, .write = &fast };
    snprintf(place, sizeof place, "%s/%s-%zu", folder, family, measured);
    varve_manager *manager =
        varve_manager_new(varve_graph_root(graph), place, &options, &error);
    for (size_t i = 1; i <= n; i++)
        expect(manager && !varve_manager_save(manager, (int64_t)i, &error),
            place);
    varve_manager_free(manager);
    options.keep_last = keep;
    manager =
        varve_manager_new(varve_graph_root(graph), place, &options, &error);
    expect(manager && !varve_manager_resume(manager, &error), place);
    return manager;
}

static void checkpoints_refreshed(size_t n)
{
    varve_graph *graph = flat(1);
    varve_manager *manager = manager_of(graph, n, MOST);
    begin();
    expect(!varve_manager_refresh(manager, &error), family);
    end();
    varve_manager_free(manager);
    varve_graph_free(graph);
}

static void checkpoints_resumed(size_t n)
{
    varve_graph *graph = flat(1);
    varve_manager_free(manager_of(graph, n, MOST));
    begin();
    varve_manager *manager = manager_of(graph, 0, MOST);
    end();
    varve_manager_free(manager);
    varve_graph_free(graph);
}

static void checkpoints_pruned(size_t n)
{
    varve_graph *graph = flat(1);
    varve_manager *manager = manager_of(graph, n, 1);
    begin();
    expect(!varve_manager_prune(manager, &error), family);
    end();
    varve_manager_free(manager);
    varve_graph_free(graph);
}

/* --- All ---------------------------------------------------------------- */

static const struct family {
    const char *name;
    void (*run)(size_t n);
    size_t n;
} families[] = {
    { "list_removed_oldest_first", list_removed_oldest_first, 500 },
    { "list_popped_by_position", list_popped_by_position, 500 },
    { "list_popped_by_edge", list_popped_by_edge, 500 },
    { "list_as_a_queue", list_as_a_queue, 500 },
    { "aliases_of_one_node", aliases_of_one_node, 2000 },
    { "retired_names", retired_names, 1000 },
    { "restored_again", restored_again, 500 },
    { "pending_counted", pending_counted, 500 },
    { "pending_dropped", pending_dropped, 200 },
    { "retried_with_nothing_to_do", retried_with_nothing_to_do, 1000 },
    { "metadata_by_name", metadata_by_name, 500 },
    { "subgraphs_copied", subgraphs_copied, 1000 },
    { "removed_under_a_snapshot", removed_under_a_snapshot, 500 },
    { "pushed_into_a_full_ring", pushed_into_a_full_ring, 500 },
    { "files_listed_by_a_saver", files_listed_by_a_saver, 200 },
    { "files_deleted_by_a_saver", files_deleted_by_a_saver, 100 },
    { "checkpoints_refreshed", checkpoints_refreshed, 60 },
    { "checkpoints_resumed", checkpoints_resumed, 60 },
    { "checkpoints_pruned", checkpoints_pruned, 60 },
};

int main(int count, char **words)
{
    if (count < 2)
        return EXIT_FAILURE;
    snprintf(folder, sizeof folder, "%s", words[1]);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        family = families[i].name;
        if (count > 2 && strcmp(words[2], family) != 0)
            continue;
        for (size_t times = 1; times <= TIMES; times *= TIMES) {
            measured = times * families[i].n;
            families[i].run(measured);
        }
    }
    return EXIT_SUCCESS;
}
