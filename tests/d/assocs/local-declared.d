/* Nor can they be declared. */

this int a[int];
BEGIN { trace(1); }
