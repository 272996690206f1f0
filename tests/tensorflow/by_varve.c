/* by_varve.c - Runs a program in the language of tests/tensorflow/README.md
 * with Varve, and prints the state after each event.
 *
 *     by_varve FOLDER [FOREIGN] <PROGRAM
 *
 * Its checkpoints are in FOLDER. With FOREIGN it reads TensorFlow's checkpoints
 * in that folder under the same names instead. Prints a line for each event:
 * its status, the values of all variables, the assertions of all restorations,
 * the save counter, and the reports after a '#'.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <varve/varve.h>

enum { MAX_THINGS = 512, MAX_SIZE = 16, MAX_WORDS = 8 };

struct thing {
    char id[16];
    varve_node *node;
    varve_restoration *restoration;
    bool is_variable;
    float memory[MAX_SIZE];
};

/* The numbered files of all programs. */
struct numbered {
    char name[16];
    uint64_t number;
};

static struct thing things[MAX_THINGS];
static size_t hdf5_item_count;
static struct numbered numbered[MAX_THINGS];
static varve_graph *graph;
static varve_node *holder; /* holds lists and dicts that are not attached yet */
static varve_manager *manager;
static const char *folder, *foreign;
static varve_error error;

static void die(const char *what, const char *word)
{
    fprintf(stderr, "by_varve: %s: %s\n", what, word);
    exit(2);
}

static struct thing *find(const char *id)
{
    for (size_t i = 0; i < hdf5_item_count; i++) {
        if (!strcmp(things[i].id, id))
            return &things[i];
    }
    die("unknown name", id);
    return NULL;
}

static struct thing *hdf5_graph_add_item(const char *id)
{
    if (hdf5_item_count == MAX_THINGS || strlen(id) >= sizeof things->id)
        die("too many or too long", id);
    struct thing *thing = &things[hdf5_item_count++];
    *thing = (struct thing){ 0 };
    memcpy(thing->id, id, strlen(id) + 1);
    return thing;
}

static void end_program(void)
{
    for (size_t i = 0; i < hdf5_item_count; i++)
        varve_restoration_free(things[i].restoration);
    varve_manager_free(manager);
    manager = NULL;
    varve_graph_free(graph);
    hdf5_item_count = 0;
}

static void begin_program(void)
{
    end_program();
    graph = varve_graph_new(NULL);
    holder = varve_add_detached(graph);
    hdf5_graph_add_item("root")->node = varve_graph_root(graph);
}

static varve_status fill(const varve_tensor *tensor, void *user)
{
    float *to = tensor->data;
    for (uint64_t i = 0; i < tensor->shape[0]; i++)
        to[i] = *(const float *)user;
    return VARVE_OK;
}

/* Returns a view of the memory of a variable, filled with its first value. */
static varve_tensor view(
    struct thing *thing, const char *size, const char *value)
{
    uint64_t count = strtoull(size, NULL, 10);
    if (count > MAX_SIZE)
        die("too large", size);
    thing->is_variable = true;
    for (uint64_t i = 0; i < count; i++)
        thing->memory[i] = strtof(value, NULL);
    return varve_array(thing->memory, count);
}

/* Creates a node without an edge. The words are KIND ID [SIZE VALUE]. */
static void make_detached(char **word)
{
    struct thing *thing = hdf5_graph_add_item(word[1]);
    if (!strcmp(word[0], "variable"))
        thing->node =
            varve_add_detached_variable(graph, view(thing, word[2], word[3]));
    else if (!strcmp(word[0], "list"))
        thing->node = varve_add_list(holder, word[1]);
    else if (!strcmp(word[0], "dict"))
        thing->node = varve_add_dict(holder, word[1]);
    else
        thing->node = varve_add_detached(graph);
}

static void set(varve_node *parent, const char *name, varve_node *node)
{
    varve_node *old = varve_find(parent, name);
    if (old && old != node)
        varve_replace(parent, name, node);
    else
        varve_track(parent, name, node);
}

/* Creates a node below its parent; the words are KIND ID [SIZE VALUE] PARENT
 * NAME. Every second variable is library-owned. */
