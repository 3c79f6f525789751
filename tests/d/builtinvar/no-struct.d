/* Neither the program nor the kernel knows what is in it. */
struct no_such_struct;
BEGIN { trace(((struct no_such_struct *)curthread)->x); exit(0); }
