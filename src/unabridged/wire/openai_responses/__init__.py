"""OpenAI Responses, and what speaks it as Open Responses: https://platform.openai.com/docs/api-reference/responses.

A request is a list of items, and an answer of the model is several of them: reasoning, words, calls. **One message of
ours is one item of anybody else, and a group of items of the model's**: its reasoning with all that it wrote after it,
until somebody else's item comes or it starts to reason anew. So a reasoning item and the items that it must not be
parted from are one value, which is kept, cut and dropped as one:

    user         message                              a message
    assistant    reasoning, message, function_call    a message of three parts
    tool         function_call_output                 a message
    assistant    reasoning, message                   a message of two parts

The raw form of such a group is the JSON list of its items, each with every character that it had. `write_messages`
gives the items one by one again. When reasoning is taken out of a group, the ids of the items behind it leave with it:
the service knows by them that there was reasoning, and refuses them without ("was provided without its required
'reasoning' item"). An item without an id is taken as it is.

Items that we neither read nor edit (web search, file search, computer, code interpreter, MCP, compaction, references)
are `Opaque` parts.

`previous_response_id` and `conversation` are refused on reading: they stand for messages that only the provider has,
and what nobody shows us we cannot fit.
"""
