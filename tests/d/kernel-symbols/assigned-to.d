BEGIN { *(int *)&`__start_BTF = 1; exit(0); }
