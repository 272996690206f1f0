/* basics.c - Saves and restores a string, an array that grows and a tree, and
 * reads a single tensor. docs/howto/basics.md shows the parts of it.
 *
 *     basics save|restore|one
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

/* [array] */
struct samples {
    int count;
    double *values; /* NULL while count is 0 */
};

static const varve_field samples_fields[] = {
    VARVE_FIELD_POINTER(struct samples, values, count, .room = calloc),
    VARVE_FIELDS_END,
};
/* [/array] */

static bool append(struct samples *s, double value)
{
    size_t size = ((size_t)s->count + 1) * sizeof *s->values;
    double *values = realloc(s->values, size);
    if (!values)
        return false;
    s->values = values;
    s->values[s->count++] = value;
    return true;
}

/* [tree] */
struct tree {
    double value;
    struct tree *left, *right; /* NULL if there is none */
};

static const varve_field tree_fields[4]; /* refers to itself */
static const varve_field tree_fields[4] = {
    VARVE_FIELD(struct tree, value),
    VARVE_FIELD_STRUCT_AT(struct tree, left, tree_fields, .room = calloc),
    VARVE_FIELD_STRUCT_AT(struct tree, right, tree_fields, .room = calloc),
    VARVE_FIELDS_END,
};
/* [/tree] */

/* [one] */
static varve_status read_one(
    const char *file, float *buffer, size_t size, varve_error *error)
{
    varve_reader *reader = varve_reader_open(file, NULL, error);
    if (!reader)
        return error->status;
    varve_saved_node node;
    varve_status status = VARVE_NOT_FOUND; /* or of another type or size */
    if (varve_reader_find(reader, "weights", &node) &&
        node.value.dtype == VARVE_FLOAT32 && node.size == size)
        status = varve_reader_read(reader, node.id, buffer, size, error);
    varve_reader_free(reader);
    return status;
}
/* [/one] */

static varve_status restore_all(varve_node *root, varve_error *error)
{
    varve_restoration *r = varve_read(root, "state.varve", NULL, error);
    varve_status status = varve_assert_consumed(r, error);
    varve_restoration_free(r);
    return status;
}

static void tree_free(struct tree *tree)
{
    if (!tree)
        return;
    tree_free(tree->left);
    tree_free(tree->right);
    free(tree);
}

/* Sets the state that `save` writes. */
static bool fill(char *title, struct samples *samples, struct tree *tree)
{
    strcpy(title, "first run");
    tree->value = 1;
    tree->left = calloc(1, sizeof *tree->left);
    if (tree->left)
        tree->left->value = 2;
    return tree->left && append(samples, 0.5) && append(samples, 0.25);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    bool saves = strcmp(what, "save") == 0;
    float weights[3] = { 0 };
    struct samples samples = { 0 };
    struct tree tree = { 0 };
    varve_error error = { .message = "basics save|restore|one" };
    varve_status status = VARVE_MISUSE;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);

    /* [string] */
    char title[64] = "";
    varve_add_text(root, "title", title, sizeof title);
    /* [/string] */
    if (saves && !fill(title, &samples, &tree))
        return 1;
    if (saves)
        weights[2] = 7;
    varve_add_struct(root, "samples", samples_fields, &samples);
    varve_add_struct(root, "tree", tree_fields, &tree);
    varve_add_variable(root, "weights", varve_array(weights, 3));
    if (saves)
        status = varve_write(root, "state.varve", NULL, &error);
    else if (strcmp(what, "restore") == 0)
        status = restore_all(root, &error);
    else if (strcmp(what, "one") == 0)
        status = read_one("state.varve", weights, sizeof weights, &error);
    if (status)
        fprintf(stderr, "%s: %s\n", varve_status_name(status), error.message);
    else if (!saves)
        printf("\"%s\", %d samples, left %g, last weight %g\n", title,
            samples.count, tree.left ? tree.left->value : 0,
            (double)weights[2]);
    varve_graph_free(graph);
    free(samples.values);
    tree_free(tree.left);
    tree_free(tree.right);
    return status ? 1 : 0;
}
