/* writer.c - Writes to stores with the library and prints a line "STATUS
 * message" for each call.
 *
 *     writer write PATH N SIZE SEED     one file
 *     writer new PATH N SIZE SEED       one file that does not exist yet
 *     writer save PREFIX COUNT N SIZE   COUNT numbered files
 *     writer incremental PREFIX COUNT N SIZE  the same, few values change
 *     writer storm HERE THERE FROM COUNT N SIZE
 *                                       each file to both directories; every
 *                                       second one only if it does not exist
 *     writer manage DIRECTORY COUNT KEEP [LEVEL]
 *                                       saves of a manager; prints its files
 *     writer steps DIRECTORY COUNT      saves of a manager that keeps all; with
 *                                       PROBE_STEPPED each waits for a line
 *     writer resume DIRECTORY [LEVEL]   prints the step and skipped files
 *     writer saver PREFIX COUNT KEEP
 *     writer refuse FILE DIRECTORY      calls that no store supports
 *
 * PROBE_ATTEMPTS, PROBE_PART and PROBE_CONCURRENCY set options.
 * PROBE_INCREMENTAL makes saves of managers incremental (1), also on their
 * tiers (2); PROBE_ASYNC makes saves asynchronous.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

enum { PATH_SIZE = 4096 };

static void tell(varve_status status, const varve_error *error)
{
    printf("%s %s\n", varve_status_name(status), status ? error->message : "");
    fflush(stdout);
}

static size_t number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? (size_t)strtoull(text, NULL, 10) : 0;
}

/* --- The program ---------------------------------------------------------- */

struct program {
    varve_graph *graph;
    varve_node *root;
    unsigned char *bytes;
    size_t count; /* number of values */
    size_t size;  /* of each value */
    int64_t step;
};

/* Fills with bytes that differ in each step. */
static void fill(struct program *p, size_t from, uint64_t seed)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;
    for (size_t i = from * p->size; i < p->count * p->size; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        p->bytes[i] = (unsigned char)x;
    }
    p->step = (int64_t)seed;
}

static struct program begin(const char *count, const char *size)
{
    struct program p = { .count = strtoull(count, NULL, 10),
        .size = strtoull(size, NULL, 10) };
    p.bytes = calloc(p.count * p.size + 1, 1);
    p.graph = varve_graph_new(NULL);
    p.root = varve_graph_root(p.graph);
    varve_node *list = varve_add_list(p.root, "values");
    for (size_t i = 0; p.bytes && i < p.count; i++)
        varve_add_variable(list, VARVE_APPEND,
            (varve_tensor){ .data = p.bytes + i * p.size,
                .dtype = VARVE_UINT8,
                .rank = 1,
                .shape = { p.size } });
    return p;
}

static void end(struct program *p)
{
    varve_graph_free(p->graph);
    free(p->bytes);
}

/* The step is in the program's struct, which does not move. */
static void add_step(struct program *p)
{
    varve_add_variable(p->root, "step", varve_scalar(&p->step));
}

/* --- Files ---------------------------------------------------------------- */

static int write_one(char **a, bool is_new)
{
    struct program p = begin(a[1], a[2]);
    const varve_write_options options = { .no_replace = is_new };
    varve_error error;
    add_step(&p);
    fill(&p, 0, strtoull(a[3], NULL, 10));
    tell(varve_write(p.root, a[0], &options, &error), &error);
    end(&p);
    return 0;
}

/* Saves asynchronously and changes the values meanwhile. */
static varve_status save_behind(struct program *p, const char *prefix,
    const varve_write_options *options, varve_error *error)
{
    varve_job *job = varve_save_async(p->root, prefix, options, error);
    if (!job)
        return error->status;
    fill(p, 0, 0);
    varve_status status = varve_job_wait(job, error);
    varve_job_free(job);
    return status;
}

static int save(char **a, bool is_incremental)
{
    struct program p = begin(a[2], a[3]);
    const varve_write_options options = { .incremental = is_incremental };
    varve_error error;
    add_step(&p);
    fill(&p, 0, 0);
    for (long i = 1; i <= strtol(a[1], NULL, 10); i++) {
        fill(&p, is_incremental ? p.count - 1 : 0, (uint64_t)i);
        tell(number_of("PROBE_ASYNC")
                 ? save_behind(&p, a[0], &options, &error)
                 : varve_save(p.root, a[0], &options, &error),
            &error);
    }
    end(&p);
    return 0;
}

