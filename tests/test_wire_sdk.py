"The vendors' own SDKs as a second opinion: their request types judge our payloads, and their clients send them"
import json, threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
import pytest
openai,anthropic,genai,pydantic = (pytest.importorskip(m) for m in ('openai', 'anthropic', 'google.genai', 'pydantic'))
from hypothesis import HealthCheck, given, settings
from lmcsurgery.chat import Msg, Part
from lmcsurgery.openai_wire import openai2chat
from lmcsurgery.wire import WireError, providers
from lmcsurgery.wire_check import check_payload
from lmcsurgery.wire_dlg import chat2wire, dlg2wire, wire2chat, wire2dlg
from strategies import hostile_hists

cases = {c['name']:c['messages'] for c in json.loads((Path(__file__).parent/'data'/'cases'/'histories.json').read_text()) if c['name'] not in ('system only', 'empty history')}

def adapters():
    from anthropic.types import MessageParam, TextBlockParam, ToolParam
    from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionMessageParam
    from openai.types.responses import FunctionToolParam, ResponseInputItemParam
    return {k:pydantic.TypeAdapter(t, config=pydantic.ConfigDict(extra='forbid')) for k,t in dict(openai=list[ChatCompletionMessageParam], responses=list[ResponseInputItemParam], anthropic=list[MessageParam], system=str|list[TextBlockParam],
        openai_tools=list[ChatCompletionFunctionToolParam], responses_tools=list[FunctionToolParam], anthropic_tools=list[ToolParam]).items()}
types = adapters()

def force(val):
    "Walk through everything: pydantic looks into an `Iterable` only when it is read"
    if isinstance(val, dict):
        for v in val.values(): force(v)
    elif isinstance(val, Iterable) and not isinstance(val, (str,bytes)):
        for v in val: force(v)

def judge(w):
    "Raises if the SDK's types refuse a payload"
    p = w.provider
    if p=='gemini':
        for c in w.contents: genai.types.Content.model_validate(c)
        genai.types.GenerateContentConfig.model_validate(w.payload.get('config') or {})
        return
    turns = [{k:v for k,v in m.items() if k!='name'} if m.get('role')=='tool' else m for m in w.turns] if p=='openai' else w.turns # OpenAI takes a tool's name, though its types do not list it
    if not isinstance(turns, str): force(types[p].validate_python(turns))
    if p=='anthropic' and w.system: force(types['system'].validate_python(w.system))
    if 'tools' in w.payload: force(types[f'{p}_tools'].validate_python(w.payload['tools']))

def weather(
    city:str, # Where
    days:int=1, # How many
): "The weather"

def test_the_judge_judges():
    "The types do refuse what is wrong"
    for p,turns in dict(openai=[dict(role='tool', content='x')], responses=[dict(type='function_call', name='f')], anthropic=[dict(role='user', content=[dict(type='image', source=dict(type='base64', media_type='image/svg+xml', data=''))])]).items():
        with pytest.raises(pydantic.ValidationError): force(types[p].validate_python(turns))

@pytest.mark.parametrize('provider', providers)
@pytest.mark.parametrize('name', cases)
def test_types_of_cases(name, provider): judge(chat2wire(openai2chat(cases[name]), provider, system='Be brief.', tools=[weather]))

rich = {p:json.loads((Path(__file__).parent/'data'/'wire'/f'{p}.json').read_text(encoding='utf-8')) for p in providers}
unlisted = {('openai','tools'), ('openai','citations'), ('responses','mcp'), ('responses','roles')} # `annotations` come with each message of the SDK, and text of an assistant needs no id; the types do not say so

@pytest.mark.parametrize('provider,name', [(p, n) for p in providers for n in rich[p] if (p, n) not in unlisted])
def test_types_of_rich(provider, name):
    "The payloads that our tests take for accepted are so by the vendors' types"
    payload = rich[provider][name]
    if provider=='gemini':
        body = payload if isinstance(payload['contents'], list) else payload|{'contents':[]}
        for c in body['contents']: genai.types.Content.model_validate(c)
        genai.types.GenerateContentConfig.model_validate(payload.get('config') or {})
        return
    turns = payload['input' if provider=='responses' else 'messages']
    if isinstance(turns, str): return
    kind = types[provider]
    if name=='compaction':
        from anthropic.types.beta import BetaMessageParam
        kind = pydantic.TypeAdapter(list[BetaMessageParam], config=pydantic.ConfigDict(extra='forbid'))
    force(kind.validate_python(turns))

@pytest.mark.parametrize('provider', providers)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(hostile_hists)
def test_types_of_hostile(provider, hist):
    try: judge(chat2wire(hist, provider))
    except WireError: pass

