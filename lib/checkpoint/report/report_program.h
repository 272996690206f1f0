/* report_program.h - The part of a report that examines the program, and the
 * declarations that it shares with report.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REPORT_PROGRAM_H
#define VV_REPORT_PROGRAM_H

#include "hint.h"
#include "report.h"
#include "walk.h"

/* The state of making a report. */
struct vv_maker {
    const struct vv_pairing *p;
    const struct vv_delivery *d;
    varve_report *report;
    struct vv_walk walk;
    bool has_walk; /* the program still exists */
    bool with_matched;
    bool is_dry;    /* due values count as matched */
    unsigned asked; /* options of vv_report_make */
    size_t lines;   /* number of findings of this side whose nearest names were
                       searched for a message */
    struct vv_hints hints;
    uint8_t *is_listed; /* by place in the walk: already listed as a value of
                           the file */
    struct vv_buffer by_file; /* the claims, sorted by node of the file */
    struct vv_buffer inexact; /* counts of inexact casts, sorted by value */
    struct vv_buffer scratch;
    const varve_node *asked_of; /* the node that `is_in_place` was computed
                                   for */
    bool is_in_place;
    bool failed; /* out of memory */
};

/* Returns a copy of a string in the report. Returns NULL and sets `failed` if
 * out of memory. */
const char *vv_report_keep(struct vv_maker *m, struct vv_buffer *text);

/* Returns true if the nearest name of a finding of a side is wanted: that of
 * the file (VV_NEAREST_OF_FILE) or of the program. */
bool vv_report_wants_nearest(
    struct vv_maker *m, const struct vv_finding *finding, unsigned side);

/* Adds a finding to the report. Matches may only be counted. */
void vv_report_add(struct vv_maker *m, const struct vv_finding *finding);

/* Sets the path of a node of the file in a finding, and its number. */
void vv_report_describe_file(
    struct vv_maker *m, struct vv_finding *finding, uint32_t file);

/* Returns the reason why a value is damaged, or NULL if it is not. */
const char *vv_report_damage(struct vv_maker *m, uint32_t value);

/* Sets type, shape, size and offset of a value of the file. */
void vv_report_describe_value(
    struct vv_maker *m, struct vv_finding *finding, uint32_t value);

/* Sets path, type and shape of a node of the program, and marks it as listed.
 */
void vv_report_describe_node(
    struct vv_maker *m, struct vv_finding *finding, const varve_node *node);

/* Returns true if this restoration or a later one has restored the node. */
bool vv_report_was_restored(const struct vv_maker *m, const varve_node *node);

/* Adds findings for variables that only the program has, and for copies. */
void vv_report_look_at_program(struct vv_maker *m);

/* --- Unused patterns ------------------------------------------------------ */

/* Finds renames and patterns of a read that matched nothing. */

/* Adds a finding for each. If `hints` is NULL, the nearest names are not
 * searched. Must follow vv_scope_complete. Returns false if out
 * of memory. */
bool vv_list_unused_patterns(
    const struct vv_pairing *p, struct vv_hints *hints, varve_report *report);

#endif
