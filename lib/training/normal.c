/* normal.c - PPND16 of M. J. Wichura, algorithm AS 241: three quotients of
 * polynomials, for the middle, the flanks and the far tails.
 *
 * SPDX-License-Identifier: MIT
 */
#include "normal.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double middle_above[8] = {
    3.3871328727963666080e0,
    1.3314166789178437745e+2,
    1.9715909503065514427e+3,
    1.3731693765509461125e+4,
    4.5921953931549871457e+4,
    6.7265770927008700853e+4,
    3.3430575583588128105e+4,
    2.5090809287301226727e+3,
};
static const double middle_below[8] = {
    1,
    4.2313330701600911252e+1,
    6.8718700749205790830e+2,
    5.3941960214247511077e+3,
    2.1213794301586595867e+4,
    3.9307895800092710610e+4,
    2.8729085735721942674e+4,
    5.2264952788528545610e+3,
};
static const double flank_above[8] = {
    1.42343711074968357734e0,
    4.63033784615654529590e0,
    5.76949722146069140550e0,
    3.64784832476320460504e0,
    1.27045825245236838258e0,
    2.41780725177450611770e-1,
    2.27238449892691845833e-2,
    7.74545014278341407640e-4,
};
static const double flank_below[8] = {
    1,
    2.05319162663775882187e0,
    1.67638483018380384940e0,
    6.89767334985100004550e-1,
    1.48103976427480074590e-1,
    1.51986665636164571966e-2,
    5.47593808499534494600e-4,
    1.05075007164441684324e-9,
};
static const double tail_above[8] = {
    6.65790464350110377720e0,
    5.46378491116411436990e0,
    1.78482653991729133580e0,
    2.96560571828504891230e-1,
    2.65321895265761230930e-2,
    1.24266094738807843860e-3,
    2.71155556874348757815e-5,
    2.01033439929228813265e-7,
};
static const double tail_below[8] = {
    1,
    5.99832206555887937690e-1,
    1.36929880922735805310e-1,
    1.48753612908506148525e-2,
    7.86869131145613259100e-4,
    1.84631831751005468180e-5,
    1.42151175831644588870e-7,
    2.04426310338993978564e-15,
};

static double polynomial(const double c[8], double x)
{
    double sum = c[7];
    for (int i = 6; i >= 0; i--)
        sum = sum * x + c[i];
    return sum;
}

/* Returns the natural logarithm of a normal floating-point number in (0, 1). C
 * libraries differ in the last bit; this function gives equal results
 * everywhere. The number is 2^k m with m in [sqrt(1/2), sqrt(2)), and log m = 2
 * artanh((m-1)/(m+1)) is computed by its series, whose next term would be below
 * 2^-60. */
static double logarithm(double x)
{
    /* only 33 significant bits */
    static const double ln2_high = 6.93147180369123816490e-01;
    static const double ln2_low = 1.90821492927058770002e-10;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int k = (int)(bits >> 52) - 1023;
    bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1023) << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m >= 1.4142135623730951) {
        m *= 0.5;
        k++;
    }
    double s = (m - 1) / (m + 1);
    double z = s * s;
    double sum = 0;
    for (int n = 23; n >= 3; n -= 2)
        sum = z * (1.0 / n + sum);
    return k * ln2_high + (2 * (s + s * sum) + k * ln2_low);
}

double vv_normal_quantile(double p)
{
    double q = p - 0.5;
    if (q >= -0.425 && q <= 0.425) {
        double r = 0.180625 - q * q;
        return q * polynomial(middle_above, r) / polynomial(middle_below, r);
    }
    double r = sqrt(-logarithm(q < 0 ? p : 1 - p));
    double far;
    if (r <= 5) {
        r -= 1.6;
        far = polynomial(flank_above, r) / polynomial(flank_below, r);
    } else {
        r -= 5;
        far = polynomial(tail_above, r) / polynomial(tail_below, r);
    }
    return q < 0 ? -far : far;
}
