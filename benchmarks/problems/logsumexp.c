/* log of a sum of exponentials, shifted by the largest so that nothing overflows. */
#include <math.h>
#include <stdint.h>

double logsumexp(const double *restrict x, int64_t n) {
    double top = x[0], total = 0.0;
    for (int64_t i = 1; i < n; i++)
        if (x[i] > top) top = x[i];
    for (int64_t i = 0; i < n; i++) total += exp(x[i] - top);
    return top + log(total);
}
