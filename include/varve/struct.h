/* struct.h - Adds the members of a struct to a graph, from a table of fields.
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
 * The struct becomes an object with one edge for each field, which has the name
 * of the member. Values become variables over the members, structs become
 * objects, arrays of structs become lists, and text becomes a state.
 *
 * The compiler supplies types, extents and offsets, so they always match the
 * struct. A member whose type has no element type does not compile.
 *
 * The program may set pointers and change counts at any time. Each call that
 * saves or restores values, takes a snapshot or makes a dry run examines the
 * reachable structs first.
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
    VARVE_FIELD_NONE = 0,      /* the end of the table */
    VARVE_FIELD_IS_VALUE = 1,  /* elements */
    VARVE_FIELD_IS_TEXT = 2,   /* characters up to a NUL */
    VARVE_FIELD_IS_STRUCT = 3, /* one struct */
    VARVE_FIELD_IS_LIST = 4,   /* any number of structs */
    VARVE_FIELD_IS_GONE = 5    /* only older files contain it */
} varve_field_kind;

/* A function that allocates zeroed memory for a pointer that is NULL, like
 * calloc. */
typedef void *varve_make_room(size_t count, size_t size);

/* A function that returns the number of elements of a member of `*object`. The
 * library may call it at any time. */
typedef size_t varve_count_of(const void *object);

/* A function that returns the number of elements in row `row` of a member of
 * `*object`. The library may call it at any time. */
typedef size_t varve_row_length(const void *object, size_t row);

/* A function that resizes text like realloc. A size of 0 frees the text and
 * returns NULL. */
typedef void *varve_resize_text(void *text, size_t size);

/* A field of a table, as the macros below initialize it.
 *
 * The members up to `more`, and `called`, can be set after the arguments of a
 * macro:
 *
 *     VARVE_FIELD(struct adam, rate, .is_later = true) */
typedef struct varve_field {
    /* Names of the field in older files, such as "speed" or "speed|velocity";
     * see varve_alias. */
    const char *older_names;
    /* The field was added after older files were written; without a saved value
     * it keeps its value. See VARVE_TAG_LATER. */
    bool is_later;
    /* Restores compare the value and do not overwrite it; saves fail if it has
     * changed. See VARVE_TAG_FIXED. */
    bool is_fixed;
    /* Allocates memory if the pointer is NULL and a file contains the field:
     * calloc or a function of the program. */
    varve_make_room *room;
    /* Number of elements in addition to the count of the first extent. For
     * example 1 for an array of row offsets that also contains the end of the
     * last row. */
    size_t more;

    /* Set by the macros. */
    varve_field_kind kind;
    const char *name;
    size_t offset;
    size_t size;          /* size of the member in bytes; 0: a flexible array */
    size_t element_size;  /* size of an element of the array or pointer */
    size_t struct_size;   /* size of the struct that contains the member */
    varve_dtype dtype;    /* element type of a value */
    bool is_pointer;      /* the member is a pointer to the values */
    bool has_rows;        /* `element_size` includes another extent */
    bool is_row_pointers; /* the member points to one pointer for each row */
    unsigned rank;        /* number of `extents` */
    varve_extent extents[3];
    const struct varve_field *fields; /* table of the structs */

    /* The name in the graph, if it differs from the name of the member. It can
     * be set after the arguments of a macro: VARVE_FIELD(struct layer, w,
     * .called = "kernel"). */
    const char *called;

    varve_count_of *count; /* the first extent; NULL: in `extents` */
    /* For a bit-field: the struct with all its bits set. */
    const void *ones;
    /* NULL: all rows have the same length. */
    varve_row_length *row_length;
    /* For text behind a pointer. */
    varve_resize_text *resize;
    void *reserved[3];
} varve_field;

/* Adds an object with the fields of a struct.
 *
 * The struct and the table must stay valid at their addresses as long as the
 * object is in the graph. C and C++ compilers compare the size of `*object`
 * with that of the struct in the table.
 *
 * - Records VARVE_MISUSE with the path of the field, and adds nothing, if the
 *   table does not match the struct, a count is negative, or a pointer to one
 *   or more elements is NULL. */
