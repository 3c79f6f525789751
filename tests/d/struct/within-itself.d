/* A struct cannot hold itself, also if the kernel has one of this name. */

struct inode { int a; struct inode b; };
BEGIN { exit(0); }
