"""Many tables: what is to be read, the loop over a pool, the journal, the table of results.

``entries`` finds the photos of each table, ``journal`` knows what is done, ``run`` has the rest
read, ``table`` makes the results one file.
"""
