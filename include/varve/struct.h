/* struct.h - a struct of the program's as it is, described once.
 *
 *     struct adam {
 *         int64_t step;
 *         float betas[2];
 *         float *moments;
 *         int count;
 *         char name[32];
 *     };
 *     static const varve_field adam_fields[] = {
 *         VARVE_FIELD(struct adam, step),
 *         VARVE_FIELD_ARRAY(struct adam, betas),
 *         VARVE_FIELD_POINTER(struct adam, moments, count),
 *         VARVE_FIELD_TEXT(struct adam, name),
 *         VARVE_FIELDS_END,
 *     };
 *     varve_add_struct(root, "adam", adam_fields, &adam);
 *
 * Types, extents and places are the compiler's, so that a table cannot differ
 * from its struct in them; a member of a type that has no element type does not
 * compile. The object has an edge for each field, of its name: variables over
 * the members, objects and lists of structs, and states for text.
 *
 * Pointers may be set and counts may change at any time: each call that saves,
 * takes, plans or restores values looks at the structs again that it reaches.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_STRUCT_H
#define VARVE_STRUCT_H

#include <varve/graph.h>
#include <varve/memory.h>
#include <varve/tensor.h>

VARVE_BEGIN_DECLS

typedef enum varve_field_kind {
    VARVE_FIELD_NONE = 0,      /* behind the last one */
    VARVE_FIELD_IS_VALUE = 1,  /* elements */
    VARVE_FIELD_IS_TEXT = 2,   /* chars up to a NUL */
    VARVE_FIELD_IS_STRUCT = 3, /* one struct, */
    VARVE_FIELD_IS_LIST = 4,   /* and any number of them */
    VARVE_FIELD_IS_GONE = 5    /* in older files only */
} varve_field_kind;

/* Makes room where a pointer is NULL, zeroed, as calloc does. */
typedef void *varve_make_room(size_t count, size_t size);

/* How many there are of a member of `*object`, which may be asked any time. */
typedef size_t varve_count_of(const void *object);

/* How many elements row `row` of a member of `*object` has, likewise. */
typedef size_t varve_row_length(const void *object, size_t row);

/* Gives text another size, as realloc does; of size 0 frees it and returns
 * NULL. */
typedef void *varve_resize_text(void *text, size_t size);

/* A field, as the macros below fill it in. Behind their arguments can stand, as
 * in VARVE_FIELD(struct adam, rate, .is_later = true), what begins here: */
typedef struct varve_field {
    const char *older_names; /* in older files, as "speed" or "speed|velocity";
                                varve_alias */
    bool is_later; /* it came later than older files, which leave it as it is:
                      VARVE_TAG_LATER */
    bool is_fixed; /* a restoration and each save must find it as it is:
                      VARVE_TAG_FIXED */
    varve_make_room *room; /* where the pointer is NULL and a file has the
                              field: calloc, or the program's own */
    size_t more; /* elements than the first member that counts says: 1 of the
                    int *begins of a number of rows, which has their end too */

    /* The macros' own. */
    varve_field_kind kind;
    const char *name;
    size_t offset;
    size_t size;          /* of the member; 0: a flexible array */
    size_t element_size;  /* of what is behind one index, or behind a pointer */
    size_t struct_size;   /* of the struct that has the member */
    varve_dtype dtype;    /* of a value */
    bool is_pointer;      /* the member points at it */
    bool has_rows;        /* one more extent is in `element_size` */
    bool is_row_pointers; /* a pointer for each row, and that points at it */
    unsigned rank;        /* how many of these there are: */
    varve_extent extents[3];
    const struct varve_field *fields; /* of the structs */

    /* And behind the arguments too, as in VARVE_FIELD(struct layer, w, .called
     * = "kernel"): */
    const char *called; /* its name in the graph, if not that of the member */

    varve_count_of
        *count;       /* the macros': the first extent; NULL: it is above */
    const void *ones; /* of a bit-field: the struct with all bits of it set */
    varve_row_length *row_length; /* NULL: rows are of one length */
    varve_resize_text *resize;    /* of text behind a pointer */
    void *reserved[3];
} varve_field;

