/* A character constant has at most eight. */

BEGIN { trace('abcdefghi'); }
