"""A model and rows -> a page that says how good the model is, why, and where it is weak.

subject    the model, the rows it is judged by, and what is known of its training
assemble   all sections, in the order in which they are read; each has a module:
           verdict, classes or numbers, explained, subgroups, leakage, data, learning, trees,
           repeat
document   sections of text, tables and figures, which are
html       one file; figures are drawn by page/*.js from data inside the file
markdown   the same without figures
"""
