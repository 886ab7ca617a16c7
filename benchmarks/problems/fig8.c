/* The adaptive-grid program: rotations of neighbouring pairs by angles that depend on |x|. */
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline int64_t ilog2(int64_t k) { return 63 - __builtin_clzll((uint64_t)k); }

static inline int64_t repeats(int64_t i, int64_t steps, int64_t stride) {
    return (int64_t)1 << (ilog2(steps) - ilog2(1 + stride * i % steps));
}

/* In the source's order, as the plain loop says. */
static inline double length_serial(const double *restrict x, int64_t n) {
    double sum = 0.0;
    for (int64_t k = 0; k < n; k++) sum += x[k] * x[k];
    return sqrt(sum);
}

/* In lanes, as np.sum leaves it open. */
static inline double length_lanes(const double *restrict x, int64_t n) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int64_t k = 0; k < n; k++) sum += x[k] * x[k];
    return sqrt(sum);
}

static inline void rotate(double *restrict x, int64_t first, int64_t n, double c, double s) {
    for (int64_t k = first; k < n - 1; k += 2) {
        double a = x[k], b = x[k + 1];
        x[k] = c * a - s * b;
        x[k + 1] = s * a + c * b;
    }
}

static inline double weighted_sum(const double *restrict x, int64_t n) {
    double total = 0.0;
    for (int64_t k = 0; k < n; k++) total += (double)(k + 1) * x[k];
    return total;
}

/* Reverse of rotate: x holds the values before it; returns the cotangent of the angle. */
static inline double rotate_reverse(const double *restrict x, double *restrict bar, int64_t first,
                                    int64_t n, double c, double s) {
    double theta = 0.0;
#pragma omp simd reduction(+ : theta)
    for (int64_t k = first; k < n - 1; k += 2) {
        double a = x[k], b = x[k + 1], p = bar[k], q = bar[k + 1];
        theta += q * (c * a - s * b) - p * (s * a + c * b);
        bar[k] = c * p + s * q;
        bar[k + 1] = c * q - s * p;
    }
    return theta;
}

#define PRIMAL(NAME, LENGTH)                                                                       \
    double NAME(const double *restrict x0, double *restrict x, int64_t n, int64_t steps,           \
                int64_t stride) {                                                                  \
        memcpy(x, x0, (size_t)n * sizeof(double));                                                 \
        for (int64_t i = 1; i <= steps; i++) {                                                     \
            int64_t m = repeats(i, steps, stride);                                                 \
            for (int64_t j = 0; j < m; j++) {                                                      \
                double r = LENGTH(x, n);                                                           \
                rotate(x, 0, n, cos(1.2 * r), sin(1.2 * r));                                       \
                rotate(x, 1, n, cos(1.4 * r), sin(1.4 * r));                                       \
            }                                                                                      \
        }                                                                                          \
        return weighted_sum(x, n);                                                                 \
    }

/* One record per inner iteration: x before it, its length, and the sines and cosines. The first
   rotation is done again in the reverse sweep: cheaper than a second copy of x. */
enum { SCALARS = 5 };

#define ADJOINT(NAME, LENGTH)                                                                      \
    double NAME(const double *restrict x0, double *restrict x, double *restrict tape,              \
                double *restrict bar, int64_t n, int64_t steps, int64_t stride) {                  \
        double *top = tape;                                                                        \
        memcpy(x, x0, (size_t)n * sizeof(double));                                                 \
        for (int64_t i = 1; i <= steps; i++) {                                                     \
            int64_t m = repeats(i, steps, stride);                                                 \
            for (int64_t j = 0; j < m; j++) {                                                      \
                double r = LENGTH(x, n);                                                           \
                double *e = top + n;                                                               \
                memcpy(top, x, (size_t)n * sizeof(double));                                        \
                e[0] = r;                                                                          \
                e[1] = cos(1.2 * r), e[2] = sin(1.2 * r);                                          \
                e[3] = cos(1.4 * r), e[4] = sin(1.4 * r);                                          \
                rotate(x, 0, n, e[1], e[2]);                                                       \
                rotate(x, 1, n, e[3], e[4]);                                                       \
                top += n + SCALARS;                                                                \
            }                                                                                      \
        }                                                                                          \
        double value = weighted_sum(x, n);                                                         \
        for (int64_t k = 0; k < n; k++) bar[k] = (double)(k + 1);                                  \
        while (top != tape) {                                                                      \
            top -= n + SCALARS;                                                                    \
            const double *e = top + n;                                                             \
            memcpy(x, top, (size_t)n * sizeof(double));                                            \
            rotate(x, 0, n, e[1], e[2]);                                                           \
            double second = rotate_reverse(x, bar, 1, n, e[3], e[4]);                              \
            double first = rotate_reverse(top, bar, 0, n, e[1], e[2]);                             \
            double scale = (1.2 * first + 1.4 * second) / e[0];                                    \
            for (int64_t k = 0; k < n; k++) bar[k] += scale * top[k];                              \
        }                                                                                          \
        return value;                                                                              \
    }

PRIMAL(fig8, length_serial)
PRIMAL(fig8_sum, length_lanes)
ADJOINT(fig8_adjoint, length_serial)
ADJOINT(fig8_sum_adjoint, length_lanes)
