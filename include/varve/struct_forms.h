/* struct_forms.h - Macros of struct.h for bit-fields, text behind pointers, and
 * rows behind pointers. Include struct.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_STRUCT_FORMS_H
#define VARVE_STRUCT_FORMS_H

#ifndef __cplusplus

#include <stdlib.h>

#include <varve/struct.h>

/* --- Bit-fields ----------------------------------------------------------- */

/* Describes a bit-field.
 *
 *     VARVE_FIELD_BITS(struct s, flags)
 *
 * It becomes a scalar variable of type int64, uint64 or bool. A restore of a
 * number that does not fit fails (VARVE_CALLBACK). The macro can be used in
 * tables outside functions, with gcc and clang. */
#ifdef __GNUC__
#define VARVE_FIELD_BITS(type, ...)                                            \
    VARVE_FIELD_BITS_(type, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)
#endif

/* An assignment expression has the type of the member. In gcc this type has the
 * width of the bit-field, so a conversion of -1 sets all its bits without a
 * warning. */
#ifdef __GNUC__
#define VARVE_BITS_(type, member_, number)                                     \
    ((__typeof__(VARVE_MEMBER_(type, member_) = 0))(number))
#ifdef __clang__
#define VARVE_ONES_(type, member_)                                             \
    _Pragma("clang diagnostic push")                                           \
            _Pragma("clang diagnostic ignored \"-Wsign-conversion\"") -        \
        1 _Pragma("clang diagnostic pop")
#else
#define VARVE_ONES_(type, member_) VARVE_BITS_(type, member_, -1)
#endif

#define VARVE_FIELD_BITS_(type, member_, ...)                                  \
    VARVE_BIT_FIELD_(type, member_,                                            \
        VARVE_BITS_(type, member_, 2) == VARVE_BITS_(type, member_, 1),        \
        __VA_ARGS__)
#define VARVE_BIT_FIELD_(type, member_, is_bool, ...)                          \
    {                                                                          \
        .name = #member_, .struct_size = sizeof(type),                         \
        .dtype = (is_bool)                            ? VARVE_BOOL             \
                 : VARVE_BITS_(type, member_, -1) < 1 ? VARVE_INT64            \
                                                      : VARVE_UINT64,          \
        .element_size = ((is_bool) ? 1 : 8) +                                  \
                        VARVE_CHECK_(VARVE_BITS_(type, member_, 0.5) ==        \
                                             VARVE_BITS_(type, member_, 0) ||  \
                                         (is_bool),                            \
                            "expected a bit-field, found another number"),     \
        .ones = &(const type){ .member_ = VARVE_ONES_(type, member_) },        \
        __VA_ARGS__                                                            \
    }
#endif

/* --- Text behind a pointer ------------------------------------------------ */

/* Describes text behind a char * that the struct owns. It becomes a state.
 *
 *     VARVE_FIELD_TEXT_POINTER(struct net, label)
 *
 * The pointer may be NULL. Each save reads the pointer and the text up to its
 * NUL. A restore allocates the text with realloc, or frees it if NULL was
 * saved. The pointer must therefore be NULL or from malloc, and the program
 * frees the text. If two members point to the same text, the call returns
 * VARVE_MISUSE.
 *
 * The saved bytes are those of VARVE_FIELD_TEXT, so each of the two can restore
 * the other. NULL is saved as a single byte 0. */
#define VARVE_FIELD_TEXT_POINTER(type, ...)                                    \
    VARVE_FIELD_TEXT_POINTER_(type, __VA_ARGS__, .kind = VARVE_FIELD_IS_TEXT)

static inline void *varve_resize_text_(void *text, size_t size)
{
    if (size)
        return realloc(text, size);
    free(text);
    return NULL;
}

#define VARVE_FIELD_TEXT_POINTER_(type, member_, ...)                          \
    VARVE_POINTED_(type, member_,                                              \
        .element_size = _Generic(&VARVE_MEMBER_(type, member_), char **        \
                                 : sizeof(char)),                              \
        .resize = varve_resize_text_, __VA_ARGS__)

/* --- Rows ----------------------------------------------------------------- */

