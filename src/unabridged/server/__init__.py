"""The chat server: conversations that outgrow no window, for products with a chat in them. Extra `server`.

`app.py` puts it together, `routes/` is what is asked over HTTP, `turns/` runs turns, `tools/` is what a model can use.
"""
