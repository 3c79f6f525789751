/* A clause that stands before the timer's own matches it, too, although no description had named the timer yet. */
/* @options: -q */

profile:::tick-5* { is_first = 1; }
tick-50ms { printf("%d\n", is_first); exit(0); }
