/* visitor.c - Loads the library, uses it and unloads it repeatedly, and checks
 * that nothing remains in the process.
 *
 *     visitor LIBRARY [DIRECTORY]
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

#include "guest/look.h"
#include "guest/place.h"

enum { TIMES = 20, WARM = 5, MOST_GROWTH = 1024 /* KiB */ };

/* The functions of the library that it uses, found by dlsym. */
#define EACH_CALL(X)                                                           \
    X(varve_graph_new)                                                         \
    X(varve_graph_root)                                                        \
    X(varve_graph_free)                                                        \
    X(varve_add_variable)                                                      \
    X(varve_save)                                                              \
    X(varve_restore)                                                           \
    X(varve_restoration_free)                                                  \
    X(varve_write_async)                                                       \
    X(varve_job_wait)                                                          \
    X(varve_job_free)                                                          \
    X(varve_events_open)                                                       \
    X(varve_events_scalar)                                                     \
    X(varve_events_free)

static struct {
#define MEMBER(name) __typeof__(name) *name;
    EACH_CALL(MEMBER)
} library;

static bool find_all(void *handle)
{
    void *found;
    bool is_there = true;
#define FIND(name)                                                             \
    found = dlsym(handle, #name);                                              \
    memcpy(&library.name, &found, sizeof found);                               \
    is_there = is_there && found;
    EACH_CALL(FIND)
    return is_there;
}

static varve_status work(varve_error *error)
{
    static float values[1 << 20];
    const varve_tensor view = {
        .data = values, .dtype = VARVE_FLOAT32, .rank = 1, .shape = { 1 << 20 }
    };
    varve_graph *graph = library.varve_graph_new(NULL);
    varve_node *root = library.varve_graph_root(graph);
    library.varve_add_variable(root, "values", view);
    varve_status status = library.varve_save(root, "run/v", NULL, error);
    if (!status) {
        varve_restoration *r =
            library.varve_restore(root, "run/v", NULL, error);
        status = r ? VARVE_OK : error->status;
        library.varve_restoration_free(r);
    }
    varve_job *job = library.varve_write_async(root, "run/w", NULL, error);
    if (!status)
        status = library.varve_job_wait(job, error);
    library.varve_job_free(job);
    library.varve_graph_free(graph);
    varve_events *events = library.varve_events_open("run", NULL, error);
    library.varve_events_scalar(events, 1, "loss", 1);
    library.varve_events_free(events);
    return status;
}

static bool is_mapped(const char *name)
{
    char line[4096];
    bool is_there = false;
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && fgets(line, sizeof line, file))
        is_there = is_there || strstr(line, name);
    if (file)
        fclose(file);
    return is_there;
}

/* Returns true if all calls succeeded. */
static bool visit(const char *path)
{
    varve_error error = { .status = VARVE_OK };
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle || !find_all(handle)) {
        fprintf(stderr, "visitor: %s\n", dlerror());
        return false;
    }
    if (work(&error)) {
        fprintf(stderr, "visitor: %s\n", error.message);
        return false;
    }
    dlclose(handle);
    if (!is_mapped("libvarve"))
        return true;
    fprintf(stderr, "visitor: the library was not unloaded\n");
    return false;
}

int main(int count, char **arguments)
{
    struct look before, after;
    char text[LOOK_TEXT];
    long resident = 0;
    char place[PLACE_SIZE];
    char *path = count > 1 ? realpath(arguments[1], NULL) : NULL;
    if (!path || !place_enter(count > 2 ? arguments[2] : NULL, place))
        return 2;
    bool is_good = true;
    look_at(&before);
    for (int time = 0; time < TIMES && is_good; time++) {
        if (time == WARM)
            resident = look_resident();
        is_good = visit(path);
    }
    look_at(&after);
    look_differs(&before, &after, text);
    long growth = look_resident() - resident;
    printf("visitor: %d times, %ld KiB more, %s\n", TIMES, growth,
        text[0] ? text : "nothing else");
    free(path);
    place_leave(NULL, place);
    return !is_good || text[0] || growth > MOST_GROWTH;
}
