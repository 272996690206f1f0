/* struct_macros.h - Implements the macros of struct.h. Include struct.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_STRUCT_MACROS_H
#define VARVE_STRUCT_MACROS_H

#include <varve/field_list.h>

#define VARVE_MEMBER_(type, member) (((type *)0)->member)

/* Expands to X(type, dtype, m) for each element type, separated by commas, as
 * the associations of a _Generic. */
#define VARVE_TYPES_(X, m)                                                     \
    X(_Bool, VARVE_BOOL, m), X(signed char, VARVE_INT8, m),                    \
        X(short, VARVE_INT16, m), X(int, VARVE_INT32, m),                      \
        X(long, (sizeof(long) == 8 ? VARVE_INT64 : VARVE_INT32), m),           \
        X(long long, VARVE_INT64, m), X(unsigned char, VARVE_UINT8, m),        \
        X(unsigned short, VARVE_UINT16, m), X(unsigned, VARVE_UINT32, m),      \
        X(unsigned long, (sizeof(long) == 8 ? VARVE_UINT64 : VARVE_UINT32),    \
            m),                                                                \
        X(unsigned long long, VARVE_UINT64, m), X(float, VARVE_FLOAT32, m),    \
        X(double, VARVE_FLOAT64, m), X(float _Complex, VARVE_COMPLEX64, m),    \
        X(double _Complex, VARVE_COMPLEX128, m),                               \
        X(varve_string, VARVE_STRING, m)

/* Associations for arrays of one and of two dimensions; 256 is added for two.
 * The number of elements is rounded up, because an array type cannot have 0
 * elements. */
#define VARVE_ONE_(T, number, m) T(*)[] : (int)(number)
#define VARVE_TWO_(T, number, m)                                               \
    T(*)                                                                       \
    [(sizeof(m) - 1) / sizeof((m)[0]) +                                        \
        1][(sizeof((m)[0]) - 1) / sizeof(T) + 1] : (int)(number) +             \
                                                   256
#define VARVE_NUMBER_(T, number, m) T * : (int)(number)
#define VARVE_ROWS_(T, number, m) T(*)[] : (int)(number) + 256

/* The varve_dtype of the elements of an array, plus 256 for two dimensions. Any
 * other member does not compile. */
#define VARVE_ARRAY_(m)                                                        \
    _Generic(&(m), VARVE_TYPES_(VARVE_ONE_, m), VARVE_TYPES_(VARVE_TWO_, m))

/* Nonzero if a member is an array of one of these types. */
#define VARVE_IS_ARRAY_(m)                                                     \
    (_Generic(&(m), VARVE_TYPES_(VARVE_ONE_, m), VARVE_TYPES_(VARVE_TWO_, m),  \
         default : 0) != 0)

/* The varve_dtype of `m[0]`, plus 256 if `m[0]` is an array. */
#define VARVE_BEHIND_(m)                                                       \
    _Generic(                                                                  \
        &(m)[0], VARVE_TYPES_(VARVE_NUMBER_, m), VARVE_TYPES_(VARVE_ROWS_, m))

/* A pointer to the first element of an array, or to a number. */
#define VARVE_ITSELF_(T, number, m) T * : &(m)
#define VARVE_FIRST_OF_(m)                                                     \
    _Generic(&(m), VARVE_TYPES_(VARVE_ITSELF_, m), default : (m))
#define VARVE_NONE_(T, number, m) T * : 0

/* Nonzero if `m` is a pointer and not an array. Compilers without GNU
 * extensions also return nonzero for an array of rows that has the size of a
 * pointer. */
#ifdef __GNUC__
#define VARVE_IS_FIRST_(m, first)                                              \
    __builtin_types_compatible_p(__typeof__(m), __typeof__(&(first)[0]))
#else
#define VARVE_NO_ROW_(T, number, m) T(*)[] : 0
#define VARVE_IS_FIRST_(m, first)                                              \
    (sizeof(m) == sizeof(void *) &&                                            \
        _Generic(&(m), VARVE_TYPES_(VARVE_NONE_, m),                           \
            VARVE_TYPES_(VARVE_NO_ROW_, m), default : 1))
#endif

#define VARVE_COUNTED_BY_(type, member)                                        \
    {                                                                          \
        offsetof(type, member) +                                               \
            VARVE_CHECK_(                                                      \
                VARVE_DTYPE_OF(&VARVE_MEMBER_(type, member)) >= VARVE_INT8 &&  \
                    VARVE_DTYPE_OF(&VARVE_MEMBER_(type, member)) <=            \
                        VARVE_UINT64,                                          \
                "expected an integer that counts, found another type"),        \
            VARVE_DTYPE_OF(&VARVE_MEMBER_(type, member))                       \
    }

