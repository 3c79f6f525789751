/* @options: -q -C */
#if defined(__SUNW_D) && defined(__SUNW_D_64) && defined(__linux) && defined(__unix) && defined(__SVR4) && \
	defined(__Linux)
#define SYSTEM 1
#endif
#ifdef __x86_64__
#ifdef __amd64
#define MACHINE 2
#endif
#else
#define MACHINE 2
#endif
#ifndef __GNUC__
#define COMPILER 3
#endif
#if __STDC_VERSION__ == 199901L
#define STANDARD 4
#endif
#if __SUNW_D_VERSION >= 0x01000000
#define VERSION 5
#endif

BEGIN
{
	printf("%d %d %d %d %d\n", SYSTEM, MACHINE, COMPILER, STANDARD, VERSION);
	exit(0);
}
