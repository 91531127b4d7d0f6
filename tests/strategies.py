"Values that careless code gets wrong, for hypothesis"
import json
from hypothesis import strategies as st
from lmcsurgery.chat import think_end, think_start, token_dtls_tag, tool_block, tool_dtls_tag, usage_block

names = st.sampled_from(['f', 'execute', 'tools.read', 'foo-bar', 'class', 'ﬁ', 'a b', '', 'naïve', 'x'*70, '<b>', 'a.b-c'])
ids = st.sampled_from(['a', 'b', 'x1', 'call_1', '', 7, None, 'é'])
texts = st.text(max_size=12) | st.sampled_from(['```', 'a\n```\nb', '"', "'", '\\', '\x1b[31m', ' \n', 'a\n', think_start, think_end, '</details>', '`````', '𝍁a𝍁', '🙂', '\r\n', '\u2028'])
json_values = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda kids: st.lists(kids, max_size=3) | st.dictionaries(texts, kids, max_size=3), max_leaves=8)
arguments = st.dictionaries(st.sampled_from(['a', 'b', 'class', 'ﬁ', '', 'a-b', 'self', 'print', 'é', 'True']) | texts, json_values, max_size=3)

@st.composite
def blocks(draw, form=None):
    "A tool block, good and canonical"
    form = form or draw(st.sampled_from(['details','fence']))
    kw = dict(result=draw(json_values)) if draw(st.booleans()) else {}
    extra = draw(st.sampled_from([None, {'lmc':[1]}]))
    return tool_block(draw(names), draw(arguments), id=draw(ids), server=draw(st.booleans()), form=form, extra=extra, **kw)

@st.composite
def broken(draw):
    "A piece of a block"
    block = draw(blocks())
    i,j = sorted(draw(st.tuples(st.integers(0,len(block)), st.integers(0,len(block)))))
    return draw(st.sampled_from([block[:i], block[i:j], block[j:], block[:i]+block[j:], block.replace('\n','\r\n')]))

scraps = st.sampled_from([think_start, think_end, f'{think_start}x{think_end}', f'{think_start}\nx\n{think_end}\n', tool_dtls_tag, token_dtls_tag, '</details>', '<summary>', '</summary>',
    '```', '````', '`````', '```json', '```json {.tool}', '```json {.usage}', '`````result', '`````result\n2\n`````', '~~~', '~~~~', '- ⏳ x ⏳', '- ⏳ x', '\n', '\n\n', ' ', '  ', '    ', '\r\n', '\t', '.',
    usage_block('$1','x'), usage_block('$1','x','fence'), '{"id":', '\x0c', '\u2028', '\x85', 'a', 'prose', '* item', '*[Response interrupted]*', '<output result="pending" reason="incomplete"/>'])
replies = st.lists(scraps | blocks() | broken() | texts, max_size=9).map(''.join) | st.lists(scraps | blocks(), max_size=6).map('\n'.join)

lmc_texts = texts | replies
lmc_keys = dict(role=st.sampled_from(['user','assistant','computer','server','system']), type=st.sampled_from(['message','code','console','image','file','audio','plot']),
    format=st.sampled_from(['python','shell','html','output','active_line','base64.png','base64','base64.jpg','path','description','c++']), recipient=st.sampled_from(['user','assistant']))
png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

@st.composite
def lmc_messages(draw):
    "One LMC message: often of a usual kind, sometimes of none"
    usual = [dict(role='user', type='message'), dict(role='assistant', type='message'), dict(role='assistant', type='code', format='python'), dict(role='computer', type='console', format='output'),
        dict(role='computer', type='code', format='html'), dict(role='user', type='image', format='base64.png'), dict(role='computer', type='image', format='base64.jpeg')]
    m = dict(draw(st.sampled_from(usual)))
    if draw(st.integers(0,3))==0: m = {k:draw(s) for k,s in lmc_keys.items() if draw(st.booleans())}
    content = st.sampled_from([png, png, 'junk', '']) if m.get('type')=='image' else lmc_texts
    if draw(st.integers(0,9))==0: content = json_values
    if draw(st.integers(0,19)): m['content'] = draw(content)
    if draw(st.integers(0,6))==0: m['recipient'] = draw(st.sampled_from(['user','assistant']))
    if draw(st.integers(0,9))==0: m['id'] = draw(json_values)
    return m
conversations = st.lists(lmc_messages(), max_size=8)
# histories for the wire: every part in every role, with ids, names, arguments and texts as hostile as they come.
# Parts are drawn from pools, which is much quicker than to build each one.
from itertools import product
from lmcsurgery.chat import Msg, Part
png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
wire_texts = ['word', '', ' ', '\n', 'end ', '\ud800', '\ud83d\ude00', 'a\udfffb', '<system>', '.', None, 5, '\x00', 'é\u2028']
wire_ids = ['a', 'b', 'c', 'ab', 'call_1', 'functions.f:0', '', 'é', 'x'*41, 'x'*65, '\ud800', 'a_2', None, 7, ('a',)]
wire_names = ['f', 'g', 'fs.read', 'fs_read', '', '7', 'x'*200, 'é', '\udfff', None, 5]
wire_args = [{}, {'a':1}, {'a':[1.5, None, {'b':'\ud800'}]}, {1:2, '1':3}, {'n':float('inf')}, {'s':{1}}, {'big':10**4000}, [1], None, 5, '{}', '{"a":1}', '{"a": 1', '{"a":1}{"b":2}', '{"a":1} {"b":2}{"c":3}', '[1,2]', 'ls -l', '{"a":NaN}',
    '{"a":"\\ud800"}', '"{\\"a\\": 1}"', '{"a":'*300, 'null', '{"a":1}]', '{"a', '\ud800', '']
