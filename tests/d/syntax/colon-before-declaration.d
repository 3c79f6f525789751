/* "tick-1:int" and "i" are two descriptions, of which the first has no actions. */

tick-1:int i
