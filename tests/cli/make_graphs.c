/* make_graphs.c - Writes checkpoints for the tests of pictures.
 *
 *     make_graphs gan FILE           two networks, two Adams, eighty values
 *     make_graphs tangled FILE       shared nodes and cycles
 *     make_graphs names FILE         names that are long, hostile, or
 *                                    right-to-left
 *     make_graphs layers FILE COUNT  a list of COUNT layers
 *     make_graphs chain FILE COUNT   COUNT nested objects
 *     make_graphs tagged FILE        two values, one of them tagged "locav"
 *     make_graphs random FILE SEED   a random combination
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

static float memory[1 << 22];
static int64_t step = 12000;

/* Returns a view of memory that no other variable uses. */
static varve_tensor floats(uint64_t rows, uint64_t columns)
{
    static size_t used;
    uint64_t shape[2] = { rows, columns };
    float *mine = &memory[used];
    used += (size_t)(columns ? rows * columns : rows);
    if (used > sizeof memory / sizeof *memory) {
        fprintf(stderr, "make_graphs: the values are too many\n");
        exit(1);
    }
    return varve_view(
        mine, VARVE_FLOAT32, varve_shape_of(columns ? 2 : 1, shape));
}

static varve_tensor floats_like(const varve_tensor *other)
{
    return floats(
        other->shape[0], other->rank == 2 ? other->shape[1] : 0);
}

/* --- A generative adversarial network ------------------------------------- */

struct network {
    varve_node *node;
    varve_node *trained[16];
    varve_tensor like[16]; /* their types and shapes */
    size_t count;
};

static void train(struct network *n, varve_node *layer, const char *name,
    varve_tensor value)
{
    n->like[n->count] = value;
    n->trained[n->count++] = varve_add_variable(layer, name, value);
}

static void add_layer(
    struct network *n, varve_node *layers, uint64_t in, uint64_t out)
{
    varve_node *layer = varve_add_object(layers, VARVE_APPEND);
    train(n, layer, "kernel", floats(in, out));
    train(n, layer, "bias", floats(out, 0));
}

static void add_network(
    struct network *n, varve_node *root, const char *name, uint64_t width)
{
    n->node = varve_add_object(root, name);
    varve_node *layers = varve_add_list(n->node, "layers");
    for (uint64_t i = 0; i < 6; i++)
        add_layer(n, layers, width << i, width << (i + 1));
}

static void add_adam(varve_node *root, const char *name, struct network *n)
{
    static const char *const settings[] = { "learning_rate", "beta_1",
        "beta_2" };
    static int64_t steps[] = { 12000, 12000 };
    static size_t used;
    varve_node *adam = varve_add_object(root, name);
    varve_track(adam, "model", n->node);
    varve_add_variable(adam, "step", varve_scalar(&steps[used++]));
    for (size_t i = 0; i < 3; i++)
        varve_add_variable(adam, settings[i],
            varve_view(floats(1, 0).data, VARVE_FLOAT32, VARVE_SCALAR));
    for (size_t i = 0; i < n->count; i++) {
        varve_add_slot(adam, n->trained[i], "m", floats_like(&n->like[i]));
        varve_add_slot(adam, n->trained[i], "v", floats_like(&n->like[i]));
    }
}

static void add_gan(varve_node *root)
{
    struct network networks[2] = { { .count = 0 } };
    add_network(&networks[0], root, "generator", 16);
    add_network(&networks[1], root, "discriminator", 8);
    add_adam(root, "generator_optimizer", &networks[0]);
    add_adam(root, "discriminator_optimizer", &networks[1]);
}

/* --- Others --------------------------------------------------------------- */

static void add_tangled(varve_node *root)
{
    varve_node *encoder = varve_add_object(root, "encoder");
    varve_node *decoder = varve_add_object(root, "decoder");
    varve_node *embedding =
        varve_add_variable(encoder, "embedding", floats(512, 64));
    varve_add_variable(encoder, "kernel", floats(64, 64));
    varve_add_variable(decoder, "kernel", floats(64, 64));
    varve_track(decoder, "embedding", embedding);
    varve_track(decoder, "output", embedding);
    varve_track(encoder, "peer", decoder);
    varve_track(decoder, "peer", encoder);
    varve_node *list = varve_add_list(root, "ring");
    varve_node *first = varve_add_object(list, VARVE_APPEND);
    varve_node *second = varve_add_object(list, VARVE_APPEND);
    varve_node *third = varve_add_object(list, VARVE_APPEND);
    varve_track(first, "next", second);
    varve_track(second, "next", third);
    varve_track(third, "next", first);
    varve_track(third, "myself", third);
    varve_track(third, "all", root);
    varve_track(root, "teacher", encoder);
    varve_track(root, "student", encoder);
}