media_urls = [f'data:image/png;base64,{png}', f'data:image/jpg;base64,{png}', 'data:image/svg+xml;base64,PHN2Zy8+', 'data:audio/wav;base64,UklGRjAwMDBXQVZF', 'data:video/mp4;base64,AAAAGGZ0eXBpc29t', 'data:application/pdf;base64,JVBERi0xLjc=',
    'data:text/plain;base64,aGk=', 'data:text/plain;base64,ICA=', 'data:text/csv;base64,YSxi', 'data:image/png;base64,!!', 'data:,x', 'data:image/png;base64,', 'https://x.org/a.png', 'https://x.org/\ud800', '', 'gs://b/c', 'nonsense', None, 5]
beside = [None, {'raw':{'anthropic':{'type':'container_upload', 'file_id':'f'}}}, {'raw':{'responses':{'type':'web_search_call', 'id':'ws', 'status':'completed', 'action':{'type':'search', 'query':'q'}}}}, {'raw':{'gemini':{'toolCall':{'id':'t', 'toolType':'GOOGLE_SEARCH_WEB'}}}}, {'raw':5}, {'cache_control':{'type':'ephemeral'}},
    {'cache_control':5}, {'turn':{'openai':{'list':True}}}, {'turn':{'anthropic':{}}},
    {'raw':{'anthropic':{'type':'text', 'text':' '}, 'openai':{'type':'image_url', 'image_url':{'url':'data:image/svg+xml;base64,PHN2Zy8+'}}, 'responses':{}, 'gemini':{'fileData':{}}}}, # blocks that their own vendor would refuse
    {'raw':{'anthropic':{'type':'image', 'source':[5]}, 'openai':{'type':'audio'}, 'responses':{'type':'input_text', 'text':''}, 'gemini':{'text':'x', 'inlineData':{}}}},
    {'raw':{'anthropic':{'type':{}}, 'openai':{'type':[]}, 'responses':{'type':5}, 'gemini':{'functionResponse':5}}}, {'turn':{'gemini':{'bare':True}}}]
text_pool = [Part(t, x) for t,x in product(['text','refusal'], wire_texts)] + [Part('text', x, d) for x,d in product(['', 'word', '\ud800'], beside) if not (d and 'raw' in d and x)]
think_pool = [Part('thinking', x, d) for x,d in product(['hm', '', '\ud800', None], [None, {'signature':'S'}, {'redacted':'D'}, {'thought':True}, {'signature':5}, {'raw':{'responses':{'type':'reasoning', 'id':'rs', 'summary':[]}}}])]
media_pool = [Part(t, u, d) for t,u,d in product(['input_image','input_audio','input_video','input_file'], media_urls, [None, {'mime':'image/png'}, {'filename':'a.txt'}, {'file_id':'f1'}])]
server_call,server_result = {'server':True, 'raw':{'anthropic':{'type':'server_tool_use', 'id':'s', 'name':'web_search', 'input':{}}}},{'raw':{'anthropic':{'type':'web_search_tool_result', 'tool_use_id':'s', 'content':[]}}}
call_pool = [Part('tool_use', None, dict(id=i, name=n, arguments=a)) for i,n,a in product(wire_ids, wire_names, wire_args)] + [Part('tool_use', None, dict(id=i, name='web_search', arguments={})|d) for i,d in product(['s','a'], [{'server':True}, server_call, {'thought_signature':'S'}, {'cache_control':{}}])]
result_pool = [Part('tool_result', x, dict(id=i, name=n)) for x,i,n in product([*wire_texts, [], {'a':1}], wire_ids, wire_names)] + [Part(t, x, dict(id=i, name='f')|d) for t,x,i,d in product(['tool_result','server_tool_result'],
    ['R', [Part('text','R')], [media_pool[0], media_pool[8], 'bare'], [Part('text',''), Part('thinking','hm'), Part('tool_use', None, {})]], ['a','s'], [{}, {'is_error':True}, {'value':{'a':1}}, {'server':True}, {'is_error':'yes'}, {'value':float('nan')}, {'cache_control':{'type':'ephemeral'}}, server_result])]
odd_pool = [Part('magic', 'x'), Part('magic', None), Part('text', ['a']), Part('text', 'x', 'no dict'), Part('tool_use', None, None), Part('tool_result', None, None), Part(None, 'x'), Part(['text'], 'x'), 'bare', b'bytes', {'type':'text', 'text':'dict', 'data':None}, {'odd':1}, 5, None]
any_parts = st.one_of(*map(st.sampled_from, (text_pool, think_pool, media_pool, call_pool, result_pool, odd_pool)))
wire_roles = st.sampled_from(['user','assistant','tool','system','user','assistant','tool','developer','function','model','ghost','', None, 5])
hostile_msgs = st.builds(Msg, wire_roles, st.lists(any_parts, max_size=4)) | st.sampled_from(['bare', {'role':'user', 'content':'dict'}, None, Msg('user', 'text'), Msg('assistant', None), Msg('user', ['a', None])])
near_msgs = st.sampled_from([Msg('assistant', [p]) for p in call_pool[::3]]) | st.sampled_from([Msg('tool', [p]) for p in result_pool[::3]]) | st.sampled_from([Msg(r, [p]) for r in ('user','assistant','system') for p in text_pool])
hostile_hists = st.lists(hostile_msgs | near_msgs, max_size=7)
