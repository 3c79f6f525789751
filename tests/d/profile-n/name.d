/* It has the name that it was asked for. */
/* @options: -q */

profile-97hz /!seen/ { seen = 1; printf("%s\n", probename); exit(0); }
