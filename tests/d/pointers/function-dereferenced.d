int (*f)(int);
BEGIN { trace(*f); exit(0); }