static void make_at(char **word)
{
    bool is_variable = !strcmp(word[0], "variable");
    char **place = word + (is_variable ? 4 : 2);
    varve_node *parent = find(place[0])->node;
    const char *name =
        varve_node_kind(parent) == VARVE_LIST ? VARVE_APPEND : place[1];
    if (name && varve_find(parent, name)) {
        make_detached(word);
        set(parent, name, find(word[1])->node);
        return;
    }
    struct thing *thing = hdf5_graph_add_item(word[1]);
    if (is_variable) {
        varve_tensor memory = view(thing, word[2], word[3]);
        float first = thing->memory[0];
        thing->node =
            hdf5_item_count % 2
                ? varve_add_variable(parent, name, memory)
                : varve_add_allocated_variable(parent, name, VARVE_FLOAT32,
                      varve_shape_of(1, memory.shape), fill, &first);
    } else if (!strcmp(word[0], "list")) {
        thing->node = varve_add_list(parent, name);
    } else if (!strcmp(word[0], "dict")) {
        thing->node = varve_add_dict(parent, name);
    } else {
        thing->node = varve_add_object(parent, name);
    }
}

static void add_slot(char **word)
{
    varve_node *owner = find(word[1])->node, *variable = find(word[2])->node;
    struct thing *slot = hdf5_graph_add_item(word[4]);
    char size[24];
    snprintf(size, sizeof size, "%llu",
        (unsigned long long)varve_value(variable)->shape[0]);
    slot->node =
        varve_add_slot(owner, variable, word[3], view(slot, size, word[5]));
}

static void assign(struct thing *thing, float value)
{
    fill(varve_value(thing->node), &value);
}

static struct numbered *number_of(const char *name)
{
    for (size_t i = 0; i < MAX_THINGS; i++) {
        if (!numbered[i].name[0] || !strcmp(numbered[i].name, name)) {
            snprintf(numbered[i].name, sizeof numbered->name, "%s", name);
            return &numbered[i];
        }
    }
    die("too many names", name);
    return NULL;
}

/* Saves. Pending values are omitted, as in TensorFlow, unless the program
 * contains "carry". */
static varve_status save(char **word)
{
    varve_write_options options = { .pending = VARVE_PENDING_OMIT };
    if (word[2])
        options.pending = VARVE_PENDING_CARRY;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, word[1]);
    varve_node *root = varve_graph_root(graph);
    if (!strcmp(word[0], "write"))
        return varve_write(root, path, &options, &error);
    varve_status status = varve_save(root, path, &options, &error);
    number_of(word[1])->number = varve_save_counter(root);
    return status;
}

/* Restores: `restore` reads the newest file of the name, `read` a single file,
 * the last numbered one if it has a number. */
static varve_status restore(char **word)
{
    bool is_restore = !strcmp(word[0], "restore");
    char path[1024], number[24] = "";
    uint64_t last = number_of(word[1])->number;
    if (last && (foreign || !is_restore))
        snprintf(number, sizeof number, "-%llu", (unsigned long long)last);
    snprintf(path, sizeof path, "%s/%s%s", foreign ? foreign : folder, word[1],
        number);
    struct thing *thing = hdf5_graph_add_item(word[2]);
    thing->restoration = (is_restore ? varve_restore : varve_read)(
        varve_graph_root(graph), path, NULL, &error);
    return thing->restoration ? VARVE_OK : error.status;
}

/* Creates a manager: DIRECTORY KEEP INTERVAL; 0 disables one of the two. */
static varve_status manage(char **word)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, word[1]);
    varve_manager_options options = {
        .keep_last = (unsigned)strtoul(word[2], NULL, 10),
        .interval_steps = strtoull(word[3], NULL, 10),
    };
    manager =
        varve_manager_new(varve_graph_root(graph), path, &options, &error);
    return manager ? VARVE_OK : error.status;
}

/* Takes a step. A save that is not due is not a failure. */
static varve_status step(char **word)
{
    varve_manager_save_options options = {
        .force = !strcmp(word[0], "force"),
        .number = word[2] ? strtoull(word[2], NULL, 10) : 0,
    };
    return varve_manager_save_with(
        manager, strtoll(word[1], NULL, 10), &options, &error);
}