answers = {
    '/chat/completions': dict(id='c', object='chat.completion', created=1, model='m', choices=[dict(index=0, finish_reason='tool_calls', logprobs=None, message=dict(role='assistant', content='I look.', refusal=None, tool_calls=[dict(id='n1', type='function', function=dict(name='weather', arguments='{"city":"Rome"}'))]))]),
    '/responses': dict(id='r', object='response', created_at=1, model='m', parallel_tool_calls=True, tool_choice='auto', tools=[], status='completed', output=[dict(type='reasoning', id='rs_1', summary=[dict(type='summary_text', text='hm')], encrypted_content='E'),
        dict(type='message', id='msg_1', role='assistant', status='completed', content=[dict(type='output_text', text='I look.', annotations=[dict(type='url_citation', url='https://x.org', title='x', start_index=0, end_index=1)])]), dict(type='function_call', id='fc_1', call_id='n1', name='weather', arguments='{"city":"Rome"}', status='completed')]),
    '/messages': dict(id='m', type='message', role='assistant', model='m', stop_reason='tool_use', stop_sequence=None, usage=dict(input_tokens=1, output_tokens=1), content=[dict(type='thinking', thinking='hm', signature='SIG'), dict(type='text', text='I look.', citations=None), dict(type='tool_use', id='n1', name='weather', input=dict(city='Rome'))]),
    ':generateContent': dict(candidates=[dict(content=dict(role='model', parts=[dict(text='I look.'), dict(functionCall=dict(id='n1', name='weather', args=dict(city='Rome')), thoughtSignature='U0lH')]), finishReason='STOP')])}

def answer(path): return next(v for k,v in answers.items() if path.partition('?')[0].endswith(k))

class Server(BaseHTTPRequestHandler):
    "Lints each request, and answers what is canned for its path"
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers['content-length'])))
        self.server.seen.append((self.path, body))
        data = json.dumps(answer(self.path)).encode()
        self.send_response(200)
        for k,v in (('content-type', 'application/json'), ('content-length', str(len(data)))): self.send_header(k, v)
        self.end_headers()
        self.wfile.write(data)
    def log_message(self, *args): pass

@pytest.fixture(scope='module')
def server():
    s = ThreadingHTTPServer(('127.0.0.1', 0), Server)
    s.seen = []
    threading.Thread(target=s.serve_forever, daemon=True).start()
    yield s
    s.shutdown(); s.server_close()

def ask(provider, payload, port):
    "What the vendor's client returns"
    url = f'http://127.0.0.1:{port}'
    if provider in ('openai','responses'):
        client = openai.OpenAI(api_key='k', base_url=f'{url}/v1', max_retries=0)
        return (client.chat.completions if provider=='openai' else client.responses).create(model='m', **payload)
    if provider=='anthropic': return anthropic.Anthropic(api_key='k', base_url=url, max_retries=0).messages.create(model='m', max_tokens=9, **payload)
    client = genai.Client(api_key='k', http_options={'base_url':url}) # a client that is let go of closes its connection
    return client.models.generate_content(model='m', **payload)

@pytest.mark.parametrize('provider', providers)
@pytest.mark.parametrize('name', ['parallel results', 'bad id chars', 'tool result img list', 'thinking+call', 'system mid', 'unicode args', 'img svg'])
def test_real_client(name, provider, server):
    hist = openai2chat(cases[name])
    w = chat2wire(hist, provider, system='Be brief.', tools=[weather])
    resp = ask(provider, w.payload, server.server_port)
    path,body = server.seen[-1]
    assert check_payload(body, provider)==[]
    for other in providers: assert chat2wire(wire2chat(body, provider), other).payload==chat2wire(wire2chat(w.payload, provider), other).payload or other==provider # in the client's own spelling
    reply = wire2chat(resp, provider)
    assert reply==wire2chat(answer(path), provider)
    [use] = [p for m in reply for p in m.content if p.type=='tool_use']
    assert (use.data['id'], use.data['name'], use.data['arguments'])==('n1', 'weather', {'city':'Rome'}) and any(p.text=='I look.' for m in reply for p in m.content)
    # the answer goes back with the result of its call, through a dialog, and its reasoning with it
    turns = [*wire2chat(w.payload, provider), *reply, Msg('tool', [Part('tool_result', 'sunny', dict(id='n1', name='weather'))])]
    again = chat2wire(dlg2wire(wire2dlg(turns)), provider, tools=[weather])
    judge(again)
    ask(provider, again.payload, server.server_port)
    sent = json.dumps(server.seen[-1][1])
    assert check_payload(server.seen[-1][1], provider)==[]
    assert {'openai':'sunny', 'responses':'"encrypted_content": "E"', 'anthropic':'"signature": "SIG"', 'gemini':'"thoughtSignature": "U0lH"'}[provider] in sent
    for other in providers: assert check_payload(chat2wire(turns, other).payload, other)==[]

@pytest.mark.parametrize('provider', providers)
def test_objects_are_read(provider, server):
    "A response object may stand in a history among dicts"
    resp = ask(provider, chat2wire([Msg('user', 'hi')], provider).payload, server.server_port)
    if provider=='openai': hist = [dict(role='user', content='hi'), resp.choices[0].message]
    elif provider=='responses': hist = [dict(role='user', content='hi'), *resp.output]
    elif provider=='anthropic': hist = [dict(role='user', content='hi'), dict(role='assistant', content=resp.content)]
    else: hist = [dict(role='user', parts=[dict(text='hi')]), resp.candidates[0].content]
    msgs = wire2chat(hist, provider)
    assert [p.data['name'] for m in msgs for p in m.content if p.type=='tool_use']==['weather']
    judge(chat2wire(msgs, provider))
