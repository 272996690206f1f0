/* page.h - a checkpoint as one HTML page: a tree to search, fold and filter,
 * and what a command says of its nodes besides.
 *
 * A page is one file that needs no network and loads nothing. It shows all of
 * the index of a checkpoint and reads no value. Names come from the file, and
 * whatever they are they stay text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_H
#define TOOL_PAGE_H

#include <stdio.h>

#include <varve/reader.h>

/* How a mark looks: a colour, and a sign for who sees none. The script of the
 * page has the same numbers. */
enum page_tone {
    PAGE_QUIET,   /* pale */
    PAGE_GOOD,    /* green */
    PAGE_WAITS,   /* grey */
    PAGE_APART,   /* grey too, of another sign */
    PAGE_NEW,     /* blue */
    PAGE_CHANGED, /* amber */
    PAGE_BAD,     /* red */
    PAGE_BROKEN,  /* red too, of another sign */
    PAGE_TONES
};

/* A mark that nodes may have. The page counts each, and filters by it. */
struct page_mark {
    const char *name; /* such as "changed" */
    const char *help; /* a few words more; NULL: none */
    enum page_tone tone;
};

/* The script counts each below every node. */
enum { PAGE_MOST_MARKS = 32 };

/* What is known of the elements of a value. A number that is not finite is
 * shown as none. */
struct page_statistics {
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
};

/* What a page says of a node besides. */
struct page_note {
    size_t mark;         /* the number of the mark, from 1; 0: none */
    const char *text;    /* a line, such as a reason; NULL */
    const char *nearest; /* another path that may have been meant; NULL */
    const struct page_statistics *statistics; /* NULL: none */
};

/* Something that the file does not have: a path of the other side, which the
 * page puts where it would be in the tree, with a type and a shape (dtype 0:
 * none), and a note. Without a path: a remark about the whole, which is the
 * text of the note. */
struct page_row {
    const char *path;
    varve_tensor value;
    struct page_note note;
};

/* What is laid over a checkpoint. What a function points to has to last until
 * the next call. */
struct page_overlay {
    const char *title;  /* NULL: the path of the file */
    const char *chosen; /* the path that is shown first; NULL: all */
    const struct page_mark *marks;
    size_t mark_count;
    /* Called with each node of the file, in order of id, and an empty note;
     * NULL: there are none. */
    void (*on_node)(
        void *user, const varve_saved_node *node, struct page_note *note);
    /* Called with 0, 1 and so on and an empty row, until it says that there are
     * no more; NULL: there are none. */
    bool (*on_row)(void *user, size_t index, struct page_row *row);
    void *user;
};

/* Prints the page; what cannot be written is the stream's error. */
void page_print(
    FILE *to, const varve_reader *reader, const struct page_overlay *overlay);

#endif
