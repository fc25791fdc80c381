"""`python -m dml_vk VERB`: one verb a file, each with `configure(parser)` and `run(arguments)`."""
