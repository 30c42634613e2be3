"""The documentation as a site: pages of the project, notebooks and docstrings -> HTML.

    navigation   which pages there are, in their order
    stage        pages -> the folder that Sphinx reads, with links that fit there
    notebook     percent scripts -> pages with their outputs;   ipynb: -> files for Jupyter
    reference    pages of the Python API, made of docstrings
    docstrings   our docstrings -> what Sphinx understands
    mathml       equations -> MathML, which browsers draw without a script
    conf         the settings of Sphinx

`python -m tools.site` builds it. Sphinx, the theme Furo and the parser MyST were taken because they
are maintained, read the Markdown pages as they are, and make a site that needs no network.
"""
