/* A pointer to a function is not followed. */

typedef int (*handler_t)(int);
handler_t handler;
BEGIN { *handler; }
