/* show_head.c - Prints the properties of a node without reading its value.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "show_parts.h"
#include "store_path.h"
#include "tensor_text.h"
#include "units.h"

enum { MOST_PATHS = 10 };

/* --- Paths -------------------------------------------------------------- */

/* Returns the path of an edge, or of a slot in the form
 * owner/slot(variable). */
static char *path_of(
    const struct outline *outline, uint32_t owner, const struct branch *branch)
{
    char *name = escaped_name(branch->name);
    if (!name)
        memory_exhausted();
    if (branch->variable != OUTLINE_NONE) {
        const char *variable = outline_saved(outline, branch->variable).path;
        size_t size = strlen(name) + strlen(variable) + 3;
        char *slot = memory_allocate(size, 1);
        snprintf(slot, size, "%s(%s)", name, variable);
        free(name);
        name = slot;
    }
    char *path = memory_join_path(outline_saved(outline, owner).path, name);
    free(name);
    return path;
}

void each_path(
    const struct outline *outline, uint32_t node, on_path *function, void *user)
{
    struct branch branch;
    bool goes_on = true;
    for (size_t i = 0; i < outline->reached && goes_on; i++) {
        uint32_t id = outline->order[i];
        for (size_t j = 0; goes_on && outline_branch(outline, id, j, &branch);
             j++) {
            if (branch.node != node)
                continue;
            char *path = path_of(outline, id, &branch);
            goes_on = function(user, path);
            free(path);
        }
    }
}

struct path_lines {
    const struct subject *subject;
    size_t count;
};

static void print_label(const struct subject *s, const char *label)
{
    printf("%s%-8s%s", s->style.dim, label, s->style.plain);
}

static bool print_path(void *user, const char *path)
{
    struct path_lines *lines = user;
    if (strcmp(path, lines->subject->node.path) == 0)
        return true;
    if (lines->count++ == MOST_PATHS) {
        print_label(lines->subject, "");
        printf("%s\n", lines->subject->style.dots);
        return false;
    }
    print_label(lines->subject, lines->count == 1 ? "also" : "");
    print_clean(stdout, path);
    putchar('\n');
    return true;
}

/* --- Lines -------------------------------------------------------------- */

static void print_first_line(const struct subject *s)
{
    char text[VARVE_TENSOR_TEXT_SIZE], size[UNITS_TEXT_SIZE];
    char part[PART_TEXT_SIZE];
    const varve_saved_node *node = &s->node;
    fputs(s->style.bold, stdout);
    print_clean(stdout, *node->path ? node->path : "/");
    fputs(s->style.plain, stdout);
    if (node->kind == VARVE_STATE || !node->value.dtype)
        printf("%s%s", s->style.dot, kind_name(node->kind));
    else
        printf("%s%s", s->style.dot, type_text(&node->value, text));
    if (node->part)
        printf("%s%s", s->style.dot, part_text(node->part, part));
    if (node->has_value)
        printf("%s%s", s->style.dot,
            size_text(s->settings->units, node->size, size));
    else if (node->value.dtype)
        printf("%snot saved", s->style.dot);
    putchar('\n');
}

static void print_place(const struct subject *s)
{
    char digest[DIGEST_TEXT_SIZE];
    const varve_saved_node *node = &s->node;
    if (!node->has_value)
        return;
    digest_text(node->digest, digest);
    if (*digest != '-') {
        print_label(s, "digest");
        puts(digest);
    }
    if (!node->file)
        return;
    print_label(s, "offset");
    printf("%" PRIu64, node->offset);
    if (strcmp(node->file, varve_reader_path(s->outline.reader)) != 0) {
        fputs(" in ", stdout);
        print_clean(stdout, shown_path(node->file));
    }
    putchar('\n');
}

static void print_names(const struct subject *s)
{
    const char *tag;
    for (size_t i = 0;
         (tag = varve_reader_tag_at(s->outline.reader, s->node.id, i)); i++) {
        if (i == 0)
            print_label(s, "tags");
        fputs(i ? ", " : "", stdout);
        print_clean(stdout, tag);
    }
    if (s->node.tag_count)
        putchar('\n');
    if (s->node.global_name && strcmp(s->node.global_name, s->node.path)) {
        print_label(s, "name");
        print_clean(stdout, s->node.global_name);
        putchar('\n');
    }
}

void show_head(const struct subject *s)
{
    char text[VARVE_TENSOR_TEXT_SIZE];
    print_first_line(s);
    print_place(s);
    print_names(s);
    each_path(&s->outline, s->node.id, print_path,
        &(struct path_lines){ .subject = s });
    if (!s->options->slice)
        return;
    varve_tensor tensor = selection_tensor(&s->selection);
    print_label(s, "part");
    print_clean(stdout, s->options->slice);
    printf(" %s %s\n", s->style.arrow, shape_text(&tensor, text));
}
