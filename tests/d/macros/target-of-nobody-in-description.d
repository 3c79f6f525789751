pid$target:::entry { exit(0); }
