def write_page(store):
    pass