static void add_names(varve_node *root)
{
    static const char *const names[] = {
        "</text><script>alert(1)</script>",
        "\"quoted\" & 'quoted' \\n \\",
        "\xd7\xa9\xd7\x9b\xd7\x91\xd7\x94", /* Hebrew: layer */
        "\xd8\xb7\xd8\xa8\xd9\x82\xd8\xa9 1", /* Arabic: layer 1 */
        "\xe5\xb1\x82\xe4\xb8\x80", /* Chinese: layer one */
        "\xe2\x80\xaetfel ot thgir", /* right-to-left override */
        "tab\there", "new\nline", "\x1b[31mred", "[x]|{y}<z>", "a/b%c*d",
        "%%{init}%%", "end", "graph", "#quot;", "1", "--> n1", " ", ":::c",
        ("a name that is by far too long for any box of any picture that one "
         "would like to look at"),
    };
    varve_node *hard = varve_add_dict(root, "names");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (i % 4)
            varve_add_variable(hard, names[i], floats(i + 1, 0));
        else
            varve_add_variable(
                varve_add_object(hard, names[i]), names[i], floats(i + 1, 2));
    }
}

static void add_layers(varve_node *root, uint64_t count)
{
    varve_node *layers =
        varve_add_list(varve_add_object(root, "model"), "layers");
    for (uint64_t i = 0; i < count; i++) {
        varve_node *layer = varve_add_object(layers, VARVE_APPEND);
        varve_add_variable(layer, "kernel", floats(8, 8));
        varve_add_variable(layer, "bias", floats(8, 0));
    }
}

static void add_chain(varve_node *root, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        root = varve_add_object(root, "in");
    varve_add_variable(root, "value", floats(1, 0));
}

/* --- Random graphs -------------------------------------------------------- */

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

static void add_any(
    varve_node *parent, varve_node *nodes[], size_t count, uint64_t *state)
{
    char name[64];
    static const char *const words[] = { "kernel", "layer", "x",
        "a_rather_long_name_of_a_thing", "\xe5\xb1\x82", "b" };
    snprintf(name, sizeof name, "%s%zu", words[draw(state, 6)], count);
    switch (draw(state, 6)) {
    case 0:
    case 1: nodes[count] = varve_add_object(parent, name); break;
    case 2: nodes[count] = varve_add_dict(parent, name); break;
    default:
        nodes[count] =
            varve_add_variable(parent, name, floats(draw(state, 99) + 1, 0));
    }
}

static bool holds(const varve_node *node)
{
    return varve_node_kind(node) != VARVE_VARIABLE;
}

/* Adds slots and additional names between random pairs of nodes. */
static void add_random(varve_node *root, uint64_t seed)
{
    enum { MOST = 200 };
    varve_node *nodes[MOST] = { root };
    uint64_t state = seed * 2654435761u + 12345;
    size_t count = 2 + draw(&state, MOST - 2);
    for (size_t i = 1; i < count; i++) {
        size_t parent = draw(&state, i);
        while (!holds(nodes[parent]))
            parent--;
        add_any(nodes[parent], nodes, i, &state);
    }
    size_t links = draw(&state, 40);
    for (size_t i = 0; i < links; i++) {
        char name[32];
        varve_node *from = nodes[draw(&state, count)];
        varve_node *to = nodes[draw(&state, count)];
        snprintf(name, sizeof name, "link%zu", i);
        if (!holds(from))
            continue;
        if (holds(to) || draw(&state, 2))
            varve_track(from, name, to);
        else
            varve_add_slot(from, to, name, floats(2, 0));
    }
}

static void add_tagged(varve_node *root)
{
    varve_add_variable(root, "kept", varve_scalar(&step));
    varve_tag(varve_add_variable(root, "left", floats(2, 3)), "locav");
}

int main(int argc, char **argv)
{
    uint64_t number = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    const char *kind = argc > 2 ? argv[1] : "";
    varve_error error;
    int outcome = 1;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    if (strcmp(kind, "gan") == 0)
        add_gan(root);
    else if (strcmp(kind, "tangled") == 0)
        add_tangled(root);
    else if (strcmp(kind, "names") == 0)
        add_names(root);
    else if (strcmp(kind, "layers") == 0)
        add_layers(root, number);
    else if (strcmp(kind, "chain") == 0)
        add_chain(root, number);
    else if (strcmp(kind, "tagged") == 0)
        add_tagged(root);
    else if (strcmp(kind, "random") == 0)
        add_random(root, number);
    else
        argc = 0;
    if (argc < 3)
        fprintf(stderr, "usage: make_graphs KIND FILE [NUMBER]\n");
    else if (varve_write(root, argv[2], NULL, &error))
        fprintf(stderr, "%s\n", error.message);
    else
        outcome = 0;
    varve_graph_free(graph);
    return outcome;
}
