/* @options: -w */
BEGIN { return("x"); }
