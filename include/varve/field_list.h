/* field_list.h - Applies a macro to each member in the arguments of
 * VARVE_FIELDS. Do not include it directly; include struct.h or fields.hpp.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_FIELD_LIST_H
#define VARVE_FIELD_LIST_H

/* Expands to f(type, member) for each of 1 to 32 members, separated by
 * commas. */
#define VARVE_EACH_(f, type, ...)                                              \
    VARVE_EACH_OF_(VARVE_HOW_MANY_(__VA_ARGS__), f, type, __VA_ARGS__)
#define VARVE_EACH_OF_(how_many, f, type, ...)                                 \
    VARVE_EACH_JOIN_(how_many)(f, type, __VA_ARGS__)
#define VARVE_EACH_JOIN_(how_many) VARVE_EACH_##how_many##_

/* For 33 to 64 members the count is TOO_MANY, and VARVE_EACH_TOO_MANY_ does not
 * compile. */
#define VARVE_HOW_MANY_(...)                                                   \
    VARVE_65TH_(__VA_ARGS__, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, \
        TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY,  \
        TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY,  \
        TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY,  \
        TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, TOO_MANY, 32, 31,    \
        30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14,    \
        13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define VARVE_65TH_(p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13,    \
    p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, \
    p29, p30, p31, p32, p33, p34, p35, p36, p37, p38, p39, p40, p41, p42, p43, \
    p44, p45, p46, p47, p48, p49, p50, p51, p52, p53, p54, p55, p56, p57, p58, \
    p59, p60, p61, p62, p63, p64, n, ...)                                      \
    n

#define VARVE_EACH_1_(f, T, a) f(T, a)
#define VARVE_EACH_2_(f, T, a, ...) f(T, a), VARVE_EACH_1_(f, T, __VA_ARGS__)
#define VARVE_EACH_3_(f, T, a, ...) f(T, a), VARVE_EACH_2_(f, T, __VA_ARGS__)
#define VARVE_EACH_4_(f, T, a, ...) f(T, a), VARVE_EACH_3_(f, T, __VA_ARGS__)
#define VARVE_EACH_5_(f, T, a, ...) f(T, a), VARVE_EACH_4_(f, T, __VA_ARGS__)
#define VARVE_EACH_6_(f, T, a, ...) f(T, a), VARVE_EACH_5_(f, T, __VA_ARGS__)
#define VARVE_EACH_7_(f, T, a, ...) f(T, a), VARVE_EACH_6_(f, T, __VA_ARGS__)
#define VARVE_EACH_8_(f, T, a, ...) f(T, a), VARVE_EACH_7_(f, T, __VA_ARGS__)
#define VARVE_EACH_9_(f, T, a, ...) f(T, a), VARVE_EACH_8_(f, T, __VA_ARGS__)
#define VARVE_EACH_10_(f, T, a, ...) f(T, a), VARVE_EACH_9_(f, T, __VA_ARGS__)
#define VARVE_EACH_11_(f, T, a, ...) f(T, a), VARVE_EACH_10_(f, T, __VA_ARGS__)
#define VARVE_EACH_12_(f, T, a, ...) f(T, a), VARVE_EACH_11_(f, T, __VA_ARGS__)
#define VARVE_EACH_13_(f, T, a, ...) f(T, a), VARVE_EACH_12_(f, T, __VA_ARGS__)
#define VARVE_EACH_14_(f, T, a, ...) f(T, a), VARVE_EACH_13_(f, T, __VA_ARGS__)
#define VARVE_EACH_15_(f, T, a, ...) f(T, a), VARVE_EACH_14_(f, T, __VA_ARGS__)
#define VARVE_EACH_16_(f, T, a, ...) f(T, a), VARVE_EACH_15_(f, T, __VA_ARGS__)
#define VARVE_EACH_17_(f, T, a, ...) f(T, a), VARVE_EACH_16_(f, T, __VA_ARGS__)
#define VARVE_EACH_18_(f, T, a, ...) f(T, a), VARVE_EACH_17_(f, T, __VA_ARGS__)
#define VARVE_EACH_19_(f, T, a, ...) f(T, a), VARVE_EACH_18_(f, T, __VA_ARGS__)
#define VARVE_EACH_20_(f, T, a, ...) f(T, a), VARVE_EACH_19_(f, T, __VA_ARGS__)
#define VARVE_EACH_21_(f, T, a, ...) f(T, a), VARVE_EACH_20_(f, T, __VA_ARGS__)
#define VARVE_EACH_22_(f, T, a, ...) f(T, a), VARVE_EACH_21_(f, T, __VA_ARGS__)
#define VARVE_EACH_23_(f, T, a, ...) f(T, a), VARVE_EACH_22_(f, T, __VA_ARGS__)
#define VARVE_EACH_24_(f, T, a, ...) f(T, a), VARVE_EACH_23_(f, T, __VA_ARGS__)
#define VARVE_EACH_25_(f, T, a, ...) f(T, a), VARVE_EACH_24_(f, T, __VA_ARGS__)
#define VARVE_EACH_26_(f, T, a, ...) f(T, a), VARVE_EACH_25_(f, T, __VA_ARGS__)
#define VARVE_EACH_27_(f, T, a, ...) f(T, a), VARVE_EACH_26_(f, T, __VA_ARGS__)
#define VARVE_EACH_28_(f, T, a, ...) f(T, a), VARVE_EACH_27_(f, T, __VA_ARGS__)
#define VARVE_EACH_29_(f, T, a, ...) f(T, a), VARVE_EACH_28_(f, T, __VA_ARGS__)
#define VARVE_EACH_30_(f, T, a, ...) f(T, a), VARVE_EACH_29_(f, T, __VA_ARGS__)
#define VARVE_EACH_31_(f, T, a, ...) f(T, a), VARVE_EACH_30_(f, T, __VA_ARGS__)
#define VARVE_EACH_32_(f, T, a, ...) f(T, a), VARVE_EACH_31_(f, T, __VA_ARGS__)

#endif
