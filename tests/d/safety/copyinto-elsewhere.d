/* Only memory of alloca() can be copied to. */

BEGIN { copyinto(arg0, 1, curthread); exit(0); }