/* An object with the fields of a struct, whose memory stays where it is as that
 * of variables does. `fields` must stay too. A table that does not match its
 * struct, a count below 0, a NULL pointer to what is not empty: VARVE_MISUSE
 * with the path of the field, and nothing is added. In C and C++ the size of
 * `*object` is compared with that of the table's struct. */
#define varve_add_struct(parent, name, fields, object)                         \
    varve_add_sized_struct(parent, name, fields, object, sizeof *(object))

/* The same where the type is not known; a `size` of 0 is not compared. */
VARVE_API varve_node *varve_add_sized_struct(varve_node *parent,
    const char *name, const varve_field *fields, void *object, size_t size);

/* Looks at a struct again, which is now at `object`: after it has moved; or at
 * once where a pointer of it was set or a count has changed, which the next
 * call that takes values sees by itself. Variables view the memory that there
 * is now, in its shape (varve_rebind), also where the program has bound them to
 * other memory, and fields come back that it has removed. Lists get and lose
 * elements at their end, and a pointer that is NULL and has `room` takes its
 * node away (varve_remove). Structs, text and variables of another type that
 * the program itself has put in their place stay what they are; a list that
 * gets shorter only loses its edge to them. VARVE_MISUSE as above, and nothing
 * has changed, where the struct does not match, or for a node that is no
 * struct. */
VARVE_API void varve_rebind_struct(varve_node *node, void *object);

/* Text by itself: a state over char[size], as VARVE_FIELD_TEXT makes it. */
VARVE_API varve_node *varve_add_text(
    varve_node *parent, const char *name, char *text, size_t size);

#ifndef __cplusplus

/* --- Values --------------------------------------------------------------- */

