"""What stands before the routes: plain ASGI, which leaves streams as they are.

From outside to inside:

RequestLog ─▶ AnswerHeaders ─▶ CORS ─▶ Hosts ─▶ Faults ─▶ BodyLimit ─▶ routes
"""
