::: { trace(args[0]); }
