/* history.h - Records the changes to a simulated disk and computes which
 * versions may remain after a power failure.
 *
 * Time counts the calls that change something. A name (a directory entry) and
 * the content of a file each have a list of versions. After a power failure at
 * a given time, each list is at any version between the last sync (of the
 * directory or of the file) and the newest version, independently of all other
 * lists. In addition, content that was not synced may be truncated, torn or
 * zero. This is weaker than the guarantees of any file system in use.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CRASH_HISTORY_H
#define CRASH_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

struct memory;

enum {
    CRASH_NAMES = 256,    /* names ever created */
    CRASH_NODES = 256,    /* files and directories */
    CRASH_VERSIONS = 64, /* versions of one name or content */
    CRASH_SYNCS = 128,    /* syncs of one node */
    CRASH_SECTOR = 512,
};

struct crash_version {
    long time;
    struct crash_node *node; /* of a name; NULL: removed */
    unsigned char *bytes;    /* of a file */
    size_t size;
};

struct crash_line {
    struct crash_version versions[CRASH_VERSIONS];
    size_t count;
};

struct crash_node {
    bool is_directory;
    struct crash_node *above; /* the directory it was created in; NULL: root */
    struct crash_line content;
    long syncs[CRASH_SYNCS];
    size_t sync_count;
};

struct crash_name {
    struct crash_node *parent;
    char name[256];
    struct crash_line line;
};

struct history {
    struct crash_node *nodes[CRASH_NODES]; /* the root is the first */
    size_t node_count;
    struct crash_name names[CRASH_NAMES];
    size_t name_count;
    long time; /* time of the newest change */
};

struct history *history_new(void);
void history_free(struct history *history);

/* Add a change at the current time. A NULL node removes the name; `content` is
 * the new content of the file. */
struct crash_node *history_add(struct history *history, bool is_directory);
void history_name(struct history *history, struct crash_node *parent,
    const char *name, struct crash_node *node);
void history_content(struct history *history, struct crash_node *file,
    const void *bytes, size_t size);
void history_sync(struct history *history, struct crash_node *node);

/* Returns the newest content of a file. */
const struct crash_version *history_newest(const struct crash_node *file);

/* Returns true if a name was ever created in the directory. */
bool history_has(
    struct history *history, struct crash_node *parent, const char *name);

/* Returns the node at a path below a directory. If `name` is not NULL, sets
 * *name to the last component and does not follow it. */
struct crash_node *history_find(struct history *history,
    struct crash_node *from, const char *path, char name[256]);

/* The first and last version of a list that the disk may contain. */
struct crash_window {
    size_t first, last;
};

struct crash_window history_window(const struct crash_line *line,
    const struct crash_node *synced, long time);

#endif
