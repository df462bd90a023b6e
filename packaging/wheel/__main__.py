"""Prints the path of libkiln.so."""
from kiln import library

print(library())
