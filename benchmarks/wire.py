"""How long a history takes to the wire, ours beside others: `python benchmarks/wire.py [size ...]`

The history is an agent's: question, call, result, answer, over and over. Ours is measured with its repair, and to a payload that the linter
has passed; the others map the same turns from their own objects, made beforehand, and neither repair nor check. Best of several runs.
`python benchmarks/wire.py --venv DIR` makes an environment with the others (Python 3.12 or later) and runs there; without it, those that are not installed are left out."""
import asyncio, gc, json, subprocess, sys, time
from pathlib import Path
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
peers = 'fastcore python-fastllm langchain-core litellm pydantic-ai-slim openai anthropic google-genai'.split()

def history(n):
    "`n` messages in OpenAI's form"
    for i in range(n//4):
        yield dict(role='user', content=f'Question {i}: what is in /tmp/file{i}.txt?')
        yield dict(role='assistant', content=None, tool_calls=[dict(id=f'call_{i:06d}', type='function', function=dict(name='read_file', arguments='{"path":"/tmp/file%d.txt","limit":100}'%i))])
        yield dict(role='tool', tool_call_id=f'call_{i:06d}', content=f'line {i}\n'*5)
        yield dict(role='assistant', content=f'The file holds five lines, and each of them says line {i}.')

def best(f, runs=7):
    "Shortest time of several, in milliseconds"
    res = []
    for _ in range(runs):
        gc.collect()
        t = time.perf_counter()
        f()
        res.append(1000*(time.perf_counter()-t))
    return min(res)

def ours(msgs):
    from lmcsurgery.openai_wire import openai2chat
    from lmcsurgery.wire import providers, repair
    from lmcsurgery.wire_check import check_payload
    from lmcsurgery.wire_dlg import chat2wire
    hist = openai2chat(msgs)
    broken = [m for i,m in enumerate(hist) if i%8!=2] # every other result is missing
    for p in providers:
        def run():
            w = chat2wire(openai2chat(msgs), p)
            assert check_payload(w.payload, p)==[]
        yield f'dicts -> {p}, repaired and checked',run
    for p in providers: yield f'canonical -> {p}, repaired',lambda: chat2wire(hist, p)
    yield 'canonical -> openai, half of the results missing',lambda: chat2wire(broken, 'openai')
    yield 'check_payload, openai',lambda: check_payload(msgs, 'openai')

def fastllm(msgs):
    from fastllm import anthropic, gemini, openai_chat, openai_responses
    from fastllm.types import Msg, Text, ToolUse
    from aidialog.msg_parts import ToolResult
    def conv(m):
        if m['role']=='tool': return Msg('tool', [ToolResult(text=m['content'], id=m['tool_call_id'], name='read_file', arguments={})])
        if m.get('tool_calls'): return Msg('assistant', [ToolUse(id=c['id'], name=c['function']['name'], arguments=json.loads(c['function']['arguments'])) for c in m['tool_calls']])
        return Msg(m['role'], [Text(m['content'])])
    hist = [conv(m) for m in msgs]
    for name,mod in dict(openai=openai_chat, responses=openai_responses, anthropic=anthropic, gemini=gemini).items(): yield f'fastllm denorm_msgs, {name}',lambda: mod.denorm_msgs(hist)

def langchain(msgs):
    from langchain_core.messages import convert_to_messages, convert_to_openai_messages
    hist = convert_to_messages(msgs)
    yield 'langchain-core convert_to_openai_messages, objects',lambda: convert_to_openai_messages(hist)
    yield 'langchain-core convert_to_openai_messages, dicts',lambda: convert_to_openai_messages(msgs)

def litellm(msgs):
    import copy
    from litellm.litellm_core_utils.prompt_templates.factory import anthropic_messages_pt
    yield 'litellm anthropic_messages_pt, dicts',lambda: anthropic_messages_pt([dict(m) for m in msgs], 'claude-sonnet-4-5', 'anthropic')

def pydantic_ai(msgs):
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    def conv(m):
        if m['role']=='user': return ModelRequest(parts=[UserPromptPart(content=m['content'])])
        if m['role']=='tool': return ModelRequest(parts=[ToolReturnPart(tool_name='read_file', content=m['content'], tool_call_id=m['tool_call_id'])])
        if m.get('tool_calls'): return ModelResponse(parts=[ToolCallPart(tool_name=c['function']['name'], args=c['function']['arguments'], tool_call_id=c['id']) for c in m['tool_calls']])
        return ModelResponse(parts=[TextPart(content=m['content'])])
    hist = [conv(m) for m in msgs]
    model = OpenAIChatModel('gpt-4o', provider=OpenAIProvider(api_key='k'))
    yield 'pydantic-ai mapping, openai',lambda: asyncio.run(model._map_messages(hist, ModelRequestParameters()))

def main(sizes):
    base,rows = {},{}
    for n in sizes:
        msgs = list(history(n))
        for make in (ours, fastllm, langchain, litellm, pydantic_ai):
            try:
                for name,f in make(msgs): rows.setdefault(name, {})[n] = best(f)
            except ImportError as e: print(f'{make.__name__}: left out ({e})', file=sys.stderr)
    first,last = sizes[0],sizes[-1]
    print(f"Python {sys.version.split()[0]}; milliseconds, best of 7\n\n| |"+''.join(f' {n} |' for n in sizes)+f" µs each | growth {first}→{last} (linear: {last/first:.1f}) | to ours |\n|---|"+'---|'*(len(sizes)+3))
    ref = next(iter(rows.values()))[last]
    for name,ms in rows.items(): print(f'| {name} |'+''.join(f' {ms[n]:.1f} |' for n in sizes)+f' {1000*ms[last]/last:.1f} | {ms[last]/ms[first]:.1f} | {ms[last]/ref:.2f} |')

if __name__=='__main__':
    args = sys.argv[1:]
    if args[:1]==['--venv']:
        py = Path(args[1])/'bin'/'python'
        if not py.exists():
            subprocess.run([sys.executable, '-m', 'venv', args[1]], check=True)
            subprocess.run([str(py), '-m', 'pip', 'install', '-q', *peers], check=True)
        sys.exit(subprocess.run([str(py), __file__, *args[2:]]).returncode)
    main([int(a) for a in args] or [2500, 5000, 10000])
