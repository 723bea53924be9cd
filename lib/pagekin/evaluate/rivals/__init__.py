"""What others do to find similar pages, one way a file, and the table that sets ours beside them.

A rival is made of texts and gives similarities, and is judged by nothing else: `rival.py` says what
it is. Rivals rest on packages of the extra `rivals`, which are imported in these files only, and
only where a rival is made: whoever asks for none needs none of them.
"""
