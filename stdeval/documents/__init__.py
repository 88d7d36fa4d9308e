"""Compare the documents of runs with the judged ones: docnos in other forms, documents removed or added."""
