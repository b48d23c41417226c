"""The words of refusals, by what they mean. Matched against texts and codes in lower case, addresses left out.

Sources: the providers' own texts, as recorded in public test suites, issue threads and pattern lists.
"""

from __future__ import annotations

import functools
import re

RATE = (
    r"rate[ _-]?limit|too[ _]many[ _]requests|per[ _-]?(?:second|min(?:ute)?|hour|day|month)\b|\b[rt]p[smhd]\b|throttl",
    r"quota|resource[ _](?:has been )?exhausted|please wait|(?:retry|try again) (?:in|after) \(?\d|overloaded",
    r"(?:at|over|insufficient) capacity|(?:server|engine|model) (?:is )?(?:currently )?(?:too )?busy|concurrency limit",
    r"usage limit|\b(?:daily|weekly|monthly|hourly)\b|this (?:month|week|day|hour|minute)\b|slow down",
    r"限流|速率限制|请求频率|请求过于频繁|请求过多|配额",
)
BILLING = (
    r"insufficient[ _](?:quota|balance|credits?|funds)|credit balance|plan and billing|requires more credits",
    r"余额不足|欠费",
)
STRUCTURE = (
    r"must be followed by tool messages|must be a response to a prece+ding message|did not have response messages",
    r"no tool (?:output|call) found for|ids were found without|unexpected \W?tool_use_id|did not find \d+ tool_result",
    r"each \W?tool_(?:use|result)\W? block must have|following tool_use blocks must begin|first message must use the",
    r"content blocks must be non-empty|must have non-empty content|(?:text )?content is empty",
    r"latest assistant message cannot be modified|invalid \W?signature\W? in \W?thinking|thought_signature",
    r"number of function response parts|turn comes immediately after|function call turn contains",
    r"parts must not be empty|must start with a user turn|ending with a model turn|must alternate|expected last role",
    r"assistant message prefill|must be followed by (?:a )?tool",
    r"ids must be unique|duplicate (?:\W?call_id|item found)|without (?:a corresponding|its required following item)",
    r"non-whitespace text|end with trailing whitespace|must be \W?thinking\W? or|expected \W?thinking\W? or",
    r"final block in an assistant message|role 'system' (?:must|is not)|top-level 'system' parameter",
)
CONTENT_FILTER = (
    r"content[ _-](?:filter(?:ing)?|management policy|policy[ _]violation)|prohibited_content",
    r"responsibleaipolicyviolation|data_inspection_failed|inappropriate content|violat\w+ our usage polic",
    r"flagged (?:by|as|for)|safety system",
    r"内容安全|敏感(?:词|内容|信息)",
)
REFUSALS = frozenset({"safety", "recitation", "refusal", "blocklist", "spii", "image_safety", "sensitive"})
"""Codes and finish reasons that are words of every day."""
FIELD = (
    r"string too long|(?:string|array)_above_max_length|messages\W{1,3}is too long|got \d+ items|is mandatory for this",
    r"context window (?:is )?too small|limit of [\d,]+ messages",
)
"""Look like an overflow; one field, or a number of messages, is meant."""
OUTPUT = (
    r"maximum tokens you requested|maximum output length|maximum (?:allowed )?number of output tokens",
    r"max_?(?:completion_?|output_?)?tokens\W{0,3}(?:or \W?max_completion_tokens\W{0,3})?(?:is too large|must be less)",
    r"max tokens must be less|range of max_\w*tokens|max_?(?:output_?)?tokens value of",
    r"limit of [\d,]+ (?:output|completion) tokens|(?<!\+ )max_tokens\W{0,3}(?:\d{1,9}\W{0,3})?exceeds",
    r"max_tokens: \d+ > \d+|at most \d+ (?:completion|output) tokens",
)
OVERFLOW_CODES = frozenset(
    {
        *("context_length_exceeded", "exceed_context_size_error", "model_max_prompt_tokens_exceeded", "3051", "1261"),
        *("too_many_tokens", "input_too_large", "model_context_window_exceeded", "context_window_exceeded", "1039"),
        *("contextwindowexceedederror", "contextwindowoverflowexception", "contextoverflowerror", "prompt_too_long"),
    }
)
_HOLD = r"(?:context|prompt|input|sequence|conversation)"
"""What a window holds."""
_SIZE = r"(?:length|window|size|limit)"
OVERFLOW = (
    r"context_length_exceeded|exceed_context_size|max_prompt_tokens_exceeded|context_?window_?(?:exceeded|overflow)",
    rf"(?:{_HOLD}|token)[ _]{_SIZE} (?:was |is |has been )?exceeded|context[ _]?(?:size |length )?overflow",
    r"(?:prompt|input|request|context|conversation|token ids)(?: \w{1,12}){0,2} too long|message (?:is |was )?too long",
    r"(?:prompt|input|context) (?:is )?too (?:large|big)|too large\b[^.\n]{0,20}\d (?:input |prompt )?tokens",
    r"too (?:large|long|big) for (?:this |the )?(?:requested |model's )?(?:model|context)",
    r"too many (?:input |prompt )?tokens",
    rf"maximum (?:{_HOLD}|model|allowed(?: input)?) length|max(?:imum)? length of the (?:model|prompt)",
    rf"exceed(?:s|ed)?\b[^.\n]{{0,40}} {_HOLD}[ _]{_SIZE}|exceeds? max(?:imum)? length|{_HOLD} {_SIZE} exceeds",
    r"exceeds? (?:the )?max(?:imum)?(?: allowed)?(?: number of)?(?: \w{1,12}){0,2} tokens|exceeded model token limit",
    r"tokens?\b[^.\n]{0,60}\bexceeds? (?:the )?(?:configured |maximum |model )?(?:limit|number|length|max)",
    r"max_(?:input|prompt|context|total)_?(?:tokens|length)|max_model_len|must have less than [\d,]+ tokens",
    r"tokens?\)? is over the|expected maxlength: \d+, actual|context shift is disabled",
    r"more than (?:the )?max(?:imum)? tokens|input tokens exceeded|longer than the model",
    r"(?:inputs|prompt)\W{1,3}(?:tokens )?[^.\n]{0,40}must be <=|(?:tokens?|prompt)\b[^.\n]{0,60}\d >=? ?\d",
    r"reduce the length of (?:the (?:messages|input|prompt)|either one)|range of input length",
    rf"{_HOLD} {_SIZE} of only \d|context {_SIZE} is (?:only )?\d|context the overflows",
    r"greater than the context length|extra usage is required for long context",
    r"超过[^。]{0,10}最大[^。]{0,4}(?:长度|上下文)|上下文(?:长度|过长|太长)",
    r"(?:对话|输入|提示词?)(?:内容)?(?:过长|太长)|输入长度超|超出[^。]{0,6}上下文",
)
PAYLOAD = (
    r"request[ _](?:entity |body )?(?:is )?too[ _]large|(?:payload|content|body)[ _]too[ _]large",
    r"message larger than max|(?:exceeds|larger than) the maximum (?:allowed )?(?:request )?size|payload size exceeds",
    r"dimensions exceed|media_budget|too much media",
    r"image (?:exceeds|is too large)|\d ?mb (?:limit|maximum)|body limit exceeded",
)
KNOWN = (
    r"model[ _](?:is )?not[ _]found|does not exist|api[ _-]?key|authenticat|unauthorized|permission|not supported",
    r"un(?:supported|known|recognized) (?:parameter|request argument|field)|not permitted|invalid (?:type|value|json)",
    r"missing required parameter|field required|unknown name",
)
"""Explains a refusal that has nothing to do with a size."""


@functools.cache
def words(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Give one pattern for a list of them; compiled when it is first asked for."""
    return re.compile("|".join(patterns))
