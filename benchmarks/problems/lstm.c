/* An LSTM cell over a sequence. Gate weights have one row per input and 4 * hidden columns. */
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline double sigmoid(double z) { return 1.0 / (1.0 + exp(-z)); }

double lstm(const double *restrict input_weight, const double *restrict state_weight,
            const double *restrict bias, const double *restrict xs, const double *restrict target,
            double *restrict work, int64_t length, int64_t inputs, int64_t hidden) {
    int64_t gates = 4 * hidden;
    double *restrict h = work, *restrict c = h + hidden, *restrict z = c + hidden;
    double loss = 0.0;
    memset(h, 0, (size_t)hidden * sizeof(double));
    memset(c, 0, (size_t)hidden * sizeof(double));
    for (int64_t t = 0; t < length; t++) {
        for (int64_t j = 0; j < gates; j++) z[j] = bias[j];
        for (int64_t k = 0; k < inputs; k++) {
            double x = xs[t * inputs + k];
            for (int64_t j = 0; j < gates; j++) z[j] += x * input_weight[k * gates + j];
        }
        for (int64_t k = 0; k < hidden; k++) {
            double state = h[k];
            for (int64_t j = 0; j < gates; j++) z[j] += state * state_weight[k * gates + j];
        }
        for (int64_t j = 0; j < hidden; j++) {
            double admit = sigmoid(z[j]), keep = sigmoid(z[hidden + j]);
            double show = sigmoid(z[2 * hidden + j]), fresh = tanh(z[3 * hidden + j]);
            c[j] = keep * c[j] + admit * fresh;
            h[j] = show * tanh(c[j]);
        }
        for (int64_t j = 0; j < hidden; j++) {
            double miss = h[j] - target[t * hidden + j];
            loss += miss * miss;
        }
    }
    return loss;
}
