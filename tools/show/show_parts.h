/* show_parts.h - what show has to say of a node, piece by piece.
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
    struct view view; /* of `all`: patterns */
    bool all;         /* every value below the node */
    bool full;
    bool statistics;
    bool histogram;
    uint64_t bins;      /* 0: not given */
    uint64_t width;     /* 0: not given */
    uint64_t precision; /* UINT64_MAX: not given */
};

/* What is shown. */
struct subject {
    const struct settings *settings;
    const struct show_options *options;
    struct style style;
    struct outline outline;
    varve_saved_node node;
    struct selection selection; /* of a value */
    struct pieces pieces;       /* its elements, where it is open */
    struct statistics statistics;
    bool has_statistics;
};

enum { SHOW_BINS = 16, MOST_STATE_BYTES = 256, MOST_STATE_TEXT = 4096 };

/* Called with each path that ends in an edge or a slot to a node; whether to go
 * on. */
typedef bool on_path(void *user, const char *path);
void each_path(const struct outline *outline, uint32_t node, on_path *function,
    void *user);

/* Kind, type, size, digest, place, names. */
void show_head(const struct subject *subject);

/* Edges, slots and metadata of what has no value. */
void show_object(const struct subject *subject);

/* The bytes of a state as text where they are, else in hexadecimal. */
varve_status show_state(struct subject *subject, varve_error *error);

/* What --statistics and --histogram ask for. */
void show_statistics(const struct subject *subject);

/* All of it as JSON. */
varve_status show_json(struct subject *subject, varve_error *error);

#endif
