/*
 * @language: `#pragma D binding`
 * @dtrace: With `-x version`, a name that is bound to a later version does not exist.
 * @erlbpf: It is checked for its form only: there is one version of erlbpf's language.
 */
/* @options: -q -xversion=1.0 */

inline int later = 5;
#pragma D binding "1.6" later

BEGIN { printf("%d\n", later); exit(0); }
