/* subject.c - Saves the model, and restores and compares it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "crash/subject.h"

#include <string.h>

#include "graph.h"
#include "support/test_context.h"

static void fill(struct subject *s, unsigned seed)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 1000; i++)
        s->weights[i] = (float)(seed * 1000 + (unsigned)i);
    for (int i = 0; i < 20; i++)
        s->rates[i] = seed + i / 32.0;
    s->step = seed;
}

static varve_graph *build(
    struct subject *s, const struct vv_context *context)
{
    varve_graph *graph = vv_graph_new_in(context);
    cr_assert(graph, "the machine is out of memory");
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "weights", varve_array(s->weights, 20, 50));
    varve_add_variable(root, "rates", varve_array(s->rates, 20));
    varve_add_variable(root, "step", varve_scalar(&s->step));
    return graph;
}

static bool ends_in(const char *path, const char *ending)
{
    size_t size = strlen(path), suffix = strlen(ending);
    return size > suffix && strcmp(path + size - suffix, ending) == 0;
}

static const struct kind {
    const char *ending;
    varve_format format;
    uint64_t shard_size; /* small enough for two data files */
} kinds[] = {
    { VARVE_SUFFIX, VARVE_FORMAT_VARVE, 0 },
    { ".index", VARVE_FORMAT_TENSORFLOW, 4000 },
    { ".safetensors.index.json", VARVE_FORMAT_SAFETENSORS, 4000 },
    { ".safetensors", VARVE_FORMAT_SAFETENSORS, 0 },
    { ".npz", VARVE_FORMAT_NPZ, 0 },
    { ".pt", VARVE_FORMAT_TORCH, 0 },
    { ".gguf", VARVE_FORMAT_GGUF, 0 },
    { ".h5", VARVE_FORMAT_HDF5, 0 },
};

/* Returns the format of a path, or NULL for a prefix. */
static const struct kind *kind_of(const char *path)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (ends_in(path, kinds[i].ending))
            return &kinds[i];
    }
    return NULL;
}

static varve_status save_behind(struct subject *subject, varve_node *root,
    const char *path, varve_write_options *options, varve_error *error)
{
    options->async.zero_copy = true;
    varve_job *job = kind_of(path)
        ? varve_write_async(root, path, options, error)
        : varve_save_async(root, path, options, error);
    if (!job)
        return error->status;
    varve_status status = varve_job_wait_staged(job, error);
    fill(subject, 0);
    if (!status)
        status = varve_job_wait(job, error);
    varve_job_free(job);
    return status;
}

/* Saves the model. A longer note makes the newer file end in another sector. */
static varve_status save(const struct vv_system *system, const char *path,
    unsigned seed, bool is_behind, varve_error *error)
{
    char note[400];
    memset(note, 'n', sizeof note);
    note[seed == SUBJECT_OLDER ? 1 : sizeof note - 1] = '\0';
    varve_metadata metadata = { .name = "note",
        .kind = VARVE_METADATA_STRING, .string = note };
    varve_write_options options = {
        .metadata = &metadata, .metadata_count = 1 };
    struct vv_context context = test_context(system);
    struct subject subject;
    varve_graph *graph = build(&subject, &context);
    varve_node *root = varve_graph_root(graph);
    fill(&subject, seed);
    const struct kind *kind = kind_of(path);
    if (kind) {
        options.format = kind->format;
        options.foreign.shard_size = kind->shard_size;
    }
    varve_status status =
        is_behind ? save_behind(&subject, root, path, &options, error)
        : kind    ? varve_write(root, path, &options, error)
                  : varve_save(root, path, &options, error);
    varve_graph_free(graph);
    return status;
}

varve_status subject_save(const struct vv_system *system, const char *path,
    unsigned seed, varve_error *error)
{
    return save(system, path, seed, false, error);
}

varve_status subject_save_behind(const struct vv_system *system,
    const char *path, unsigned seed, varve_error *error)
{
    return save(system, path, seed, true, error);
}

static enum subject_finding compare(const struct subject *found)
{
    struct subject expected;
    fill(&expected, SUBJECT_OLDER);
    if (memcmp(found, &expected, sizeof expected) == 0)
        return FOUND_OLDER;
    fill(&expected, SUBJECT_NEWER);
    if (memcmp(found, &expected, sizeof expected) == 0)
        return FOUND_NEWER;
    return FOUND_WRONG;
}

enum subject_finding subject_find(
    const struct vv_system *system, const char *path)
{
    struct vv_context context = test_context(system);
    struct subject subject;
    varve_graph *graph = build(&subject, &context);
    fill(&subject, 0);
    varve_error error = { 0 };
    varve_restoration *restoration =
        varve_restore(varve_graph_root(graph), path, NULL, &error);
    enum subject_finding finding =
        restoration ? compare(&subject) :
        error.status == VARVE_NOT_FOUND ? FOUND_NOTHING : FOUND_REFUSED;
    varve_restoration_free(restoration);
    varve_graph_free(graph);
    return finding;
}

const char *subject_finding_name(enum subject_finding finding)
{
    static const char *const names[] = {
        "nothing", "the older", "the newer", "a file that is refused",
        "other values without an error",
    };
    return names[finding];
}
