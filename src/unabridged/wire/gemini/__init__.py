"""Gemini's contents, as `generateContent` takes them: https://ai.google.dev/api/generate-content.

A message is one content. Its members may be written in camelCase or snake_case; they stay as they are, and what is
written anew is camelCase. Requests are read as the REST interface has them (`systemInstruction`, `generationConfig`
beside `contents`) and as the SDK does (`config`).

A part of a content is a part of ours, but for signatures: a part that carries a `thoughtSignature` beside its data is
two of ours, the `Reasoning` that the signature stands for and the data. So signed thoughts have their price, and leave
where arguments are cut. What is left of a call then carries the value that the provider has for calls whose signature
is not to be had (`skip_thought_signature_validator`), and so do calls that another provider's model made: Gemini 3
refuses a call without any.

Calls and results need no ids. Where they have none the name of the function stands for it, here as in `message`.

What a function gave back is an object. Its text is the member `output`, or `error`, or the one member that it has if
that is a string; anything else is text as a whole, in JSON. Several texts, as when a picture gave way to a marker, are
`{"output": "...", "context": ["..."]}`.
"""