/* A number, bool, enum, or varve_string. */
#define VARVE_FIELD(type, ...)                                                 \
    VARVE_FIELD_SCALAR_(type, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* VARVE_FIELDS(struct adam, step, rate, betas): 1 to 32 members in one line,
 * each a field as VARVE_FIELD or, of an array, VARVE_FIELD_ARRAY makes it.
 * Pointers and structs do not compile. */
#define VARVE_FIELDS(type, ...)                                                \
    VARVE_EACH_(VARVE_FIELD_IN_PLACE_, type, __VA_ARGS__)

/* An array in place, of one dimension or two; and of three. */
#define VARVE_FIELD_ARRAY(type, ...)                                           \
    VARVE_FIELD_ARRAY_(type, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)
#define VARVE_FIELD_ARRAY_3D(type, ...)                                        \
    VARVE_FIELD_ARRAY_3D_(type, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* As many elements of a type of your choice as the member, a number or an
 * array, has room for: float16 in uint16_t[8], bytes in char[8]. */
#define VARVE_FIELD_AS(type, member, ...)                                      \
    VARVE_FIELD_AS_(type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* VARVE_FIELD_POINTER(struct net, weights, weight_count): behind a pointer, as
 * many as another member says; float (*rows)[9] will do. NULL is for none. A
 * member that counts, and is a field too, is fixed: so nothing in a file makes
 * it more than there is. */
#define VARVE_FIELD_POINTER(type, member, ...)                                 \
    VARVE_FIELD_POINTER_(                                                      \
        type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* VARVE_FIELD_POINTER_TO(struct net, weights, 784 * 10): a number of them that
 * is always the same. */
#define VARVE_FIELD_POINTER_TO(type, member, ...)                              \
    VARVE_FIELD_POINTER_TO_(                                                   \
        type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* VARVE_FIELD_POINTER_BY(struct layer, weights, count_weights): as many as a
 * function of the program's says, of what it likes: a product of members, a
 * member of another struct, a header in front of the elements. What a file may
 * change of that is best fixed. Where the pointer is NULL, and the function
 * returns 0 then, `.room` is called for as many as the file has, and the
 * function has to return that number afterwards: `.room` fills in the header.
 */
#define VARVE_FIELD_POINTER_BY(type, member, ...)                              \
    VARVE_FIELD_POINTER_BY_(                                                   \
        type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* VARVE_FIELD_POINTER_2D(struct grid, cells, height, width) */
#define VARVE_FIELD_POINTER_2D(type, member, height, ...)                      \
    VARVE_FIELD_POINTER_2D_(                                                   \
        type, member, height, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* VARVE_FIELD_END(struct line, points, count): the flexible array at the end.
 */
#define VARVE_FIELD_END(type, member, ...)                                     \
    VARVE_FIELD_END_(type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* --- Text ----------------------------------------------------------------- */

/* char[N], up to its NUL, as a state of so many bytes: the N of a file may be
 * another. Text without its NUL fails a save, and text that has no room for it
 * a restoration (VARVE_CALLBACK). Behind the text a restoration leaves zeros.
 * Bytes that are no such text: VARVE_FIELD_AS(type, member, VARVE_UINT8). */
#define VARVE_FIELD_TEXT(type, ...)                                            \
    VARVE_FIELD_TEXT_(type, __VA_ARGS__, .kind = VARVE_FIELD_IS_TEXT)

/* --- Structs -------------------------------------------------------------- */

/* VARVE_FIELD_STRUCT(struct net, adam, adam_fields): one in place; and behind a
 * pointer, where NULL is for none. */
#define VARVE_FIELD_STRUCT(type, member, ...)                                  \
    VARVE_FIELD_STRUCT_(                                                       \
        type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_STRUCT)
#define VARVE_FIELD_STRUCT_AT(type, member, ...)                               \
    VARVE_FIELD_STRUCT_AT_(                                                    \
        type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_STRUCT)

/* VARVE_FIELD_STRUCTS(struct net, layers, layer_fields): a list of those of an
 * array; behind a pointer, and at the end, as VARVE_FIELD_STRUCTS_AT(struct
 * net, layers, layer_fields, layer_count); and behind one as a function says.
 */
#define VARVE_FIELD_STRUCTS(type, member, ...)                                 \
    VARVE_FIELD_STRUCTS_(type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_LIST)
#define VARVE_FIELD_STRUCTS_AT(type, member, fields_, ...)                     \
    VARVE_FIELD_STRUCTS_AT_(                                                   \
        type, member, fields_, __VA_ARGS__, .kind = VARVE_FIELD_IS_LIST)
#define VARVE_FIELD_STRUCTS_BY(type, member, fields_, ...)                     \
    VARVE_FIELD_STRUCTS_BY_(                                                   \
        type, member, fields_, __VA_ARGS__, .kind = VARVE_FIELD_IS_LIST)
#define VARVE_FIELD_STRUCTS_END(type, member, fields_, ...)                    \
    VARVE_FIELD_STRUCTS_END_(                                                  \
        type, member, fields_, __VA_ARGS__, .kind = VARVE_FIELD_IS_LIST)

/* struct_forms.h has more: bit-fields, text behind a pointer, rows behind
 * pointers of their own, and arrays of structs of two dimensions. */

/* --- And more ------------------------------------------------------------- */

/* A field that only older files have: varve_retire. */
#define VARVE_FIELD_GONE(name_)                                                \
    {                                                                          \
        .kind = VARVE_FIELD_IS_GONE, .name = name_                             \
    }

/* The last of every table. */
#define VARVE_FIELDS_END                                                       \
    {                                                                          \
        .kind = VARVE_FIELD_NONE                                               \
    }

#include <varve/struct_macros.h>
#include <varve/struct_forms.h>

#endif

VARVE_END_DECLS

#endif
