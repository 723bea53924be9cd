"""From a page to its ranked kin: counted signatures, exact bags, reasons."""