static int storm(char **a)
{
    struct program p = begin(a[4], a[5]);
    uint64_t from = strtoull(a[2], NULL, 10);
    add_step(&p);
    for (uint64_t i = from; i < from + strtoull(a[3], NULL, 10); i++) {
        char path[PATH_SIZE];
        varve_error error;
        const varve_write_options here = { .no_sync = true };
        const varve_write_options there = { .no_replace = i % 2 };
        fill(&p, 0, i);
        snprintf(path, sizeof path, "%s/%llu.varve", a[0],
            (unsigned long long)i);
        if (varve_write(p.root, path, &here, &error)) {
            tell(error.status, &error);
            return 2;
        }
        snprintf(path, sizeof path, "%s/%llu.varve", a[1],
            (unsigned long long)i);
        printf("%llu ", (unsigned long long)i);
        tell(varve_write(p.root, path, &there, &error), &error);
    }
    end(&p);
    return 0;
}

/* --- Managers ------------------------------------------------------------- */

static varve_manager *open_manager(struct program *p, const char *directory,
    size_t keep, const char *level, varve_error *error)
{
    const varve_level levels[] = { { .directory = level,
        .every_steps = 1,
        .keep_last = keep,
        .incremental = number_of("PROBE_LAYERED") == 2,
        .max_pending = 100 } };
    static varve_write_options write; /* the manager keeps a pointer to it */
    write.incremental = number_of("PROBE_LAYERED") != 0;
    const varve_manager_options options = { .keep_last = keep,
        .write = &write,
        .levels = level ? levels : NULL,
        .level_count = level != NULL,
        .may_start_new_run = true };
    add_step(p);
    varve_manager *m =
        varve_manager_new(p->root, directory, &options, error);
    if (!m)
        tell(error->status, error);
    return m;
}

static void list(varve_manager *m)
{
    varve_checkpoint_info managed;
    varve_level_state state;
    for (size_t i = 0; varve_manager_at(m, i, &managed); i++)
        printf("there %s\n", managed.path);
    if (varve_manager_warning(m))
        printf("warning %s\n", varve_manager_warning(m));
    if (varve_manager_level_at(m, 0, &state))
        printf("level %lld %s\n", (long long)state.step,
            state.failure ? state.failure : "");
}

static int manage(char **a, const char *level)
{
    struct program p = begin("3", "100000");
    varve_error error;
    varve_manager *m =
        open_manager(&p, a[0], strtoull(a[2], NULL, 10), level, &error);
    if (m && varve_manager_resume(m, &error))
        tell(error.status, &error);
    int64_t first = p.step;
    for (long i = 1; m && i <= strtol(a[1], NULL, 10); i++) {
        fill(&p, 0, (uint64_t)(first + i));
        tell(varve_manager_save(m, p.step, &error), &error);
    }
    if (m && level)
        tell(varve_manager_drain(m, -1, &error), &error);
    if (m)
        list(m);
    varve_manager_free(m);
    end(&p);
    return 0;
}

static int save_steps(const char *directory, const char *count)
{
    struct program p = begin("1", "100");
    varve_error error;
    varve_manager *m = open_manager(&p, directory, 0, NULL, &error);
    for (long i = 1; m && i <= strtol(count, NULL, 10); i++) {
        if (number_of("PROBE_STEPPED") && getchar() == EOF)
            break;
        fill(&p, 0, (uint64_t)i);
        tell(varve_manager_save(m, p.step, &error), &error);
    }
    if (m && varve_manager_warning(m))
        printf("warning %s\n", varve_manager_warning(m));
    varve_manager_free(m);
    end(&p);
    return 0;
}

static int resume(const char *directory, const char *level)
{
    struct program p = begin("3", "100000");
    varve_error error;
    varve_manager *m = open_manager(&p, directory, 0, level, &error);
    if (!m)
        return 0;
    varve_status status = varve_manager_resume(m, &error);
    tell(status, &error);
    for (size_t i = 0; varve_manager_skipped(m, i); i++)
        printf("passed over %s\n", varve_manager_skipped(m, i));
    unsigned char *found = malloc(p.count * p.size);
    if (!found)
        return 2;
    memcpy(found, p.bytes, p.count * p.size);
    fill(&p, 0, (uint64_t)p.step);
    printf("step %lld %s\n", (long long)p.step,
        memcmp(found, p.bytes, p.count * p.size) ? "WRONG" : "equal");
    free(found);
    varve_manager_free(m);
    end(&p);
    return 0;
}

