/* native.c - Adds many values in one call, for varve._native. It uses only the
 * public headers. cffi compiles it together with the code that it generates.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <varve/varve.h>

/* Calls the progress function of the program; see varve/callbacks.py. */
static int varve_python_progress(
    void *user, uint64_t done, uint64_t total, const char *what);

/* Calls it at most every 20 ms, so that Python runs pending signal handlers. */
static int varve_python_run_signal_handlers(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    static _Thread_local int64_t last; /* milliseconds */
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    const int64_t now = (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
    if (last && now - last < 20)
        return 0;
    last = now;
    return varve_python_progress(user, done, total, what);
}

/* Returns the pointers to the nodes of `count` numbers, which follow the
 * numbers. */
static varve_node **varve_python_nodes_of(uint64_t *at, size_t count)
{
    return (varve_node **)(void *)(at + count);
}

/* Adds `count` numbers of 8 bytes each, at `at`, to a dict or an object.
 * `names` contains the names, each with a NUL, and `dtypes` a byte for each
 * number. The first `old_count` numbers have the nodes `old`, which are bound
 * to the new addresses. */
static void varve_python_add_numbers(varve_node *parent, const char *names,
    const char *dtypes, size_t count, uint64_t *at, varve_node **old,
    size_t old_count)
{
    varve_node **nodes = varve_python_nodes_of(at, count);
    for (size_t i = 0; i < count; i++) {
        const varve_tensor view =
            varve_view(at + i, (varve_dtype)dtypes[i], VARVE_SCALAR);
        if (i < old_count) {
            nodes[i] = old[i];
            varve_rebind(old[i], view);
        } else {
            nodes[i] = varve_add_variable(parent, names, view);
        }
        names += strlen(names) + 1;
    }
}

/* Adds the numbers of several dicts and objects, which have none yet.
 * `counts[i]` of the numbers belong to `parents[i]`. */
static void varve_python_add_all_numbers(varve_node **parents,
    const uint32_t *counts, size_t parent_count, const char *names,
    const char *dtypes, uint64_t *at)
{
    size_t count = 0;
    for (size_t i = 0; i < parent_count; i++)
        count += counts[i];
    varve_node **nodes = varve_python_nodes_of(at, count);
    for (size_t i = 0, end = 0, n = 0; i < parent_count; i++) {
        for (end += counts[i]; n < end; n++) {
            nodes[n] = varve_add_variable(parents[i], names,
                varve_view(at + n, (varve_dtype)dtypes[n], VARVE_SCALAR));
            names += strlen(names) + 1;
        }
    }
}

/* Adds a contiguous array. */
static varve_node *varve_python_add_array(varve_node *parent, const char *name,
    uintptr_t at, int dtype, int rank, const uint64_t *extents)
{
    return varve_add_variable(parent, name,
        varve_view((void *)at, (varve_dtype)dtype,
            varve_shape_of((uint32_t)rank, extents)));
}

/* Adds contiguous arrays, and sets `nodes`. `names` contains the names, each
 * with a NUL; NULL for a list. `extents` contains the extents of all arrays. */
static void varve_python_add_arrays(varve_node *parent, const char *names,
    size_t count, const uint64_t *at, const char *dtypes, const char *ranks,
    const uint64_t *extents, varve_node **nodes)
{
    for (size_t i = 0; i < count; i++) {
        nodes[i] = varve_python_add_array(
            parent, names, (uintptr_t)at[i], dtypes[i], ranks[i], extents);
        extents += ranks[i];
        if (names)
            names += strlen(names) + 1;
    }
}
