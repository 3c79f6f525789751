/* Other files. */
/* @options: -q -C -I. */

#include "include.h"
BEGIN { printf("%d\n", FROM_INCLUDE); exit(0); }
