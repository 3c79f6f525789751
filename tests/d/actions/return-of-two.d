/* @options: -w */
BEGIN { return(1, 2); }
