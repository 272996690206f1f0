/* data.c - Reads data from several files, for docs/howto/data.md.
 *
 *     data BATCHES FILE...
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

#include <varve/varve.h>

static varve_records *open_data(
    char *const *paths, size_t count, varve_error *error)
{
    varve_records_options options = {
        .shuffle = true,
        .seed = 7,
        .batch = 2,
        .epochs = 2,
        .skip_lines = 1, /* the names of the columns */
    };
    return varve_records_open_line_files(
        (const char *const *)paths, count, &options, error);
}

static void train(const varve_records *records, const varve_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const varve_record *record = &batch->records[i];
        uint64_t number;
        const char *path = varve_records_file(records, record->index, &number);
        printf("epoch %d, %s, row %d: %.*s\n", (int)batch->epoch, path,
            (int)number + 1, (int)record->size, (const char *)record->data);
    }
}

/* Resumes from the newest checkpoint, if there is one, and reads some
 * batches. */
static varve_status run(
    varve_records *records, varve_node *root, int batches, varve_error *error)
{
    /* [run] */
    varve_add_records(root, "data", records);
    varve_restoration *restoration = varve_restore(root, "run", NULL, error);
    varve_status status = restoration ? VARVE_OK : error->status;
    varve_restoration_free(restoration);
    if (status == VARVE_NOT_FOUND) /* the first run */
        status = VARVE_OK;
    else if (!status)
        status = varve_records_check(records, error);
    for (int i = 0; i < batches && !status; i++) {
        varve_batch batch;
        status = varve_records_next(records, &batch, error);
        if (status || batch.count == 0)
            break;
        train(records, &batch);
        status = varve_save(root, "run", NULL, error);
    }
    /* [/run] */
    return status;
}

int main(int argc, char **argv)
{
    varve_error error = { .message = "usage: data BATCHES FILE..." };
    varve_graph *graph = varve_graph_new(NULL);
    varve_records *records =
        argc > 2 ? open_data(argv + 2, (size_t)argc - 2, &error) : NULL;
    varve_status status = VARVE_MISUSE;
    if (records)
        status = run(records, varve_graph_root(graph), atoi(argv[1]), &error);
    varve_graph_free(graph);
    varve_records_free(records);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    return status ? 1 : 0;
}
