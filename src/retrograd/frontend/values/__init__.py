"""What Python values are during a translation: numbers, arrays, variables, two paths joined."""
