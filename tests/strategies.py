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
