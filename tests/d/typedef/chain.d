/* Of a typedef too. */
/* @options: -q */

typedef int a_t; typedef a_t b_t; typedef b_t *c_t;
BEGIN { printf("%d %d\n", sizeof (b_t), sizeof (c_t)); exit(0); }
