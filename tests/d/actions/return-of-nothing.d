/* @options: -w */
BEGIN { return(); }
