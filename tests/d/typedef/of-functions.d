/* A pointer to a function can be kept and compared, and not be followed. */
/* @options: -q */

typedef int (*handler_t)(int, char *);
handler_t handler;
BEGIN { printf("%d %d\n", handler == NULL, sizeof (handler_t)); exit(0); }