#define varve_add_struct(parent, name, fields, object)                         \
    varve_add_sized_struct(parent, name, fields, object, sizeof *(object))

/* Adds a struct whose type is not known to the caller, like varve_add_struct.
 * `size` is the size of the struct in bytes; 0 skips the comparison. */
VARVE_API varve_node *varve_add_sized_struct(varve_node *parent,
    const char *name, const varve_field *fields, void *object, size_t size);

/* Updates the object of a struct after the struct has moved to `object`.
 *
 * The call also applies changed pointers and counts at once; otherwise the next
 * call that saves or restores values applies them.
 *
 * Variables are bound to current memory and take its shape (varve_rebind), even
 * if the program has bound them to other memory. Fields that the program has
 * removed from the graph are added again. Lists gain and lose elements at their
 * end. If a pointer is NULL and has `room`, its node is removed (varve_remove).
 * If the program has replaced the node by a struct, text or a variable of a
 * different type, that node remains. A list that becomes shorter loses its
 * edges to such nodes.
 *
 * - Records VARVE_MISUSE, and changes nothing, if the struct does not match its
 *   table, or if the node is not a struct. */
VARVE_API void varve_rebind_struct(varve_node *node, void *object);

/* Adds a text in a buffer of `size` characters as a state, like
 * VARVE_FIELD_TEXT. */
VARVE_API varve_node *varve_add_text(
    varve_node *parent, const char *name, char *text, size_t size);

#ifndef __cplusplus

/* --- Values --------------------------------------------------------------- */

