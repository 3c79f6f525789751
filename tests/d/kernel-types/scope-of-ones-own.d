/* A type of the kernel cannot be defined. */

struct vmlinux`mine { int a; };

BEGIN { exit(0); }
