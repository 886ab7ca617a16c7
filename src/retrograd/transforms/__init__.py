"""Program to program: derivatives, optimisation, and the analyses behind them."""
