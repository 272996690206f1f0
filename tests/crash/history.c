/* history.c - Stores the version history of each name and each file content.
 *
 * SPDX-License-Identifier: MIT
 */
#include "crash/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

struct history *history_new(void)
{
    struct history *h = calloc(1, sizeof *h);
    cr_assert(h, "the machine is out of memory");
    history_add(h, true);
    return h;
}

void history_free(struct history *h)
{
    for (size_t i = 0; i < h->node_count; i++) {
        struct crash_line *line = &h->nodes[i]->content;
        for (size_t j = 0; j < line->count; j++)
            free(line->versions[j].bytes);
        free(h->nodes[i]);
    }
    free(h);
}

static struct crash_version *add_version(
    struct crash_line *line, long time)
{
    cr_assert_lt(line->count, CRASH_VERSIONS, "too many versions");
    struct crash_version *version = &line->versions[line->count++];
    *version = (struct crash_version){ .time = time };
    return version;
}

struct crash_node *history_add(struct history *h, bool is_directory)
{
    cr_assert_lt(h->node_count, CRASH_NODES, "too many files");
    struct crash_node *node = calloc(1, sizeof *node);
    cr_assert(node, "the machine is out of memory");
    node->is_directory = is_directory;
    h->nodes[h->node_count++] = node;
    history_content(h, node, "", 0);
    return node;
}

static struct crash_name *find_name(
    struct history *h, const struct crash_node *parent, const char *name)
{
    for (size_t i = 0; i < h->name_count; i++)
        if (h->names[i].parent == parent &&
            strcmp(h->names[i].name, name) == 0)
            return &h->names[i];
    return NULL;
}

void history_name(struct history *h, struct crash_node *parent,
    const char *name, struct crash_node *node)
{
    struct crash_name *found = find_name(h, parent, name);
    if (!found) {
        cr_assert_lt(h->name_count, CRASH_NAMES, "too many names");
        found = &h->names[h->name_count++];
        found->parent = parent;
        snprintf(found->name, sizeof found->name, "%s", name);
        add_version(&found->line, 0);
    }
    add_version(&found->line, h->time)->node = node;
    if (node)
        node->above = parent;
}

void history_content(struct history *h, struct crash_node *file,
    const void *bytes, size_t size)
{
    struct crash_version *version = add_version(&file->content, h->time);
    version->bytes = malloc(size + 1);
    cr_assert(version->bytes, "the machine is out of memory");
    memcpy(version->bytes, bytes, size);
    version->size = size;
}

void history_sync(struct history *h, struct crash_node *node)
{
    cr_assert_lt(node->sync_count, CRASH_SYNCS, "too many syncs");
    node->syncs[node->sync_count++] = h->time;
}

const struct crash_version *history_newest(const struct crash_node *file)
{
    return &file->content.versions[file->content.count - 1];
}

bool history_has(
    struct history *h, struct crash_node *parent, const char *name)
{
    return find_name(h, parent, name) != NULL;
}

struct crash_node *history_find(struct history *h, struct crash_node *from,
    const char *path, char name[256])
{
    struct crash_node *at = *path == '/' ? h->nodes[0] : from;
    for (;;) {
        path += strspn(path, "/");
        size_t size = strcspn(path, "/");
        char part[256];
        snprintf(part, sizeof part, "%.*s", (int)size, path);
        bool is_last = !path[size + strspn(path + size, "/")];
        if (is_last && name) {
            snprintf(name, 256, "%s", part);
            return at;
        }
        if (strcmp(part, "..") == 0) {
            at = at->above ? at->above : at;
        } else if (*part && strcmp(part, ".") != 0) {
            struct crash_name *found = find_name(h, at, part);
            cr_assert(found, "%s: was never made", part);
            at = found->line.versions[found->line.count - 1].node;
            cr_assert(at, "%s: is gone", part);
        }
        if (is_last)
            return at;
        path += size;
    }
}

struct crash_window history_window(const struct crash_line *line,
    const struct crash_node *synced, long time)
{
    long last_sync = 0;
    for (size_t i = 0; i < synced->sync_count; i++)
        if (synced->syncs[i] <= time)
            last_sync = synced->syncs[i];
    struct crash_window window = { 0, 0 };
    for (size_t i = 0; i < line->count; i++) {
        if (line->versions[i].time <= last_sync)
            window.first = i;
        if (line->versions[i].time <= time)
            window.last = i;
    }
    return window;
}
