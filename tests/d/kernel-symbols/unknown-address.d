BEGIN { trace(&`no_such_variable); exit(0); }
