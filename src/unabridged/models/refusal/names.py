"""Names of members and attributes under which servers and SDKs put what they say. Compared in lower case."""

from __future__ import annotations

FIRST = ("error", "errors", "message", "msg", "detail", "details", "type", "code", "status")
"""Read before all others, and of an answer as well: OpenRouter sends errors in a 200 body."""

INSIDE = frozenset(
    {
        *("response", "choices", "candidates", "incomplete_details", "promptfeedback", "prompt_feedback", "base_resp"),
        *("finish_reason", "finishreason", "stop_reason", "status_code"),
    }
)
"""What else is read of an answer. Its other members are the model's words, or echo the request."""

ANSWERS = frozenset({"choices", "candidates", "usage", "role", "content", "delta", "output", "done"})
"""An object with one of these is an answer, or a piece of one."""

ECHOES = frozenset(
    {
        *("content", "text", "messages", "prompt", "input", "inputs", "output", "instructions", "system", "tools"),
        *("tool_calls", "tool_use", "function_call", "functioncall", "arguments", "thinking", "reasoning", "delta"),
        *("reasoning_content", "partial_json", "signature", "refusal", "annotations", "logprobs", "usage", "parts"),
        *("role", "id", "object", "model", "user", "user_id", "request_id", "created", "failed_generation"),
    }
)
"""Members that repeat the request or hold what a model said: never evidence of an error."""

CODES = frozenset(
    {
        *("type", "code", "status", "param", "name", "error_type", "errortype", "__type", "status_code"),
        *("finish_reason", "finishreason", "stop_reason", "reason", "blockreason", "block_reason", "error_code"),
    }
)
"""Members that hold one word. A longer text in them is read as a text."""

STATUSES = frozenset(
    {"status", "status_code", "statuscode", "code", "http_status", "httpstatus", "httpstatuscode", "http_code"}
)

NUMBERS = frozenset({"n_ctx", "n_prompt_tokens"})

WAITS = frozenset({"retry_after", "retryafter", "retry-after", "retry_after_seconds", "retrydelay", "retry_delay"})

ATTRIBUTES = (
    *("status_code", "body", "details", "response_json", "error", "errors", "code", "type", "param", "status"),
    *("message", "response", "headers", "request", "retry_after", "exceptions", "incomplete_details"),
    *("prompt_feedback", "choices", "candidates", "finish_reason", "stop_reason", "block_reason"),
)
"""What is looked for on an object of an SDK, the surest first."""
