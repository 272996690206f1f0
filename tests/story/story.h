/* story.h - the few lines that most stories share: a graph, values at paths,
 * a file of them, a read that must succeed, a read that must fail.
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

/* STORY_FILE("f", { "model/a", 1 }, { "b", 2 }): a file of objects and scalar
 * variables in the test's directory. */
#define STORY_FILE(name, ...)                                                  \
    story_file(name, (const struct story_value[]){ __VA_ARGS__, { NULL, 0 } })

void story_file(const char *name, const struct story_value *values);

varve_graph *story_graph(void);

/* Adds a variable at a path, and the objects on the way that are not there. */
varve_node *story_add(varve_node *root, const char *path, float *value);

/* The object at a path, made where it is not there. */
varve_node *story_object(varve_node *root, const char *path);

/* Writes; reads; asserts that it went well. Names are in the test's
 * directory. */
void story_write(varve_node *root, const char *name);
varve_restoration *story_read(
    varve_node *root, const char *name, const varve_read_options *options);

/* A read that must fail with this status; the message is in `error`. */
void story_refused(varve_node *root, const char *name,
    const varve_read_options *options, varve_status status, varve_error *error);

/* Changes a byte of a value of a file, or what is changed back. */
void story_damage(const char *name, const char *path, size_t offset);

/* Whether the message has this text, and whether it is one line. */
bool story_says(const varve_error *error, const char *text);
bool story_is_one_line(const varve_error *error);

/* Findings of a kind now. */
size_t story_findings(varve_restoration *restoration, varve_finding_kind kind);

/* Everything the file has arrived, and everything the program has was
 * restored. */
void story_consumed(varve_restoration *restoration);

#define story_unmatched(call, text, error)                                     \
    do {                                                                       \
        cr_assert_eq((call), VARVE_UNMATCHED);                                 \
        cr_assert(story_says(&(error), text), "%s", (error).message);          \
    } while (0)

#endif
