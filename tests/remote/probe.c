/* probe.c - Calls the library on files in stores and prints a line "STATUS
 * message" for each call. Compares values with those of a local file.
 *
 *     probe make FILE N SIZE      N values of SIZE bytes, and a step
 *     probe verify URL...         opens and verifies each
 *     probe equal N FILE URL      N times: each value of URL equals that of
 *                                 FILE or fails; counts both
 *     probe value URL PATH        reads one value
 *     probe graph FILE URL COPY   reads URL into the graph of FILE, writes COPY
 *                                 unless that is "-"
 *     probe map URL SIZE          maps the first value, if that is possible
 *     probe latest PREFIX
 *     probe watch PREFIX          without a lease, then with one
 *     probe list DIRECTORY NAME   lists as a manager
 *     probe refuse FILE DIRECTORY all functions that would write there
 *     probe threads N FILE URL    N threads, each with its own reader and
 *                                 with a shared one
 *
 * PROBE_ATTEMPTS, PROBE_STALL, PROBE_TIMEOUT, PROBE_REDIRECTS,
 * PROBE_UNVERSIONED, PROBE_CERTIFICATES, PROBE_CONCURRENCY, PROBE_RANGE and,
 * for `graph`, PROBE_PASSES and PROBE_THREADS set options. With PROBE_LATE the
 * remote module is not enabled.
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

enum { MOST_THREADS = 16, STATUSES = 32 };

static void tell(varve_status status, const varve_error *error)
{
    printf("%s %s\n", varve_status_name(status), status ? error->message : "");
    fflush(stdout);
}

static unsigned number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

/* --- Comparing ------------------------------------------------------------ */

/* Returns 0 if the values are equal, 1 and a message if they differ, or the
 * status of a failed read. */
static varve_status compare_value(varve_reader *ours, varve_reader *theirs,
    const varve_saved_node *node, bool *differs, varve_error *error)
{
    varve_error own;
    size_t size = (size_t)node->size;
    char *expected = malloc(size + 1), *found = calloc(size + 1, 1);
    if (!expected || !found ||
        varve_reader_read(ours, node->id, expected, size, &own))
        abort();
    varve_status status =
        varve_reader_read(theirs, node->id, found, size, error);
    if (!status && memcmp(expected, found, size) != 0) {
        printf("WRONG %s\n", node->path);
        *differs = true;
    }
    free(expected);
    free(found);
    return status;
}

static varve_status compare_all(varve_reader *ours, varve_reader *theirs,
    bool *differs, varve_error *error)
{
    varve_saved_node node;
    varve_status status = VARVE_OK;
    if (varve_reader_node_count(ours) != varve_reader_node_count(theirs)) {
        printf("WRONG number of nodes\n");
        *differs = true;
    }
    for (size_t i = 0; !status && varve_reader_node_at(ours, i, &node); i++) {
        if (node.has_value)
            status = compare_value(ours, theirs, &node, differs, error);
    }
    return status;
}

static varve_reader *must_open(const char *file)
{
    varve_error error;
    varve_reader *reader = varve_reader_open(file, NULL, &error);
    if (!reader)
        tell(error.status, &error);
    if (!reader)
        exit(2);
    return reader;
}

static int equal(char **arguments)
{
    unsigned counts[STATUSES] = { 0 };
    bool differs = false;
    varve_reader *ours = must_open(arguments[1]);
    for (long i = strtol(arguments[0], NULL, 10); i > 0; i--) {
        varve_error error = { .status = VARVE_OK };
        varve_reader *theirs = varve_reader_open(arguments[2], NULL, &error);
        varve_status status =
            theirs ? compare_all(ours, theirs, &differs, &error) : error.status;
        varve_reader_free(theirs);
        if (status && counts[status] == 0)
            tell(status, &error);
        counts[status]++;
    }
    varve_reader_free(ours);
    for (int i = 0; i < STATUSES; i++) {
        if (counts[i])
            printf("COUNT %s %u\n", varve_status_name((varve_status)i),
                counts[i]);
    }
    return differs;
}

static varve_status fill(const varve_tensor *tensor, void *user)
{
    unsigned char *bytes = tensor->data;
    const long *number = user;
    for (size_t at = 0; at < (size_t)tensor->shape[0]; at++)
        bytes[at] = (unsigned char)(at * 31 + (at >> 8) * 7 + (size_t)*number);
    return VARVE_OK;
}

static int make(char **arguments)
{
    varve_error error;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_node *list = varve_add_list(root, "values");
    const varve_shape shape = { .rank = 1,
        .extents = { strtoull(arguments[2], NULL, 10) } };
    int64_t step = 77;
    for (long i = strtol(arguments[1], NULL, 10); i > 0; i--)
        varve_add_allocated_variable(
            list, VARVE_APPEND, VARVE_UINT8, shape, fill, &i);
    varve_add_variable(root, "step", varve_scalar(&step));
    tell(varve_write(root, arguments[0], NULL, &error), &error);
    varve_graph_free(graph);
    return 0;
}

