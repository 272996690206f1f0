/* page.h - Writes a checkpoint as an HTML page: a tree that can be searched,
 * folded and filtered, with notes of a command about its nodes.
 *
 * A page is a single file that does not use the network or load anything. It
 * contains the whole index of a checkpoint, and no values. Names from the file
 * are always inserted as text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_H
#define TOOL_PAGE_H

#include <stdio.h>

#include <varve/reader.h>

/* The appearance of a mark: a color, and a symbol that does not depend on
 * colors. The script of the page uses the same numbers. */
enum page_tone {
    PAGE_QUIET,   /* pale */
    PAGE_GOOD,    /* green */
    PAGE_WAITS,   /* grey */
    PAGE_APART,   /* grey, with another symbol */
    PAGE_NEW,     /* blue */
    PAGE_CHANGED, /* amber */
    PAGE_BAD,     /* red */
    PAGE_BROKEN,  /* red, with another symbol */
    PAGE_TONES
};

/* A mark for nodes. The page counts each mark, and can filter by it. */
struct page_mark {
    const char *name; /* such as "changed" */
    const char *help; /* a short explanation; or NULL */
    enum page_tone tone;
};

/* The script counts each mark below every node. */
enum { PAGE_MOST_MARKS = 32 };

/* Statistics of the elements of a value. A number that is not finite is not
 * shown. */
struct page_statistics {
    uint64_t count; /* of all elements; of these: */
    uint64_t zeros;
    uint64_t nans;
    uint64_t infinities;
    double least; /* of finite elements, as the next three */
    double most;
    double mean;
    double deviation;     /* the standard deviation */
    const uint64_t *bins; /* a histogram with bins of equal width; or NULL */
    size_t bin_count;
    double low;  /* start of the first bin */
    double high; /* end of the last bin */
};

/* A note about a node. */
struct page_note {
    size_t mark;         /* number of the mark, from 1; 0: none */
    const char *text;    /* a line, such as a reason; or NULL */
    const char *nearest; /* another path that may have been meant; or NULL */
    const struct page_statistics *statistics; /* or NULL */
};

/* A row for an object that the file does not have: a path of the other side,
 * which is shown at its place in the tree, with type and shape (dtype 0: none)
 * and a note. Without a path it is a remark about the whole checkpoint, with
 * the text of the note. */
struct page_row {
    const char *path;
    varve_tensor value;
    struct page_note note;
};

/* The data that is added to a checkpoint. Pointers returned by the functions
 * must be valid until the next call. */
struct page_overlay {
    const char *title;  /* NULL: the path of the file */
    const char *chosen; /* path that is initially selected; NULL: all */
    const struct page_mark *marks;
    size_t mark_count;
    /* Called with each node of the file, in the order of IDs, and an empty
     * note; or NULL. */
    void (*on_node)(
        void *user, const varve_saved_node *node, struct page_note *note);
    /* Called with 0, 1 and so on and an empty row, until it returns false; or
     * NULL. */
    bool (*on_row)(void *user, size_t index, struct page_row *row);
    void *user;
};

/* Prints the page. Write errors are recorded in the stream. */
void page_print(
    FILE *to, const varve_reader *reader, const struct page_overlay *overlay);

#endif
