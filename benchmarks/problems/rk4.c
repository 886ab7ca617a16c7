/* A chain of masses with springs that are slightly nonlinear, by the classical Runge-Kutta method.
   A state is the n displacements followed by the n speeds; both ends are fixed. */
#include <stdint.h>
#include <string.h>

static inline void slope(const double *restrict y, double *restrict dy, int64_t n, double alpha) {
    const double *restrict q = y, *restrict p = y + n;
    double *restrict dq = dy, *restrict dp = dy + n;
    for (int64_t i = 0; i < n; i++) dq[i] = p[i];
    for (int64_t i = 0; i < n; i++) dp[i] = 0.0;
    for (int64_t i = 1; i < n - 1; i++) {
        double right = q[i + 1] - q[i], left = q[i] - q[i - 1];
        dp[i] = right - left + alpha * (right * right - left * left);
    }
}

static inline void stage(const double *restrict y, const double *restrict k, double *restrict out,
                         int64_t size, double h) {
    for (int64_t i = 0; i < size; i++) out[i] = y[i] + h * k[i];
}

/* work: k1 k2 k3 k4 and the state of a stage */
static inline void step(double *restrict y, double *restrict work, int64_t n, double h,
                        double alpha) {
    int64_t size = 2 * n;
    double *restrict k1 = work, *restrict k2 = k1 + size, *restrict k3 = k2 + size;
    double *restrict k4 = k3 + size, *restrict u = k4 + size;
    slope(y, k1, n, alpha);
    stage(y, k1, u, size, 0.5 * h);
    slope(u, k2, n, alpha);
    stage(y, k2, u, size, 0.5 * h);
    slope(u, k3, n, alpha);
    stage(y, k3, u, size, h);
    slope(u, k4, n, alpha);
    for (int64_t i = 0; i < size; i++) y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
}

static inline double observe(const double *restrict y, const double *restrict w, int64_t size) {
    double total = 0.0;
    for (int64_t i = 0; i < size; i++) total += w[i] * y[i];
    return total;
}

double rk4(const double *restrict y0, const double *restrict w, double *restrict y,
           double *restrict work, int64_t n, int64_t steps, double h, double alpha) {
    memcpy(y, y0, (size_t)(2 * n) * sizeof(double));
    for (int64_t t = 0; t < steps; t++) step(y, work, n, h, alpha);
    return observe(y, w, 2 * n);
}

/* With u_bar = (derivative of slope at q)^T k_bar, where only the displacements q of the state matter:
   sum += u_bar, and next = a * y_bar + b * u_bar. Overwrites the ends of k_bar, which are fixed. */
static inline void slope_reverse(const double *restrict q, double *restrict k_bar,
                                 const double *restrict y_bar, double *restrict sum,
                                 double *restrict next, int64_t n, double alpha, double a,
                                 double b) {
    double *restrict p = k_bar + n;
    double twice = 2.0 * alpha;
    p[0] = 0.0, p[n - 1] = 0.0;
    double u = (p[1] - p[0]) * (1.0 + twice * (q[1] - q[0]));
    sum[0] += u, next[0] = a * y_bar[0] + b * u;
    for (int64_t i = 1; i < n - 1; i++) {
        double left = (p[i - 1] - p[i]) * (1.0 + twice * (q[i] - q[i - 1]));
        double right = (p[i] - p[i + 1]) * (1.0 + twice * (q[i + 1] - q[i]));
        double v = left - right;
        sum[i] += v;
        next[i] = a * y_bar[i] + b * v;
    }
    u = (p[n - 2] - p[n - 1]) * (1.0 + twice * (q[n - 1] - q[n - 2]));
    sum[n - 1] += u, next[n - 1] = a * y_bar[n - 1] + b * u;
    for (int64_t i = 0; i < n; i++) {
        double v = k_bar[i];
        sum[n + i] += v;
        next[n + i] = a * y_bar[n + i] + b * v;
    }
}

/* The tape has the state before each step; the stages are computed again. */
double rk4_adjoint(const double *restrict y0, const double *restrict w, double *restrict y,
                   double *restrict work, double *restrict tape, double *restrict y_bar, int64_t n,
                   int64_t steps, double h, double alpha) {
    int64_t size = 2 * n;
    size_t bytes = (size_t)size * sizeof(double);
    double *restrict k = work, *restrict u1 = work + 5 * size, *restrict u2 = u1 + size;
    double *restrict u3 = u2 + size, *restrict even = u3 + size, *restrict odd = even + size;
    double *restrict sum = odd + size;
    memcpy(y, y0, bytes);
    for (int64_t t = 0; t < steps; t++) {
        memcpy(tape + t * size, y, bytes);
        step(y, work, n, h, alpha);
    }
    double value = observe(y, w, size);
    memcpy(y_bar, w, bytes);
    for (int64_t t = steps; t-- > 0;) {
        const double *restrict u0 = tape + t * size;
        slope(u0, k, n, alpha);
        stage(u0, k, u1, size, 0.5 * h);
        slope(u1, k, n, alpha);
        stage(u0, k, u2, size, 0.5 * h);
        slope(u2, k, n, alpha);
        stage(u0, k, u3, size, h);
        for (int64_t i = 0; i < size; i++) even[i] = h / 6.0 * y_bar[i];
        memcpy(sum, y_bar, bytes);
        slope_reverse(u3, even, y_bar, sum, odd, n, alpha, h / 3.0, h);
        slope_reverse(u2, odd, y_bar, sum, even, n, alpha, h / 3.0, 0.5 * h);
        slope_reverse(u1, even, y_bar, sum, odd, n, alpha, h / 6.0, 0.5 * h);
        slope_reverse(u0, odd, y_bar, sum, even, n, alpha, 0.0, 0.0);
        memcpy(y_bar, sum, bytes);
    }
    return value;
}
