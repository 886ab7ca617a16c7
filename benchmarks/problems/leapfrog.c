/* Gravitating bodies by the leapfrog method (drift, kick, drift), softened forces. */
#include <math.h>
#include <stdint.h>
#include <string.h>

/* v += dt * acceleration at q; coordinates one after another, n each. */
static inline void kick(const double *restrict q, double *restrict v, const double *restrict mass,
                        int64_t n, double dt, double softening) {
    const double *restrict x = q, *restrict y = q + n, *restrict z = q + 2 * n;
    double *restrict vx = v, *restrict vy = v + n, *restrict vz = v + 2 * n;
    for (int64_t j = 0; j < n; j++) {
        double xj = x[j], yj = y[j], zj = z[j], pull = dt * mass[j];
        for (int64_t i = 0; i < n; i++) {
            double dx = xj - x[i], dy = yj - y[i], dz = zj - z[i];
            double square = dx * dx + dy * dy + dz * dz + softening;
            double force = pull / (square * sqrt(square));
            vx[i] += force * dx;
            vy[i] += force * dy;
            vz[i] += force * dz;
        }
    }
}

static inline void drift(double *restrict q, const double *restrict v, int64_t size, double dt) {
    for (int64_t k = 0; k < size; k++) q[k] += dt * v[k];
}

static inline double observe(const double *restrict q, const double *restrict w, int64_t size) {
    double total = 0.0;
    for (int64_t k = 0; k < size; k++) total += w[k] * q[k];
    return total;
}

double leapfrog(const double *restrict q0, const double *restrict v0, const double *restrict mass,
                const double *restrict w, double *restrict q, double *restrict v, int64_t n,
                int64_t steps, double dt, double softening) {
    memcpy(q, q0, (size_t)(3 * n) * sizeof(double));
    memcpy(v, v0, (size_t)(3 * n) * sizeof(double));
    for (int64_t t = 0; t < steps; t++) {
        drift(q, v, 3 * n, 0.5 * dt);
        kick(q, v, mass, n, dt, softening);
        drift(q, v, 3 * n, 0.5 * dt);
    }
    return observe(q, w, 3 * n);
}

/* Reverse of kick at q: adds to q_bar what v_bar says. */
static inline void kick_reverse(const double *restrict q, double *restrict q_bar,
                                const double *restrict v_bar, const double *restrict mass,
                                int64_t n, double dt, double softening) {
    const double *restrict x = q, *restrict y = q + n, *restrict z = q + 2 * n;
    const double *restrict bx = v_bar, *restrict by = v_bar + n, *restrict bz = v_bar + 2 * n;
    double *restrict gx = q_bar, *restrict gy = q_bar + n, *restrict gz = q_bar + 2 * n;
    for (int64_t j = 0; j < n; j++) {
        double xj = x[j], yj = y[j], zj = z[j], pull = dt * mass[j];
        double sx = 0.0, sy = 0.0, sz = 0.0;
#pragma omp simd reduction(+ : sx, sy, sz)
        for (int64_t i = 0; i < n; i++) {
            double dx = xj - x[i], dy = yj - y[i], dz = zj - z[i];
            double square = dx * dx + dy * dy + dz * dz + softening;
            double force = pull / (square * sqrt(square));
            double along = bx[i] * dx + by[i] * dy + bz[i] * dz;
            double radial = -3.0 * force * along / square;
            double ex = force * bx[i] + radial * dx;
            double ey = force * by[i] + radial * dy;
            double ez = force * bz[i] + radial * dz;
            gx[i] -= ex, gy[i] -= ey, gz[i] -= ez;
            sx += ex, sy += ey, sz += ez;
        }
        gx[j] += sx, gy[j] += sy, gz[j] += sz;
    }
}

/* The tape has the positions at each kick; velocities enter linearly and are not needed. */
double leapfrog_adjoint(const double *restrict q0, const double *restrict v0,
                        const double *restrict mass, const double *restrict w, double *restrict q,
                        double *restrict v, double *restrict tape, double *restrict q_bar,
                        double *restrict v_bar, int64_t n, int64_t steps, double dt,
                        double softening) {
    int64_t size = 3 * n;
    memcpy(q, q0, (size_t)size * sizeof(double));
    memcpy(v, v0, (size_t)size * sizeof(double));
    for (int64_t t = 0; t < steps; t++) {
        drift(q, v, size, 0.5 * dt);
        memcpy(tape + t * size, q, (size_t)size * sizeof(double));
        kick(q, v, mass, n, dt, softening);
        drift(q, v, size, 0.5 * dt);
    }
    double value = observe(q, w, size);
    memcpy(q_bar, w, (size_t)size * sizeof(double));
    memset(v_bar, 0, (size_t)size * sizeof(double));
    for (int64_t t = steps; t-- > 0;) {
        drift(v_bar, q_bar, size, 0.5 * dt);
        kick_reverse(tape + t * size, q_bar, v_bar, mass, n, dt, softening);
        drift(v_bar, q_bar, size, 0.5 * dt);
    }
    return value;
}
