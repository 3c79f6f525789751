/* && || ! and ^^. */
/* @options: -q */

BEGIN { t = 1; f = 0;
	printf("%d%d%d%d ", t && t, t && f, f && t, f && f);
	printf("%d%d%d%d ", t || t, t || f, f || t, f || f);
	printf("%d%d%d%d\n", t ^^ t, t ^^ f, f ^^ t, f ^^ f); exit(0); }
