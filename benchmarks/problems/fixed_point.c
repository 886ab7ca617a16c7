/* Kepler's equation E = M + e sin(E) by fixed-point iteration, one `while` per anomaly. */
#include <math.h>
#include <stdint.h>

double fixed_point(const double *restrict mean, int64_t n, double eccentricity, double tolerance) {
    double total = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double m = mean[i], now = m, change = 1.0;
        while (change > tolerance) {
            double next = m + eccentricity * sin(now);
            change = fabs(next - now);
            now = next;
        }
        total += now * now;
    }
    return total;
}
