/* A program says of its own names how stable they are. */

#pragma D attributes Private/Private/Unknown x
#pragma D option amin=Evolving/Evolving/Common

BEGIN { x = 3; trace(x); exit(0); }
