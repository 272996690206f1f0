/* story.h - Declares helpers of the stories (tests of one documented behavior
 * each): a graph, variables at paths, a file of them, and reads that must
 * succeed or fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STORY_H
#define STORY_H

#include "support/test.h"

/* A scalar float32 variable at a path. */
struct story_value {
    const char *path;
    float value;
};

/* STORY_FILE("f", { "model/a", 1 }, { "b", 2 }): writes a file of objects and
 * scalar variables to the test's directory. */
#define STORY_FILE(name, ...)                                                  \
    story_file(name, (const struct story_value[]){ __VA_ARGS__, { NULL, 0 } })

void story_file(const char *name, const struct story_value *values);

varve_graph *story_graph(void);

/* Adds a variable at a path, and missing objects on the way. */
varve_node *story_add(varve_node *root, const char *path, float *value);

/* Returns the object at a path, and creates it if it does not exist. */
varve_node *story_object(varve_node *root, const char *path);

/* Write and read a file in the test's directory, and assert success. */
void story_write(varve_node *root, const char *name);
varve_restoration *story_read(
    varve_node *root, const char *name, const varve_read_options *options);

/* Asserts that a read fails with this status; the message is in `error`. */
void story_refused(varve_node *root, const char *name,
    const varve_read_options *options, varve_status status, varve_error *error);

/* Flips a byte of a value in a file; a second call flips it back. */
void story_damage(const char *name, const char *path, size_t offset);

/* Return true if the message contains the text, and if it is one line. */
bool story_says(const varve_error *error, const char *text);
bool story_is_one_line(const varve_error *error);

/* Returns the current number of findings of a kind. */
size_t story_findings(varve_restoration *restoration, varve_finding_kind kind);

/* Asserts that all of the file was used and all of the program restored. */
void story_consumed(varve_restoration *restoration);

#define story_unmatched(call, text, error)                                     \
    do {                                                                       \
        cr_assert_eq((call), VARVE_UNMATCHED);                                 \
        cr_assert(story_says(&(error), text), "%s", (error).message);          \
    } while (0)

#endif
