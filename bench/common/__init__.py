"""What benches share: arguments, tables, records, counting, truths, decks, the report."""
