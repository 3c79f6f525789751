/* No spaces. */
/* @options: -q */

BEGIN{x=1;y=x+2*3;printf("%d\n",y);exit(0)}
