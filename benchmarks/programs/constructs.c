/* Hand-written adjoints of k-means and of the product of a sparse matrix with a vector. */
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline double squared_distance(const double *restrict a, const double *restrict b,
                                      int64_t d) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < d; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

/* Only the nearest centre has a derivative, so one sweep does for value and gradient. */
double kmeans_adjoint(const double *restrict centres, const double *restrict points,
                      double *restrict bar, int64_t k, int64_t n, int64_t d) {
    double total = 0.0;
    memset(bar, 0, (size_t)(k * d) * sizeof(double));
    for (int64_t i = 0; i < n; i++) {
        const double *point = points + i * d;
        double least = INFINITY;
        int64_t at = 0;
        for (int64_t c = 0; c < k; c++) {
            double distance = squared_distance(point, centres + c * d, d);
            if (distance < least) least = distance, at = c;
        }
        total += least;
        for (int64_t j = 0; j < d; j++) bar[at * d + j] -= 2.0 * (point[j] - centres[at * d + j]);
    }
    return total;
}

/* Each row is read again while it is in the cache: one sweep as well. */
double csr_adjoint(const double *restrict values, const double *restrict x,
                   const int64_t *restrict starts, const int64_t *restrict columns,
                   double *restrict values_bar, double *restrict x_bar, int64_t rows,
                   int64_t width) {
    double total = 0.0;
    memset(x_bar, 0, (size_t)width * sizeof(double));
    for (int64_t row = 0; row < rows; row++) {
        double y = 0.0;
        for (int64_t at = starts[row]; at < starts[row + 1]; at++) y += values[at] * x[columns[at]];
        total += 0.5 * y * y;
        for (int64_t at = starts[row]; at < starts[row + 1]; at++) {
            values_bar[at] = y * x[columns[at]];
            x_bar[columns[at]] += y * values[at];
        }
    }
    return total;
}