static int save_as_saver(char **a)
{
    struct program p = begin("2", "1000");
    const varve_saver_options options = { .keep = strtoull(a[2], NULL, 10) };
    varve_error error;
    add_step(&p);
    varve_saver *saver = varve_saver_new(p.graph, &options, &error);
    if (varve_saver_add(saver, "model", p.root, &error))
        tell(error.status, &error);
    for (long i = 1; i <= strtol(a[1], NULL, 10); i++) {
        const varve_saver_save_options of = { .has_step = true,
            .step = (uint64_t)i };
        fill(&p, 0, (uint64_t)i);
        tell(varve_saver_save(saver, a[0], &of, &error), &error);
    }
    printf("latest %s\n", varve_saver_latest(saver));
    varve_saver_free(saver);
    end(&p);
    return 0;
}

/* --- What is refused ------------------------------------------------------ */

static void refuse_many(varve_node *root, const char *path)
{
    varve_processes *alone = varve_processes_new(1, NULL, NULL);
    const varve_comm *comm = varve_processes_join(alone, 0, NULL);
    varve_error error;
    tell(varve_write_all(comm, root, path, NULL, &error), &error);
    tell(varve_save_all(comm, root, path, NULL, &error), &error);
    varve_processes_free(alone);
}

static int refuse(const char *file, const char *directory)
{
    char path[PATH_SIZE];
    varve_error error;
    varve_graph *graph = varve_graph_from(file, NULL, &error);
    if (!graph)
        return 2;
    varve_node *root = varve_graph_root(graph);
    static const varve_format formats[] = { VARVE_FORMAT_NPZ,
        VARVE_FORMAT_TORCH, VARVE_FORMAT_HDF5, VARVE_FORMAT_TENSORFLOW };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const varve_write_options other = { .format = formats[i] };
        snprintf(path, sizeof path, "%s/a", directory);
        tell(varve_write(root, path, &other, &error), &error);
    }
    const varve_write_options several = { .format = VARVE_FORMAT_SAFETENSORS,
        .foreign = { .shard_size = 4096 } };
    snprintf(path, sizeof path, "%s/a.safetensors", directory);
    tell(varve_write(root, path, &several, &error), &error);
    tell(varve_prune_data_files(directory, &error), &error);
    varve_lease *lease = varve_lease_new(path, NULL, &error);
    tell(lease ? VARVE_OK : error.status, &error);
    varve_lease_free(lease);
    varve_events *events = varve_events_open(directory, NULL, &error);
    tell(events ? VARVE_OK : error.status, &error);
    varve_events_free(events);
    refuse_many(root, path);
    varve_graph_free(graph);
    return 0;
}

int main(int count, char **arguments)
{
    const varve_remote_options options = {
        .attempts = (unsigned)number_of("PROBE_ATTEMPTS"),
        .wait_ms = 1,
        .connect_timeout_ms = 3000,
        .part_size = number_of("PROBE_PART"),
        .concurrency = (unsigned)number_of("PROBE_CONCURRENCY"),
    };
    const char *what = count > 1 ? arguments[1] : "";
    char **rest = arguments + 2;
    varve_error error;
    if (varve_remote_enable(&options, &error)) {
        tell(error.status, &error);
        return 0;
    }
    if (strcmp(what, "write") == 0 && count == 6)
        return write_one(rest, false);
    if (strcmp(what, "new") == 0 && count == 6)
        return write_one(rest, true);
    if (strcmp(what, "save") == 0 && count == 6)
        return save(rest, false);
    if (strcmp(what, "incremental") == 0 && count == 6)
        return save(rest, true);
    if (strcmp(what, "storm") == 0 && count == 8)
        return storm(rest);
    if (strcmp(what, "manage") == 0 && (count == 5 || count == 6))
        return manage(rest, count == 6 ? rest[3] : NULL);
    if (strcmp(what, "steps") == 0 && count == 4)
        return save_steps(rest[0], rest[1]);
    if (strcmp(what, "resume") == 0 && (count == 3 || count == 4))
        return resume(rest[0], count == 4 ? rest[1] : NULL);
    if (strcmp(what, "saver") == 0 && count == 5)
        return save_as_saver(rest);
    if (strcmp(what, "refuse") == 0 && count == 4)
        return refuse(rest[0], rest[1]);
    return 2;
}
