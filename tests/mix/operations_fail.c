/* operations_fail.c - memory that runs out, a full disk, a process that is
 * killed while it saves; calls that are refused, and those that mean nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mix/files.h"
#include "mix/operations.h"
#include "mix/trouble.h"

/* --- Trouble -------------------------------------------------------------- */

void mix_run_out(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    (void)b;
    (void)c;
    mix_say(m, "(no memory after %d allocations of the next call)", a % 64);
    m->trouble = MIX_NO_MEMORY;
    m->trouble_at = a % 64;
}

void mix_fill_disk(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    (void)b;
    (void)c;
    mix_say(m, "(files of at most %d bytes in the next call)", 8 * a);
    m->trouble = MIX_FULL_DISK;
    m->trouble_at = a;
}

/* Fails it, or lets it move less; the same for all calls after it. */
void mix_fail_call(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    m->trouble = MIX_FAILING_CALL;
    m->trouble_at = a % 64;
    m->trouble_way = b % mix_way_count;
    m->trouble_lasts = c & 1;
    mix_say(m, "(%s: call %d of the next call to the system%s)",
        mix_way_name(m->trouble_way), m->trouble_at,
        m->trouble_lasts ? ", and all after it" : "");
}

/* --- Kills ---------------------------------------------------------------- */

static int die(void *user, uint64_t done, uint64_t total, const char *what)
{
    int *left = user;
    (void)done;
    (void)total;
    (void)what;
    if ((*left)-- == 0)
        _exit(0);
    return 0;
}

/* Whether a file has the nodes of a shape, and no others, with their values. */
static bool holds(struct mix *m, const char *path, const struct mix_file *file)
{
    static struct mix_paths paths;
    varve_reader *reader = varve_reader_open(path, &m->allocator, &m->error);
    MIX_CHECK(reader, "%s was there, and: %s", path, m->error.message);
    size_t count = (size_t)__builtin_popcountll(mix_reach(&file->shape, 0));
    bool is_it = varve_reader_node_count(reader) == count;
    mix_paths(&file->shape, &paths);
    for (uint8_t n = 0; n < MIX_NODES && is_it; n++) {
        const struct mix_node *node = &file->shape.nodes[n];
        unsigned char bytes[256];
        varve_saved_node saved;
        if (!mix_is_saved(node))
            continue;
        is_it = varve_reader_find(reader, paths.of[n], &saved) &&
                saved.kind == (varve_kind)node->kind && saved.has_value &&
                varve_reader_read(reader, saved.id, bytes, sizeof bytes,
                    &m->error) == VARVE_OK;
        saved.value.data = bytes;
        if (is_it && node->kind == VARVE_VARIABLE &&
            node->dtype != VARVE_STRING)
            is_it = mix_holds(&saved.value, node->dtype, &node->value);
    }
    varve_reader_free(reader);
    return is_it;
}

/* The save of a child that is killed at some point of it: afterwards there is
 * the older file or the newer, whole, and a save goes well. */
void mix_kill(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a), slot = b % MIX_ORDINARY_FILES;
    struct mix_graph *g = &m->graphs[at];
    struct mix_file *file = &m->files[slot];
    struct mix_file new = mix_file_of(&g->shape, 0, VARVE_FORMAT_VARVE);
    int left = c % 4;
    const varve_write_options options = { .progress = die,
        .progress_user = &left };
    if (a % 8 || (file->is_there && file->format != VARVE_FORMAT_VARVE))
        return; /* it takes long */
    const char *path = mix_file_path(m, slot, VARVE_FORMAT_VARVE);
    if (!file->is_there && access(path, F_OK) == 0)
        return; /* of a snapshot that was not followed */
    mix_say(m, "varve_write(g%dn0, \"%s\"); killed at its progress %d", at,
        path, left);
    pid_t child = fork();
    if (child == 0)
        _exit(varve_write(g->nodes[0], path, &options, &m->error) != VARVE_OK);
    int status;
    MIX_CHECK(child > 0 && waitpid(child, &status, 0) == child, "no child");
    MIX_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0,
        "a child ended with %d", status);
    if (access(path, F_OK) != 0) {
        MIX_CHECK(!file->is_there, "%s is gone", path);
        return;
    }
    bool is_older = file->is_there && holds(m, path, file);
    bool is_newer = holds(m, path, &new);
    MIX_CHECK(is_older || is_newer, "%s is neither the older nor the newer one",
        path);
    if (is_newer)
        *file = new;
    if (is_newer && is_older)
        file->is_there = false; /* they look the same: it is not used */
}

/* --- Refused calls -------------------------------------------------------- */

static varve_status pass_over(void *user, varve_node *node, const char *path)
{
    (void)user;
    (void)node;
    (void)path;
    return VARVE_OK;
}

/* NULL is the nil node. */
void mix_ask_nothing(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    (void)b;
    (void)c;
    mix_say(m, "(call %d with NULL)", a % 10);
    switch (a % 10) {
    case 0: MIX_CHECK(!varve_data(NULL), "data"); break;
    case 1: MIX_CHECK(!varve_value(NULL), "a value"); break;
    case 2: MIX_CHECK(!varve_find(NULL, "a"), "a child"); break;
    case 3: MIX_CHECK(!varve_find_path(NULL, "a"), "a node"); break;
    case 4: varve_remove(NULL); break;
    case 5: varve_tag(NULL, "mine"); break;
    case 6: MIX_CHECK(varve_edge_count(NULL) == 0, "edges"); break;
    case 7:
        MIX_CHECK(
            varve_walk(NULL, pass_over, NULL, &m->error) != VARVE_NO_MEMORY,
            "no memory");
        break;
    case 8: varve_untrack(NULL, "a"); break;
    default: varve_alias(NULL, "a"); break;
    }
}

/* A refused call does not end a run. */
void mix_mistake(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a);
    struct mix_graph *g = &m->graphs[at];
    uint8_t parent = mix_pick(g, mix_is_parent, b);
    (void)c;
    if (parent == MIX_NONE || !g->shape.nodes[parent].edge_count)
        return;
    const char *name = mix_name(g->shape.nodes[parent].edges[0].name);
    mix_say(
        m, "varve_add_object(g%dn%d, \"%s\"); a second time", at, parent, name);
    varve_node *nil = varve_add_object(g->nodes[parent], name);
    MIX_CHECK(varve_node_kind(nil) == VARVE_NIL, "a name was given twice");
    mix_expect(m, "varve_graph_check", varve_graph_check(g->graph, &m->error),
        VARVE_DUPLICATE, VARVE_DUPLICATE);
    mix_expect(m, "varve_clear_mistake",
        varve_clear_mistake(g->graph, &m->error), VARVE_DUPLICATE,
        VARVE_DUPLICATE);
}
