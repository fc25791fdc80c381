"""`python -m dml_vk VERB`: one module per verb, with `configure(parser)` and `run(arguments)`."""
