"""Reading and writing tables of scores and factors, and everything else that is printed."""
