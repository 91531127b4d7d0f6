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
