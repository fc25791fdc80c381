from hypothesis import settings

settings.register_profile("default", deadline=None, print_blob=True, max_examples=200)
settings.load_profile("default")
