"""Tables in files: CSV, TSV, Parquet, Arrow, JSON lines and libsvm, gz and zst included.

    formats              what a file is, by its ending or by its first bytes
    opened               a file, stdin or stdout as a stream of bytes, decompressed
    delimited            CSV and TSV: delimiter, types, and errors in words
    reading              files -> one table, or batches of rows in constant memory
    sparse               libsvm files -> a sparse matrix
    writing              batches of rows -> a file, there when it is complete
    column_descriptions  CatBoost's files that say which column is what
    profile              what the columns of a table are, and what looks odd about them

pyarrow parses; libsvm files are read by scikit-learn. Neither is imported before it is needed.
"""

from ocelotboost.files.column_descriptions import read_column_description
from ocelotboost.files.profile import Roles, profile_columns
from ocelotboost.files.reading import FileOptions, open_batches, read_table
from ocelotboost.files.writing import TableWriter

__all__ = [
    "FileOptions",
    "Roles",
    "TableWriter",
    "open_batches",
    "profile_columns",
    "read_column_description",
    "read_table",
]