/* Describes a member that is a number, bool, enum or varve_string. */
#define VARVE_FIELD(type, ...)                                                 \
    VARVE_FIELD_SCALAR_(type, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* Describes 1 to 32 members at once.
 *
 *     VARVE_FIELDS(struct adam, step, rate, betas)
 *
 * Each member becomes a field as with VARVE_FIELD or, for an array,
 * VARVE_FIELD_ARRAY. Pointers and structs do not compile. */
#define VARVE_FIELDS(type, ...)                                                \
    VARVE_EACH_(VARVE_FIELD_IN_PLACE_, type, __VA_ARGS__)

/* Describe an array member. VARVE_FIELD_ARRAY is for one or two dimensions,
 * VARVE_FIELD_ARRAY_3D for three. */
#define VARVE_FIELD_ARRAY(type, ...)                                           \
    VARVE_FIELD_ARRAY_(type, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)
#define VARVE_FIELD_ARRAY_3D(type, ...)                                        \
    VARVE_FIELD_ARRAY_3D_(type, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* Describes a number or an array whose memory holds elements of a different
 * type, such as float16 in uint16_t[8], or bytes in char[8].
 *
 *     VARVE_FIELD_AS(struct net, half, VARVE_FLOAT16)
 *
 * The value has as many elements of that type as fit in the member. */
#define VARVE_FIELD_AS(type, member, ...)                                      \
    VARVE_FIELD_AS_(type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* Describes elements behind a pointer.
 *
 *     VARVE_FIELD_POINTER(struct net, weights, weight_count)
 *
 * The last argument is the member that contains the number of elements. The
 * pointer may be a pointer to rows, such as float (*rows)[9]. It may be NULL if
 * the number is 0.
 *
 * If the count is itself a field, it is treated as fixed: a restore compares it
 * and does not write it. A file thus cannot make it larger than the memory. */
#define VARVE_FIELD_POINTER(type, member, ...)                                 \
    VARVE_FIELD_POINTER_(                                                      \
        type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* Describes a constant number of elements behind a pointer.
 *
 *     VARVE_FIELD_POINTER_TO(struct net, weights, 784 * 10) */
#define VARVE_FIELD_POINTER_TO(type, member, ...)                              \
    VARVE_FIELD_POINTER_TO_(                                                   \
        type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* Describes elements behind a pointer whose number a function returns.
 *
 *     VARVE_FIELD_POINTER_BY(struct layer, weights, count_weights)
 *
 * The function can use any source: a product of members, a member of another
 * struct, or a header in front of the elements. Fields that it uses should be
 * fixed, so that a file cannot change them.
 *
 * If the pointer is NULL, the function must return 0. A restore then calls
 * `.room` with the number of elements in the file, and afterwards the function
 * must return that number; `.room` fills in the header. */
#define VARVE_FIELD_POINTER_BY(type, member, ...)                              \
    VARVE_FIELD_POINTER_BY_(                                                   \
        type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* Describes a two-dimensional value behind a pointer. Both extents are members.
 *
 *     VARVE_FIELD_POINTER_2D(struct grid, cells, height, width) */
#define VARVE_FIELD_POINTER_2D(type, member, height, ...)                      \
    VARVE_FIELD_POINTER_2D_(                                                   \
        type, member, height, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* Describes the flexible array at the end of a struct. The last argument is the
 * member that contains its number of elements.
 *
 *     VARVE_FIELD_END(struct line, points, count) */
#define VARVE_FIELD_END(type, member, ...)                                     \
    VARVE_FIELD_END_(type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* --- Text ----------------------------------------------------------------- */

/* Describes text in a char[N], up to its NUL. It becomes a state.
 *
 * A file may contain text of a buffer of a different size. A restore fills the
 * rest of the buffer with zeros. A save fails if the text has no NUL, and a
 * restore fails if the text does not fit (VARVE_CALLBACK). For characters that
 * are not such text use VARVE_FIELD_AS(type, member, VARVE_UINT8). */
#define VARVE_FIELD_TEXT(type, ...)                                            \
    VARVE_FIELD_TEXT_(type, __VA_ARGS__, .kind = VARVE_FIELD_IS_TEXT)

/* --- Structs -------------------------------------------------------------- */

/* Describe a struct member, and a struct behind a pointer.
 *
 *     VARVE_FIELD_STRUCT(struct net, adam, adam_fields)
 *     VARVE_FIELD_STRUCT_AT(struct net, best, adam_fields)
 *
 * The pointer may be NULL; the graph then has no object for it. */
#define VARVE_FIELD_STRUCT(type, member, ...)                                  \
    VARVE_FIELD_STRUCT_(                                                       \
        type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_STRUCT)
#define VARVE_FIELD_STRUCT_AT(type, member, ...)                               \
    VARVE_FIELD_STRUCT_AT_(                                                    \
        type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_STRUCT)

/* Describe an array of structs, which becomes a list.
 *
 *     VARVE_FIELD_STRUCTS(struct net, layers, layer_fields)
 *     VARVE_FIELD_STRUCTS_AT(struct net, layers, layer_fields, layer_count)
 *
 * VARVE_FIELD_STRUCTS is for an array member. VARVE_FIELD_STRUCTS_AT is for an
 * array behind a pointer; its last argument is the member that contains the
 * count. VARVE_FIELD_STRUCTS_BY has a function that returns the count instead.
 * VARVE_FIELD_STRUCTS_END is for the flexible array at the end of a struct,
 * also with a member. */
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

/* struct_forms.h has macros for bit-fields, text behind a pointer, rows behind
 * pointers of their own, and arrays of structs of two dimensions. */

/* --- Removed fields, and the end of a table ----------------------------- */

/* Describes a field that only older files contain. See varve_retire. */
#define VARVE_FIELD_GONE(name_)                                                \
    {                                                                          \
        .kind = VARVE_FIELD_IS_GONE, .name = name_                             \
    }

/* Marks the end of a table. Every table needs it. */
#define VARVE_FIELDS_END                                                       \
    {                                                                          \
        .kind = VARVE_FIELD_NONE                                               \
    }

#include <varve/struct_macros.h>
#include <varve/struct_forms.h>

#endif

VARVE_END_DECLS

#endif
