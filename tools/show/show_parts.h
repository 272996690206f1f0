/* show_parts.h - Prints the parts of the output of varve show.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SHOW_PARTS_H
#define TOOL_SHOW_PARTS_H

#include "outline.h"
#include "pieces.h"
#include "settings.h"
#include "statistics.h"
#include "style.h"

struct show_options {
    struct settings settings;
    const char *slice;
    struct view view; /* for `all`: patterns */
    bool all;         /* show every value below the node */
    bool full;
    bool statistics;
    bool histogram;
    uint64_t bins;      /* 0: not given */
    uint64_t width;     /* 0: not given */
    uint64_t precision; /* UINT64_MAX: not given */
};

/* The node to show, with its options. */
struct subject {
    const struct settings *settings;
    const struct show_options *options;
    struct style style;
    struct outline outline;
    varve_saved_node node;
    struct selection selection; /* of the value */
    struct pieces pieces;       /* its elements, if it is open */
    struct statistics statistics;
    bool has_statistics;
};

enum { SHOW_BINS = 16, MOST_STATE_BYTES = 256, MOST_STATE_TEXT = 4096 };

/* Called with each path to a node that ends in an edge or a slot. Returns false
 * to stop. */
typedef bool on_path(void *user, const char *path);
void each_path(const struct outline *outline, uint32_t node, on_path *function,
    void *user);

/* Prints kind, type, size, digest, position and names. */
void show_head(const struct subject *subject);

/* Prints edges, slots and metadata of a node without a value. */
void show_object(const struct subject *subject);

/* Prints the bytes of a state, as text or in hexadecimal. */
varve_status show_state(struct subject *subject, varve_error *error);

/* Prints the results of --statistics and --histogram. */
void show_statistics(const struct subject *subject);

/* Prints everything as JSON. */
varve_status show_json(struct subject *subject, varve_error *error);

#endif