#define VARVE_COUNT_OF_(m)                                                     \
    {                                                                          \
        sizeof(m) / sizeof((m)[0]), (varve_dtype)0                             \
    }

/* The members that every field sets. A flexible array has no size. */
#define VARVE_FLEXIBLE_(type, member_, ...)                                    \
    {                                                                          \
        .name = #member_, .offset = offsetof(type, member_),                   \
        .struct_size = sizeof(type), __VA_ARGS__                               \
    }
#define VARVE_PLAIN_(type, member_, ...)                                       \
    VARVE_FLEXIBLE_(type, member_,                                             \
        .size = sizeof(VARVE_MEMBER_(type, member_)), __VA_ARGS__)

#define VARVE_ELEMENTS_(number, m)                                             \
    .dtype = (varve_dtype)((number) % 256), .has_rows = (number) > 256,        \
    .element_size = sizeof((m)[0])

#define VARVE_POINTED_(type, member_, ...)                                     \
    VARVE_PLAIN_(type, member_, .is_pointer = true, __VA_ARGS__)

#define VARVE_POINTED_VALUE_(type, member_, ...)                               \
    VARVE_POINTED_(type, member_,                                              \
        .dtype =                                                               \
            (varve_dtype)(VARVE_BEHIND_(VARVE_MEMBER_(type, member_)) % 256),  \
        .has_rows = VARVE_BEHIND_(VARVE_MEMBER_(type, member_)) > 256,         \
        .element_size =                                                        \
            sizeof(VARVE_MEMBER_(type, member_)[0]) +                          \
            VARVE_CHECK_(!VARVE_IS_ARRAY_(VARVE_MEMBER_(type, member_)),       \
                "expected a pointer, found an array: VARVE_FIELD_ARRAY"),      \
        __VA_ARGS__)

#define VARVE_FIELD_SCALAR_(type, member_, ...)                                \
    VARVE_PLAIN_(type, member_,                                                \
        .dtype = VARVE_DTYPE_OF(&VARVE_MEMBER_(type, member_)),                \
        .element_size = sizeof(VARVE_MEMBER_(type, member_)), __VA_ARGS__)

#define VARVE_FIELD_IN_PLACE_(type, member_)                                   \
    VARVE_FOUND_IN_PLACE_(type, member_, VARVE_MEMBER_(type, member_),         \
        VARVE_FIRST_OF_(VARVE_MEMBER_(type, member_)))

#define VARVE_FOUND_IN_PLACE_(type, member_, m, first)                         \
    VARVE_PLAIN_(type, member_, .kind = VARVE_FIELD_IS_VALUE,                  \
        .dtype = (varve_dtype)(VARVE_BEHIND_(first) % 256),                    \
        .has_rows = VARVE_BEHIND_(first) > 256,                                \
        .element_size = sizeof((first)[0]) +                                   \
                        VARVE_CHECK_(!VARVE_IS_FIRST_(m, first),               \
                            "expected a number or an array, found a pointer: " \
                            "VARVE_FIELD_POINTER"),                            \
        .rank = _Generic(&(m), VARVE_TYPES_(VARVE_NONE_, m), default : 1),     \
        .extents = { { sizeof(m) / sizeof((first)[0]), (varve_dtype)0 } })

#define VARVE_FIELD_ARRAY_(type, member_, ...)                                 \
    VARVE_PLAIN_(type, member_,                                                \
        VARVE_ELEMENTS_(VARVE_ARRAY_(VARVE_MEMBER_(type, member_)),            \
            VARVE_MEMBER_(type, member_)),                                     \
        .rank = 1,                                                             \
        .extents = { VARVE_COUNT_OF_(VARVE_MEMBER_(type, member_)) },          \
        __VA_ARGS__)

#define VARVE_FIELD_ARRAY_3D_(type, member_, ...)                              \
    VARVE_PLAIN_(type, member_,                                                \
        .dtype = VARVE_DTYPE_OF(&VARVE_MEMBER_(type, member_)[0][0][0]),       \
        .element_size = sizeof(VARVE_MEMBER_(type, member_)[0][0][0]),         \
        .rank = 3,                                                             \
        .extents = { VARVE_COUNT_OF_(VARVE_MEMBER_(type, member_)),            \
            VARVE_COUNT_OF_(VARVE_MEMBER_(type, member_)[0]),                  \
            VARVE_COUNT_OF_(VARVE_MEMBER_(type, member_)[0][0]) },             \
        __VA_ARGS__)