/* Describe rows that have a pointer each.
 *
 *     VARVE_FIELD_ROWS(struct grid, rows, height, width)
 *     VARVE_FIELD_ROWS_BY(struct triangle, rows, height, row_length)
 *
 * The member is for example a double **, a pointer to `height` pointers, each
 * to a row of `width` elements. `height` and `width` are members. The value has
 * two dimensions.
 *
 * VARVE_FIELD_ROWS_BY takes a function that returns the length of each row, for
 * example of a triangle. The value then has one dimension and contains the rows
 * one after the other.
 *
 * A NULL row causes VARVE_MISUSE, unless it has no elements. `.room` is called
 * for the pointers, and once for each row. */
#define VARVE_FIELD_ROWS(type, member, height, ...)                            \
    VARVE_FIELD_ROWS_(                                                         \
        type, member, height, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)
#define VARVE_FIELD_ROWS_BY(type, member, height, ...)                         \
    VARVE_FIELD_ROWS_BY_(                                                      \
        type, member, height, __VA_ARGS__, .kind = VARVE_FIELD_IS_VALUE)

/* The initializer of a field of rows. */
#define VARVE_ROW_POINTERS_(type, member_, ...)                                \
    VARVE_POINTED_(type, member_, .is_row_pointers = true,                     \
        .dtype = VARVE_DTYPE_OF(VARVE_MEMBER_(type, member_)[0]),              \
        .element_size =                                                        \
            sizeof(VARVE_MEMBER_(type, member_)[0][0]) +                       \
            VARVE_CHECK_(sizeof(VARVE_MEMBER_(type, member_)) ==               \
                             sizeof(VARVE_MEMBER_(type, member_) + 0),         \
                "expected a pointer to pointers, found an array"),             \
        __VA_ARGS__)

#define VARVE_FIELD_ROWS_(type, member_, height, width, ...)                   \
    VARVE_ROW_POINTERS_(type, member_, .rank = 2,                              \
        .extents = { VARVE_COUNTED_BY_(type, height),                          \
            VARVE_COUNTED_BY_(type, width) },                                  \
        __VA_ARGS__)

#define VARVE_FIELD_ROWS_BY_(type, member_, height, length, ...)               \
    VARVE_ROW_POINTERS_(type, member_, .rank = 1,                              \
        .extents = { VARVE_COUNTED_BY_(type, height) },                        \
        .row_length = (length), __VA_ARGS__)

/* --- Structs in two dimensions -------------------------------------------- */

/* Describes a two-dimensional array of structs.
 *
 *     VARVE_FIELD_STRUCTS_2D(struct world, cells, cell_fields)
 *
 * It becomes a list of rows; each row has a list `columns`. The macro can be
 * used in tables outside functions. */
#define VARVE_FIELD_STRUCTS_2D(type, member, ...)                              \
    VARVE_FIELD_STRUCTS_2D_(                                                   \
        type, member, __VA_ARGS__, .kind = VARVE_FIELD_IS_LIST)

#define VARVE_FIELD_STRUCTS_2D_(type, member_, fields_, ...)                   \
    VARVE_PLAIN_(type, member_,                                                \
        .fields =                                                              \
            (const varve_field[]){                                             \
                { .kind = VARVE_FIELD_IS_LIST,                                 \
                    .name = "columns",                                         \
                    .size = sizeof(VARVE_MEMBER_(type, member_)[0]),           \
                    .struct_size = sizeof(VARVE_MEMBER_(type, member_)[0]),    \
                    .element_size =                                            \
                        sizeof(VARVE_MEMBER_(type, member_)[0][0]),            \
                    .rank = 1,                                                 \
                    .extents = { VARVE_COUNT_OF_(                              \
                        VARVE_MEMBER_(type, member_)[0]) },                    \
                    .fields = fields_ },                                       \
                { .kind = VARVE_FIELD_NONE } },                                \
        .element_size = sizeof(VARVE_MEMBER_(type, member_)[0]), .rank = 1,    \
        .extents = { VARVE_COUNT_OF_(VARVE_MEMBER_(type, member_)) },          \
        __VA_ARGS__)

#endif

#endif