static varve_status event(char **word)
{
    const char *verb = word[0];
    if (!strcmp(verb, "new"))
        begin_program();
    else if (!strcmp(verb, "remember"))
        return VARVE_OK; /* nothing is kept of removed nodes */
    else if (!strcmp(verb, "manage"))
        return manage(word);
    else if (!strcmp(verb, "step") || !strcmp(verb, "force"))
        return step(word);
    else if (!strcmp(verb, "resume"))
        return varve_manager_resume(manager, &error);
    else if (!strcmp(verb, "set"))
        set(find(word[1])->node, word[2], find(word[3])->node);
    else if (!strcmp(verb, "append"))
        varve_list_append(find(word[1])->node, find(word[2])->node);
    else if (!strcmp(verb, "pop") && !word[2])
        varve_list_remove(
            find(word[1])->node, varve_edge_count(find(word[1])->node) - 1);
    else if (!strcmp(verb, "pop") || !strcmp(verb, "delete"))
        varve_untrack(find(word[1])->node, word[2]);
    else if (!strcmp(verb, "assign"))
        assign(find(word[1]), strtof(word[2], NULL));
    else if (!strcmp(verb, "slot"))
        add_slot(word);
    else if (!strcmp(verb, "write") || !strcmp(verb, "save"))
        return save(word);
    else if (!strcmp(verb, "read") || !strcmp(verb, "restore"))
        return restore(word);
    else if (word[2] && (strcmp(verb, "variable") || word[4]))
        make_at(word);
    else
        make_detached(word);
    return varve_graph_check(graph, &error);
}

static void print_value(const struct thing *thing)
{
    const varve_tensor *tensor = varve_value(thing->node);
    const float *values = varve_data(thing->node);
    printf(" %s=", thing->id);
    if (!values) {
        printf("none");
        return;
    }
    for (uint64_t i = 1; i < tensor->shape[0]; i++) {
        if (values[i] != values[0]) {
            printf("mixed");
            return;
        }
    }
    printf("%g", tensor->shape[0] ? (double)values[0] : 0);
}

static void print_checkpoints(void)
{
    varve_checkpoint_info managed;
    printf(" checkpoints=");
    for (size_t i = 0; varve_manager_at(manager, i, &managed); i++)
        printf("%s%llu", i ? "," : "", (unsigned long long)managed.number);
}

static varve_status on_finding(void *user, const varve_finding *finding)
{
    (void)user;
    if (finding->reason[0])
        printf(" (%s: %s)",
            finding->program_path ? finding->program_path : finding->file_path,
            finding->reason);
    return VARVE_OK;
}

static void print_state(varve_status status)
{
    printf("%s |", varve_status_name(status));
    for (size_t i = 0; i < hdf5_item_count; i++) {
        if (things[i].is_variable)
            print_value(&things[i]);
    }
    if (manager)
        print_checkpoints();
    printf(" |");
    for (size_t i = 0; i < hdf5_item_count; i++) {
        varve_restoration *r = things[i].restoration;
        if (r)
            printf(" %s:%c%c%c", things[i].id,
                varve_assert_consumed(r, NULL) ? '-' : 'C',
                varve_assert_existing_objects_matched(r, NULL) ? '-' : 'E',
                varve_assert_nontrivial_match(r, NULL) ? '-' : 'N');
    }
    printf(" | %llu #",
        (unsigned long long)varve_save_counter(varve_graph_root(graph)));
    for (const char *c = status ? error.message : ""; *c; c++)
        putchar(*c == '\n' ? ';' : *c);
    for (size_t i = 0; i < hdf5_item_count; i++) {
        for (int kind = 0; things[i].restoration && kind < VARVE_FINDING_KINDS;
             kind++)
            (void)varve_each_finding(things[i].restoration,
                (varve_finding_kind)kind, on_finding, NULL, NULL);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    char line[256];
    if (argc < 2)
        die("usage", "by_varve FOLDER [FOREIGN] <PROGRAM");
    folder = argv[1];
    foreign = argv[2];
    while (fgets(line, sizeof line, stdin)) {
        char *word[MAX_WORDS] = { strtok(line, " \n") };
        for (int i = 1; word[i - 1] && i < MAX_WORDS; i++)
            word[i] = strtok(NULL, " \n");
        varve_status status = event(word);
        print_state(status);
        if (status)
            break;
    }
    end_program();
    return 0;
}
