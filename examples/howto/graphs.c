/* graphs.c - Changes lists and inspects graphs, for docs/howto.
 *
 *     graphs list|ask
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include <varve/varve.h>

static float width[4] = { 1, 2, 3, 4 };

/* [list] */
/* Changes a list of three layers: adds one at the front, removes the last, and
 * swaps the others. */
static void rearrange(varve_node *root)
{
    varve_node *layers = varve_add_list(root, "layers");
    for (int i = 0; i < 3; i++) {
        varve_node *layer = varve_add_object(layers, VARVE_APPEND);
        varve_add_variable(layer, "width", varve_scalar(&width[i]));
    }
    varve_node *stem = varve_add_detached(varve_node_graph(root));
    varve_add_variable(stem, "width", varve_scalar(&width[3]));
    varve_list_insert(layers, 0, stem); /* the others are now 1, 2 and 3 */
    varve_list_remove(layers, 3);
    varve_list_reorder(layers, (size_t[]){ 0, 2, 1 }, 3);
    varve_list_append(layers, varve_list_at(layers, 1)); /* shared */
    printf("%zu edges\n", varve_edge_count(layers));
}
/* [/list] */

/* Called once for each reachable node. */
static varve_status tell(void *user, varve_node *node, const char *path)
{
    int *frozen = user;
    if (varve_has_tag(node, "frozen"))
        ++*frozen;
    if (varve_node_kind(node) == VARVE_VARIABLE) {
        const varve_tensor *value = varve_value(node);
        printf("%s: %s, %zu bytes each%s\n", path,
            varve_dtype_name(value->dtype), varve_dtype_size(value->dtype),
            varve_state_of(node) == VARVE_DECLARED ? ", no value yet" : "");
    }
    return VARVE_OK; /* any other result stops the traversal */
}

/* Prints the slots that an optimizer has for a variable. */
static void tell_slots(varve_node *optimizer, varve_node *kernel)
{
    for (const varve_slot *slot = varve_slot_first(optimizer); slot;
         slot = varve_slot_next(slot))
        printf("slot %s\n", slot->name);
    if (!varve_find_slot(optimizer, kernel, "momentum"))
        printf("no momentum yet\n");
}

static varve_status ask(varve_node *root, varve_error *error)
{
    varve_node *kernel =
        varve_add_variable(root, "kernel", varve_array(width, 4));
    varve_node *optimizer = varve_add_object(root, "optimizer");
    varve_add_slot_like(optimizer, kernel, "mean", NULL, NULL);
    tell_slots(optimizer, kernel);
    varve_tag(kernel, "frozen");
    varve_add_object(root, "kernel"); /* the name is already used */
    varve_status first = varve_graph_clear_error(varve_node_graph(root), error);
    printf("%s\n", first ? error->message : "no error");
    int frozen = 0;
    varve_status status = varve_walk(root, tell, &frozen, error);
    varve_untag(kernel, "frozen");
    printf(
        "%d frozen, then %d\n", frozen, (int)varve_has_tag(kernel, "frozen"));
    return status;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    varve_error error = { .message = "usage: graphs list|ask" };
    varve_status status = VARVE_MISUSE;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    if (strcmp(what, "list") == 0) {
        rearrange(root);
        int frozen = 0;
        status = varve_walk(root, tell, &frozen, &error);
    } else if (strcmp(what, "ask") == 0) {
        status = ask(root, &error);
    }
    if (status)
        fprintf(stderr, "%s\n", error.message);
    varve_graph_free(graph);
    return status ? 1 : 0;
}