/* --- One thing each ------------------------------------------------------- */

static int verify(int count, char **urls)
{
    for (int i = 0; i < count; i++) {
        varve_error error;
        varve_reader *reader = varve_reader_open(urls[i], NULL, &error);
        tell(reader ? varve_reader_verify(reader, NULL, &error) : error.status,
            &error);
        varve_reader_free(reader);
    }
    return 0;
}

static int value(char **arguments)
{
    varve_error error;
    varve_saved_node node;
    varve_reader *reader = must_open(arguments[0]);
    if (!varve_reader_find(reader, arguments[1], &node))
        return 2;
    void *bytes = malloc((size_t)node.size + 1);
    if (!bytes)
        return 2;
    tell(varve_reader_read(
             reader, node.id, bytes, (size_t)node.size, &error),
        &error);
    free(bytes);
    varve_reader_free(reader);
    return 0;
}

static int graph(char **arguments)
{
    varve_error error;
    varve_graph *graph = varve_graph_from(arguments[0], NULL, &error);
    if (!graph)
        return 2;
    varve_node *root = varve_graph_root(graph);
    const varve_read_options options = {
        .passes = (varve_passes)number_of("PROBE_PASSES"),
        .resources.threads = number_of("PROBE_THREADS"),
    };
    varve_restoration *restoration =
        varve_read(root, arguments[1], &options, &error);
    varve_status status = restoration ? VARVE_OK : error.status;
    if (!status && strcmp(arguments[2], "-") != 0)
        status = varve_write(root, arguments[2], NULL, &error);
    tell(status, &error);
    varve_restoration_free(restoration);
    varve_graph_free(graph);
    return 0;
}

/* Maps the value to a library-owned variable that is added later. */
static int map(const char *url, const char *size)
{
    const varve_read_options options = { .map = true };
    const varve_shape shape = { .rank = 1,
        .extents = { strtoull(size, NULL, 10) } };
    varve_error error;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_restoration *restoration = varve_read(root, url, &options, &error);
    varve_node *list = varve_add_list(root, "values");
    varve_add_allocated_variable(
        list, VARVE_APPEND, VARVE_UINT8, shape, NULL, NULL);
    varve_status status =
        restoration ? varve_graph_check(graph, &error) : error.status;
    tell(status, &error);
    varve_restoration_free(restoration);
    varve_graph_free(graph);
    return 0;
}

static int watch(const char *prefix)
{
    for (int i = 0; i < 2; i++) {
        const varve_watch_options options = { .no_lease = i == 0 };
        const char *path = NULL;
        varve_error error;
        varve_watch *watch = varve_watch_new(prefix, &options, &error);
        varve_status status = varve_watch_next(watch, 1000, &path, &error);
        if (status)
            tell(status, &error);
        else
            printf("%s\n", path);
        varve_watch_free(watch);
    }
    return 0;
}

static int latest(const char *prefix)
{
    char path[4096];
    varve_error error;
    varve_status status = varve_latest(prefix, path, sizeof path, &error);
    if (status)
        tell(status, &error);
    else
        printf("%s\n", path);
    return 0;
}

static int list(const char *directory, const char *name)
{
    const varve_manager_options options = { .prefix = name,
        .retention_from_ledger = true };
    varve_error error;
    varve_graph *graph = varve_graph_new(NULL);
    varve_manager *manager = varve_manager_new(
        varve_graph_root(graph), directory, &options, &error);
    varve_checkpoint_info managed;
    if (!manager)
        tell(error.status, &error);
    for (size_t i = 0; manager && varve_manager_at(manager, i, &managed); i++)
        printf("%s\n", managed.path);
    varve_manager_free(manager);
    varve_graph_free(graph);
    return 0;
}

/* --- What is refused ------------------------------------------------------ */

static varve_status manage(
    varve_node *root, const char *directory, varve_error *error)
{
    varve_manager *manager = varve_manager_new(root, directory, NULL, error);
    if (!manager)
        return error->status;
    varve_status status = varve_manager_save(manager, 7, error);
    varve_manager_free(manager);
    return status;
}

static varve_status save_as_saver(
    varve_graph *graph, const char *path, varve_error *error)
{
    varve_saver *saver = varve_saver_new(graph, NULL, error);
    varve_status status = varve_saver_add_named(
        saver, varve_graph_root(graph), error);
    if (!status)
        status = varve_saver_save(saver, path, NULL, error);
    varve_saver_free(saver);
    return status;
}

static varve_status take_lease(const char *path, varve_error *error)
{
    varve_lease *lease = varve_lease_new(path, NULL, error);
    varve_lease_free(lease);
    return lease ? VARVE_OK : error->status;
}

