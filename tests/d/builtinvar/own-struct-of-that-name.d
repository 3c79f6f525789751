/* @options: -q */
struct list_head { int n; } x;
BEGIN { x.n = 7; printf("%d\n", x.n + (curthread->tgid == pid ? 0 : 1)); exit(0); }
