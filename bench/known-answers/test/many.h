/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How is a macro written out many times, with another number each time? NEAR_256(M, x) gives M(x00) ... M(xff),
 * NEAR_4096(M, ) gives M(000) ... M(fff); FAR_ the same in an order in which neighbours are far apart: there the first
 * digit changes fastest.
 */
#ifndef KNOWN_ANSWERS_TEST_MANY_H
#define KNOWN_ANSWERS_TEST_MANY_H

#define NEAR_16(M, p) \
    M(p##0) M(p##1) M(p##2) M(p##3) M(p##4) M(p##5) M(p##6) M(p##7) \
    M(p##8) M(p##9) M(p##a) M(p##b) M(p##c) M(p##d) M(p##e) M(p##f)
#define NEAR_256(M, p) \
    NEAR_16(M, p##0) NEAR_16(M, p##1) NEAR_16(M, p##2) NEAR_16(M, p##3) NEAR_16(M, p##4) NEAR_16(M, p##5) NEAR_16(M, p##6) NEAR_16(M, p##7) \
    NEAR_16(M, p##8) NEAR_16(M, p##9) NEAR_16(M, p##a) NEAR_16(M, p##b) NEAR_16(M, p##c) NEAR_16(M, p##d) NEAR_16(M, p##e) NEAR_16(M, p##f)
#define NEAR_4096(M, p) \
    NEAR_256(M, p##0) NEAR_256(M, p##1) NEAR_256(M, p##2) NEAR_256(M, p##3) NEAR_256(M, p##4) NEAR_256(M, p##5) NEAR_256(M, p##6) NEAR_256(M, p##7) \
    NEAR_256(M, p##8) NEAR_256(M, p##9) NEAR_256(M, p##a) NEAR_256(M, p##b) NEAR_256(M, p##c) NEAR_256(M, p##d) NEAR_256(M, p##e) NEAR_256(M, p##f)

#define FAR_16(M, p) \
    M(0##p) M(b##p) M(5##p) M(e##p) M(2##p) M(9##p) M(c##p) M(7##p) \
    M(1##p) M(8##p) M(4##p) M(f##p) M(6##p) M(d##p) M(3##p) M(a##p)
#define FAR_256(M, p) \
    FAR_16(M, 0##p) FAR_16(M, b##p) FAR_16(M, 5##p) FAR_16(M, e##p) FAR_16(M, 2##p) FAR_16(M, 9##p) FAR_16(M, c##p) FAR_16(M, 7##p) \
    FAR_16(M, 1##p) FAR_16(M, 8##p) FAR_16(M, 4##p) FAR_16(M, f##p) FAR_16(M, 6##p) FAR_16(M, d##p) FAR_16(M, 3##p) FAR_16(M, a##p)
#define FAR_4096(M, p) \
    FAR_256(M, 0##p) FAR_256(M, b##p) FAR_256(M, 5##p) FAR_256(M, e##p) FAR_256(M, 2##p) FAR_256(M, 9##p) FAR_256(M, c##p) FAR_256(M, 7##p) \
    FAR_256(M, 1##p) FAR_256(M, 8##p) FAR_256(M, 4##p) FAR_256(M, f##p) FAR_256(M, 6##p) FAR_256(M, d##p) FAR_256(M, 3##p) FAR_256(M, a##p)

#endif
