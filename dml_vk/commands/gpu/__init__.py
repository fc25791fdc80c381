"""`python -m dml_vk bench --gpu`: what a GPU does, measured against its own memory."""
