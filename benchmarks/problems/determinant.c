/* Determinant by expansion along the first row, minors copied out, down to 1 x 1. */
#include <stdint.h>

double determinant(const double *restrict a, int64_t n) {
    if (n == 1) return a[0];
    double minor[(n - 1) * (n - 1)];
    double total = 0.0, sign = 1.0;
    for (int64_t c = 0; c < n; c++) {
        for (int64_t i = 1; i < n; i++) {
            for (int64_t j = 0; j < c; j++) minor[(i - 1) * (n - 1) + j] = a[i * n + j];
            for (int64_t j = c + 1; j < n; j++) minor[(i - 1) * (n - 1) + j - 1] = a[i * n + j];
        }
        total += sign * a[c] * determinant(minor, n - 1);
        sign = -sign;
    }
    return total;
}
