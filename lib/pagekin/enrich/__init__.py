"""What a snapshot teaches about its bags: each module gives a part that is added to plain ones."""
