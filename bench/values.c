/* values.c - Saves and restores graphs of many small values in C, for
 * comparison with Python by values.py.
 *
 *     values KIND COUNT FILE save
 * restore
 *
 * KIND is list (an array of COUNT doubles), dict (COUNT doubles by name),
 * arrays (COUNT arrays of 4 doubles), nested (COUNT objects, each in the
 * previous one) or objects (COUNT objects of 3 numbers). Prints the processor
 * seconds for building, writing or reading, and freeing the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <varve/varve.h>

#include "measure.h"

enum { NAME_SIZE = 32 };

struct values {
    size_t count;
    double *numbers; /* four for each */
    char (*names)[NAME_SIZE];
};

static void add_list(varve_node *root, const struct values *v)
{
    const uint64_t extent = v->count;
    varve_add_variable(root, "it",
        varve_view(v->numbers, VARVE_FLOAT64, varve_shape_of(1, &extent)));
}

static void add_number(varve_node *parent, const char *name, double *number)
{
    varve_add_variable(parent, name,
        varve_view(number, VARVE_FLOAT64, varve_shape_of(0, NULL)));
}

static void add_dict(varve_node *root, const struct values *v)
{
    varve_node *dict = varve_add_dict(root, "it");
    for (size_t i = 0; i < v->count; i++)
        add_number(dict, v->names[i], v->numbers + i);
}

static void add_arrays(varve_node *root, const struct values *v)
{
    const uint64_t extent = 4;
    varve_node *list = varve_add_list(root, "it");
    for (size_t i = 0; i < v->count; i++)
        varve_add_variable(list, VARVE_APPEND,
            varve_view(
                v->numbers + 4 * i, VARVE_FLOAT64, varve_shape_of(1, &extent)));
}

static void add_nested(varve_node *root, const struct values *v)
{
    varve_node *at = varve_add_object(root, "it");
    for (size_t i = 0; i < v->count; i++) {
        add_number(at, "v", v->numbers + i);
        at = varve_add_object(at, "next");
    }
}

static void add_objects(varve_node *root, const struct values *v)
{
    varve_node *list = varve_add_list(root, "it");
    for (size_t i = 0; i < v->count; i++) {
        varve_node *object = varve_add_object(list, VARVE_APPEND);
        add_number(object, "a", v->numbers + 4 * i);
        add_number(object, "b", v->numbers + 4 * i + 1);
        add_number(object, "c", v->numbers + 4 * i + 2);
    }
}

static const struct {
    const char *name;
    void (*add)(varve_node *, const struct values *);
} kinds[] = { { "list", add_list }, { "dict", add_dict },
    { "arrays", add_arrays }, { "nested", add_nested },
    { "objects", add_objects } };

static double timed(
    size_t kind, const struct values *v, const char *path, bool is_save)
{
    varve_error error;
    const clock_t begin = clock();
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    kinds[kind].add(root, v);
    if (is_save) {
        must(varve_write(root, path, NULL, &error), &error);
    } else {
        varve_restoration *read = varve_read(root, path,
            &(varve_read_options){ .passes = VARVE_TWO_PASSES }, &error);
        must(read ? VARVE_OK : error.status, &error);
        varve_restoration_free(read);
    }
    varve_graph_free(graph);
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

int main(int count, char **words)
{
    if (count != 5) {
        fputs("values KIND COUNT FILE save|restore\n", stderr);
        return 2;
    }
    size_t kind = 0;
    while (strcmp(kinds[kind].name, words[1]) != 0)
        if (++kind == sizeof kinds / sizeof *kinds)
            return 2;
    struct values v = { .count = strtoul(words[2], NULL, 10) };
    v.numbers = calloc(v.count, 4 * sizeof *v.numbers);
    v.names = calloc(v.count, NAME_SIZE);
    must_system(v.numbers && v.names, "calloc");
    for (size_t i = 0; i < v.count; i++) {
        v.numbers[i] = (double)i;
        snprintf(v.names[i], NAME_SIZE, "k%zu", i);
    }
    printf("%.9f\n", timed(kind, &v, words[3], strcmp(words[4], "save") == 0));
    free(v.names);
    free(v.numbers);
    return 0;
}
