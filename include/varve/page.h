/* page.h - a saved graph as one HTML page, for people: a tree to search, fold
 * and filter, and what else is to be said of its nodes.
 *
 * A page is one file that needs no network and loads nothing. It shows all of
 * the index of a checkpoint (names, kinds, types, shapes, sizes, digests, tags,
 * slots, sharing and cycles) and reads no value. Names come from the file, and
 * whatever they are they stay text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_PAGE_H
#define VARVE_PAGE_H

#include <varve/reader.h>
#include <varve/restoration.h>

VARVE_BEGIN_DECLS

/* How a mark looks: a colour, and a sign for who sees none. */
typedef enum varve_page_tone {
    VARVE_PAGE_QUIET = 0,   /* pale */
    VARVE_PAGE_GOOD = 1,    /* green */
    VARVE_PAGE_WAITS = 2,   /* grey */
    VARVE_PAGE_APART = 3,   /* grey too, of another sign */
    VARVE_PAGE_NEW = 4,     /* blue */
    VARVE_PAGE_CHANGED = 5, /* amber */
    VARVE_PAGE_BAD = 6,     /* red */
    VARVE_PAGE_BROKEN = 7   /* red too, of another sign */
} varve_page_tone;

/* A mark that nodes may have. The page counts each, and filters by it. */
typedef struct varve_page_mark {
    const char *name; /* such as "changed" */
    const char *help; /* a few words more; NULL: none */
    varve_page_tone tone;
} varve_page_mark;

/* What is known of the elements of a value. A number that is not finite is
 * shown as none. */
typedef struct varve_page_statistics {
    uint64_t count; /* of all elements; of these: */
    uint64_t zeros;
    uint64_t nans;
    uint64_t infinities;
    double least; /* of the finite ones */
    double most;
    double mean;
    double deviation;     /* the standard deviation */
    const uint64_t *bins; /* a histogram of bins of one width; NULL: none */
    size_t bin_count;
    double low;  /* where the first bin begins, */
    double high; /* and the last one ends */
    varve_reserved reserved;
} varve_page_statistics;

/* What a page says of a node besides. What it points to has to last until the
 * next call back. */
typedef struct varve_page_note {
    size_t mark;         /* the number of the mark, from 1; 0: none */
    const char *text;    /* a line, such as a reason; NULL */
    const char *nearest; /* another path that may have been meant; NULL */
    const varve_page_statistics *statistics; /* NULL: none */
    varve_reserved reserved;
} varve_page_note;

/* Called with each node of the file, in order of id; `note` is empty, or what
 * the report says (varve_report_html), and may be changed. Anything but
 * VARVE_OK ends it. */
typedef varve_status varve_on_page_node(
    void *user, const varve_saved_node *node, varve_page_note *note);

/* Something that the file does not have: a path of the other side, which the
 * page puts where it would be in the tree, with a type and a shape (dtype 0:
 * none), and a note. Without a path: a remark about the whole, which is the
 * text of the note. */
typedef struct varve_page_row {
    const char *path;
    varve_tensor value;
    varve_page_note note;
    varve_reserved reserved;
} varve_page_row;

/* Called with 0, 1 and so on, until it says VARVE_NOT_FOUND; `row` is empty and
 * is to be filled in. Anything else but VARVE_OK is a failure. */
typedef varve_status varve_on_page_row(
    void *user, size_t index, varve_page_row *row);

/* All zero is the default; NULL stands for that. */
typedef struct varve_page_options {
    const char *title;            /* NULL: the path of the file */
    const char *chosen;           /* the path that is shown first; NULL: all */
    const varve_page_mark *marks; /* up to 32 */
    size_t mark_count;
    varve_on_page_node *on_node; /* NULL: there are no notes */
    void *on_node_user;
    varve_on_page_row *on_row; /* NULL: there are no rows */
    void *on_row_user;
    bool no_sync;    /* not on disk before it appears */
    bool no_replace; /* VARVE_EXISTS where the name is taken */
    varve_reserved reserved;
} varve_page_options;

/* Writes the page of a checkpoint. The file appears under its name when it is
 * complete, with the statuses of varve_write; on failure an older one stays as
 * it was. A callback that fails is VARVE_CALLBACK; a mark that there is not,
 * VARVE_MISUSE. Takes little memory beyond the paths of the nodes, which the
 * reader keeps where there is `on_node`. */
VARVE_API varve_status varve_page_write(varve_reader *reader, const char *path,
    const varve_page_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Called with the next bytes of a page. Anything but VARVE_OK ends it. */
typedef varve_status varve_on_page_bytes(
    void *user, const void *bytes, size_t size);

/* The same, to wherever the caller puts the bytes. */
VARVE_API varve_status varve_page_print(varve_reader *reader,
    varve_on_page_bytes *on_bytes, void *user,
    const varve_page_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Writes the page of a restoration at this moment: the graph of its file, and
 * on each node what became of it, as the report has it, with the reason and the
 * nearest name; what only the program has stands where it would be. Green has
 * arrived, grey waits or is only in the file, red does not fit or is damaged,
 * blue is only in the program, and what is excused is pale. Of a plan: what
 * would become of it. `marks` and `on_row` in the options have to be NULL. */
VARVE_API varve_status varve_report_html(varve_restoration *restoration,
    const char *path, const varve_page_options *options,
    varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
