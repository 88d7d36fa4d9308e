"""Read qrels and runs, and notice runs whose order is doubtful."""
