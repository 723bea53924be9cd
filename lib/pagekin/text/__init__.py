"""Text becomes terms: words, stop lists, stems, languages."""
