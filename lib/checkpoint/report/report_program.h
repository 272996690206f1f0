/* report_program.h - the half of a report that looks from the program's side,
 * and what it shares with the other (report.c).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REPORT_PROGRAM_H
#define VV_REPORT_PROGRAM_H

#include "hint.h"
#include "report.h"
#include "walk.h"

/* Everything a report is made from. */
struct vv_maker {
    const struct vv_pairing *p;
    const struct vv_delivery *d;
    varve_report *report;
    struct vv_walk walk;
    bool has_walk; /* the program is still there */
    bool with_matched;
    bool is_dry; /* what is due counts as matched */
    struct vv_hints hints;
    uint8_t *is_listed; /* by place in the walk: found from the file's side */
    struct vv_buffer by_file; /* the conflicts, sorted by file node */
    struct vv_buffer inexact; /* those of casts, sorted by value */
    struct vv_buffer scratch;
    const varve_node *asked_of; /* whether this one is in its place */
    bool is_in_place;
    bool failed; /* out of memory */
};

/* A string in the report; NULL without memory, which the maker remembers. */
const char *vv_report_keep(struct vv_maker *m, struct vv_buffer *text);

void vv_report_add(struct vv_maker *m, const struct vv_finding *finding);

/* Path of a node of the file, and which it is. */
void vv_report_describe_file(
    struct vv_maker *m, struct vv_finding *finding, uint32_t file);

/* Why a value was found damaged; NULL if it was not. */
const char *vv_report_damage(struct vv_maker *m, uint32_t value);

/* Type, shape, size and place of a value of the file. */
void vv_report_describe_value(
    struct vv_maker *m, struct vv_finding *finding, uint32_t value);

/* Path, type and shape of a node of the program, which is listed by that. */
void vv_report_describe_node(
    struct vv_maker *m, struct vv_finding *finding, const varve_node *node);

/* Whether this restoration or a later one gave the node its value. */
bool vv_report_was_restored(const struct vv_maker *m, const varve_node *node);

/* Lists what only the program has, and copies. */
void vv_report_look_at_program(struct vv_maker *m);

#endif
