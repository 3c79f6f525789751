/* Also when they are not constant. */
/* @options: -q */

BEGIN { s = "beta"; t = "alpha"; printf("%d%d%d%d\n", s < t, s > t, s == "beta", t != "alpha"); exit(0); }
