/* @options: -w */
BEGIN { chill(); exit(0); }
