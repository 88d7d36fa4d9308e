"""The documents of runs beside the judgments: docnos in other forms, and documents that were removed or added."""