static varve_status save_behind(
    varve_node *root, const char *path, varve_error *error)
{
    varve_job *job = varve_write_async(root, path, NULL, error);
    varve_status status = job ? varve_job_wait(job, error) : error->status;
    varve_job_free(job);
    return status;
}

static int refuse(const char *file, const char *directory)
{
    char path[4096], foreign[4096];
    varve_error error;
    varve_graph *graph = varve_graph_from(file, NULL, &error);
    if (!graph)
        return 2;
    varve_node *root = varve_graph_root(graph);
    const varve_write_options other = {
        .format = VARVE_FORMAT_SAFETENSORS, .foreign = { .shard_size = 4096 }
    };
    snprintf(path, sizeof path, "%s/a-1.varve", directory);
    snprintf(foreign, sizeof foreign, "%s/a.safetensors", directory);
    tell(varve_write(root, path, NULL, &error), &error);
    tell(varve_write(root, foreign, &other, &error), &error);
    tell(save_behind(root, path, &error), &error);
    tell(varve_save(root, path, NULL, &error), &error);
    tell(save_as_saver(graph, path, &error), &error);
    tell(varve_repack(path, NULL, NULL, &error), &error);
    tell(varve_repack(file, path, NULL, &error), &error);
    tell(varve_prune_data_files(directory, &error), &error);
    tell(manage(root, directory, &error), &error);
    tell(take_lease(path, &error), &error);
    varve_graph_free(graph);
    return 0;
}

/* --- Threads -------------------------------------------------------------- */

struct visit {
    const char *file;
    const char *url;
    varve_reader *shared;
    bool differs;
    varve_status status;
    varve_error error;
};

static void *visit(void *argument)
{
    struct visit *v = argument;
    varve_reader *ours = must_open(v->file);
    varve_reader *theirs = varve_reader_open(v->url, NULL, &v->error);
    v->status = theirs ? compare_all(ours, theirs, &v->differs, &v->error)
                       : v->error.status;
    if (!v->status)
        v->status = compare_all(ours, v->shared, &v->differs, &v->error);
    varve_reader_free(theirs);
    varve_reader_free(ours);
    return NULL;
}

static int threads(char **arguments)
{
    unsigned count = (unsigned)strtoul(arguments[0], NULL, 10);
    static struct visit visits[MOST_THREADS];
    pthread_t handles[MOST_THREADS];
    bool differs = false;
    varve_reader *shared = must_open(arguments[2]);
    for (unsigned i = 0; i < count; i++) {
        visits[i] = (struct visit){
            .file = arguments[1], .url = arguments[2], .shared = shared
        };
        if (pthread_create(&handles[i], NULL, visit, &visits[i]))
            return 2;
    }
    for (unsigned i = 0; i < count; i++) {
        pthread_join(handles[i], NULL);
        tell(visits[i].status, &visits[i].error);
        differs |= visits[i].differs;
    }
    varve_reader_free(shared);
    return differs;
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    const varve_remote_options options = {
        .attempts = number_of("PROBE_ATTEMPTS"),
        .wait_ms = 1,
        .connect_timeout_ms = 3000,
        .stall_timeout_s = number_of("PROBE_STALL"),
        .operation_timeout_s = number_of("PROBE_TIMEOUT"),
        .redirects = (varve_redirects)number_of("PROBE_REDIRECTS"),
        .allow_unversioned = number_of("PROBE_UNVERSIONED") != 0,
        .certificates = getenv("PROBE_CERTIFICATES"),
        .concurrency = number_of("PROBE_CONCURRENCY"),
        .range_size = number_of("PROBE_RANGE"),
    };
    varve_error error;
    varve_status status = getenv("PROBE_LATE")
                              ? VARVE_OK
                              : varve_remote_enable(&options, &error);
    if (status) {
        tell(status, &error);
        return 0;
    }
    if (strcmp(what, "make") == 0 && count == 5)
        return make(arguments + 2);
    if (strcmp(what, "verify") == 0)
        return verify(count - 2, arguments + 2);
    if (strcmp(what, "equal") == 0 && count == 5)
        return equal(arguments + 2);
    if (strcmp(what, "value") == 0 && count == 4)
        return value(arguments + 2);
    if (strcmp(what, "graph") == 0 && count == 5)
        return graph(arguments + 2);
    if (strcmp(what, "map") == 0 && count == 4)
        return map(arguments[2], arguments[3]);
    if (strcmp(what, "watch") == 0 && count == 3)
        return watch(arguments[2]);
    if (strcmp(what, "latest") == 0 && count == 3)
        return latest(arguments[2]);
    if (strcmp(what, "list") == 0 && count == 4)
        return list(arguments[2], arguments[3]);
    if (strcmp(what, "refuse") == 0 && count == 4)
        return refuse(arguments[2], arguments[3]);
    if (strcmp(what, "threads") == 0 && count == 5)
        return threads(arguments + 2);
    return 2;
}
