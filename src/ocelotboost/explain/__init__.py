"""What a model does with its columns, and why it says what it says of a row.

players, tables       SHAP values: whose they are, and a table of them per tree
explainer             the tables of a model, and explanations of rows by them
importances           one number per column, or per pair of columns
partial_dependence    the mean prediction for each value of a column
counterfactuals       the smallest changes of a row that change its prediction
similar               training rows that share a row's leaves
"""
