/* make_lineages.c - Writes checkpoints of four runs; three of them were resumed
 * from another one.
 *
 *     make_lineages ONE TWO THREE    ONE/ckpt-1 to -7, TWO/ckpt-5 and -6, and
 *                                    THREE/ckpt-1 to -3
 *
 * The metadata are those that a manager writes.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdio.h>

#include <varve/varve.h>

static const char *const runs[] = { "01JDR3K5Z8Q4000000000AAAAA",
    "01JDR3K5Z8Q4000000000BBBBB", "01JDR3K5Z8Q4000000000CCCCC",
    "01JDR3K5Z8Q4000000000DDDDD" };

enum { NONE = -1, UNKNOWN = -2 }; /* runs */

/* A part of a run: `count` saves after the checkpoint `last` of `from`. */
struct part {
    int run;
    const char *to;
    int count;
    const char *from;
    int last; /* 0: none */
    int parent_run;
    int parent_number;
};

static varve_status save(varve_node *root, const struct part *part, int number,
    varve_error *error)
{
    char parent[64], path[512];
    snprintf(parent, sizeof parent, "0123456789abcdef %s %d",
        part->parent_run < 0 ? "-" : runs[part->parent_run],
        part->parent_number);
    const varve_metadata metadata[] = {
        { .name = "varve.manager", .kind = VARVE_METADATA_STRING,
            .string = "ckpt" },
        { .name = "step", .kind = VARVE_METADATA_INTEGER,
            .integer = 100 * number },
        { .name = "varve.run", .kind = VARVE_METADATA_STRING,
            .string = part->run < 0 ? "" : runs[part->run] },
        { .name = "varve.parent", .kind = VARVE_METADATA_STRING,
            .string = parent },
    };
    const varve_write_options options = { .metadata = metadata,
        .metadata_count = part->run == UNKNOWN       ? 2
                          : part->parent_run == NONE ? 3
                                                     : 4 };
    snprintf(path, sizeof path, "%s/ckpt", part->to);
    return varve_save(root, path, &options, error);
}

static varve_status write_part(const struct part *part, varve_error *error)
{
    char path[512];
    double value = 1;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_status status = VARVE_OK;
    varve_add_variable(root, "value", varve_scalar(&value));
    snprintf(path, sizeof path, "%s/ckpt-%d.varve", part->from, part->last);
    if (part->last) {
        varve_restoration *r = varve_restore(root, path, NULL, error);
        status = r ? VARVE_OK : error->status;
        varve_restoration_free(r);
    }
    for (int i = 1; i <= part->count && !status; i++)
        status = save(root, part, part->last + i, error);
    varve_graph_free(graph);
    return status;
}

int main(int argc, char **argv)
{
    varve_error error = { .status = VARVE_OK };
    if (argc < 4)
        return 2;
    const struct part parts[] = {
        { 0, argv[1], 4, "", 0, NONE, 0 },
        { 1, argv[1], 2, argv[1], 4, 0, 3 },
        { 2, argv[2], 2, argv[1], 4, 0, 4 },
        { 3, argv[1], 1, argv[1], 6, 1, 6 },
        { UNKNOWN, argv[3], 2, "", 0, NONE, 0 },
        { 3, argv[3], 1, argv[3], 2, UNKNOWN, 1 },
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!write_part(&parts[i], &error))
            continue;
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    return 0;
}
