/* @options: -q */
BEGIN { trace(d_path((struct path *)8)); exit(1); }
ERROR { printf("fault %d, %x\n", arg4, arg5); exit(0); }
