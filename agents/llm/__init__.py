"""Language models as agents: ``llm:model=NAME,url=http://localhost:8000/v1``, for any OpenAI-compatible endpoint.

`player` asks for a decision, `endpoint` sends requests, `ledger` keeps answers, counts and the budget in a file.
``python -m agents.llm FILE`` prints the counts.
"""
