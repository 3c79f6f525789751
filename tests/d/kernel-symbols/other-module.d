BEGIN { trace(&no_such_module`ksys_read); exit(0); }
