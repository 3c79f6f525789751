/* Something has to be assigned. */

BEGIN { x = ; }