#define VARVE_FIELD_AS_(type, member_, dtype_, ...)                            \
    VARVE_PLAIN_(type, member_, .dtype = dtype_, .has_rows = true,             \
        .element_size = sizeof(VARVE_MEMBER_(type, member_)), __VA_ARGS__)

#define VARVE_FIELD_POINTER_(type, member_, count, ...)                        \
    VARVE_POINTED_VALUE_(type, member_, .rank = 1,                             \
        .extents = { VARVE_COUNTED_BY_(type, count) }, __VA_ARGS__)

#define VARVE_FIELD_POINTER_TO_(type, member_, count, ...)                     \
    VARVE_POINTED_VALUE_(type, member_, .rank = 1,                             \
        .extents = { { (count), (varve_dtype)0 } }, __VA_ARGS__)

#define VARVE_FIELD_POINTER_BY_(type, member_, function, ...)                  \
    VARVE_POINTED_VALUE_(                                                      \
        type, member_, .rank = 1, .count = (function), __VA_ARGS__)

#define VARVE_FIELD_POINTER_2D_(type, member_, height, width, ...)             \
    VARVE_POINTED_VALUE_(type, member_, .rank = 2,                             \
        .extents = { VARVE_COUNTED_BY_(type, height),                          \
            VARVE_COUNTED_BY_(type, width) },                                  \
        __VA_ARGS__)

#define VARVE_FIELD_END_(type, member_, count, ...)                            \
    VARVE_FLEXIBLE_(type, member_,                                             \
        VARVE_ELEMENTS_(VARVE_BEHIND_(VARVE_MEMBER_(type, member_)),           \
            VARVE_MEMBER_(type, member_)),                                     \
        .rank = 1, .extents = { VARVE_COUNTED_BY_(type, count) }, __VA_ARGS__)

#define VARVE_FIELD_TEXT_(type, member_, ...)                                  \
    VARVE_PLAIN_(type, member_,                                                \
        .element_size = _Generic(&VARVE_MEMBER_(type, member_), char(*)[]      \
                                 : sizeof(char)),                              \
        __VA_ARGS__)

#define VARVE_FIELD_STRUCT_(type, member_, fields_, ...)                       \
    VARVE_PLAIN_(type, member_, .fields = fields_,                             \
        .element_size = sizeof(VARVE_MEMBER_(type, member_)), __VA_ARGS__)

#define VARVE_FIELD_STRUCT_AT_(type, member_, fields_, ...)                    \
    VARVE_POINTED_(type, member_, .fields = fields_,                           \
        .element_size = sizeof(*VARVE_MEMBER_(type, member_)), __VA_ARGS__)

#define VARVE_FIELD_STRUCTS_(type, member_, fields_, ...)                      \
    VARVE_PLAIN_(type, member_, .fields = fields_,                             \
        .element_size = sizeof(VARVE_MEMBER_(type, member_)[0]), .rank = 1,    \
        .extents = { VARVE_COUNT_OF_(VARVE_MEMBER_(type, member_)) },          \
        __VA_ARGS__)

#define VARVE_FIELD_STRUCTS_AT_(type, member_, fields_, count, ...)            \
    VARVE_POINTED_(type, member_, .fields = fields_,                           \
        .element_size = sizeof(*VARVE_MEMBER_(type, member_)), .rank = 1,      \
        .extents = { VARVE_COUNTED_BY_(type, count) }, __VA_ARGS__)

#define VARVE_FIELD_STRUCTS_BY_(type, member_, fields_, function, ...)         \
    VARVE_POINTED_(type, member_, .fields = fields_,                           \
        .element_size = sizeof(*VARVE_MEMBER_(type, member_)), .rank = 1,      \
        .count = (function), __VA_ARGS__)

#define VARVE_FIELD_STRUCTS_END_(type, member_, fields_, count, ...)           \
    VARVE_FLEXIBLE_(type, member_, .fields = fields_,                          \
        .element_size = sizeof(VARVE_MEMBER_(type, member_)[0]), .rank = 1,    \
        .extents = { VARVE_COUNTED_BY_(type, count) }, __VA_ARGS__)

#endif
