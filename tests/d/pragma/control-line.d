/* Lines with # are those of the preprocessor. */

#nosuch
BEGIN { trace(1); }
