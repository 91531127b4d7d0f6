"The case files: reading their encoding, and one function of ours for each kind of case"
import base64, html, json, re
from pathlib import Path
from fastcore.foundation import L
from lmcsurgery.chat import *
from lmcsurgery.chat import _scan, _write_call, usage_block
from lmcsurgery.dialog import *
from lmcsurgery.hist import *
from lmcsurgery.message import *
from lmcsurgery.reply import *

data = Path(__file__).parent/'data'
special = {'$float': float, '$int': int, '$tuple': lambda v: tuple(map(decode, v)), '$set': lambda v: set(map(decode, v)), '$bytes': base64.b64decode,
    '$str': lambda v: eval(v, {}), '$url': lambda v: MediaUrl(*v), '$part': lambda v: part(v), '$msg': lambda v: msg(v), '$ellipsis': lambda v: ...}

def decode(val):
    "Python value of a case's JSON"
    if isinstance(val, list): return [decode(v) for v in val]
    if not isinstance(val, dict): return val
    if len(val)==1 and (k := next(iter(val))) in special: return special[k](val[k])
    return {k:decode(v) for k,v in val.items()}

def part(d): return Part(d['type'], decode(d.get('text')), decode(d.get('data')))
def msg(d): return Msg(d['role'], [part(p) for p in d['content']])
def message(d):
    d = decode(d)
    atts = [Attachment(a['data'], a['content_type'], a['id']) for a in d.pop('attachments', [])]
    d.setdefault('id', 'm1')
    skipped = d.pop('skipped', None)
    res = Message(attachments=atts, **d)
    if skipped: res.skipped = True
    return res
def messages(ds): return [message({'id':f'm{i+1}'}|d) for i,d in enumerate(ds)]
def plain(val):
    "Our values as the cases write them"
    if isinstance(val, Msg): return dict(role=val.role, content=[plain(p) for p in val.content])
    if isinstance(val, Part): return dict(type=str(val.type), text=plain(val.text), data=plain(val.data))
    if isinstance(val, (list,L)): return [plain(v) for v in val]
    if isinstance(val, dict): return {k:plain(v) for k,v in val.items()}
    return val
def sub(dlg): return [dict(msg_type=m.msg_type, content=m.content, output=m.output, meta=m.meta) for m in dlg]

def run(kind, stack, inp):
    "What ours makes of a case"
    later,form = stack.startswith('aidialog'),'fence' if stack.startswith('aidialog') else 'details'
    if kind=='hist2fmt': return hist2fmt([msg(m) for m in inp['msgs']], mx=inp.get('mx'), form=form, showthink=inp.get('showthink', False))
    if kind=='fmt2hist': return plain(fmt2hist(inp))
    if kind=='fmt_normal': return hist2fmt(fmt2hist(inp))
    if kind=='fmt_roundtrip': return plain(fmt2hist(hist2fmt([msg(m) for m in inp])))
    if kind=='reply2dlg': return sub(reply2dlg(inp))
    if kind=='dlg2reply': return dlg2reply(Dialog('d', messages(inp)))
    if kind=='reply_roundtrip': return dlg2reply(reply2dlg(inp, strict=False))
    if kind=='tool_call': return plain(Message(inp).tool_call)
    if kind=='conv_tools': return conv_tools(inp)
    if kind=='split_tools': return split_tools(inp)
    if kind in ('strip_tools','ai_fmt'): return strip_tools(inp if kind=='strip_tools' else inp['s'])
    if kind=='extract_fence_call': return extract_fence_call(inp)
    if kind=='mk_tr_details':
        p = part(inp['part'])
        if 'arguments' not in p.data: raise KeyError('arguments')
        return f"\n\n{_write_call(None, p, inp.get('mx'), form)}\n\n"
    if kind=='tr_summary': return re.search('<summary>(.*)</summary>', _write_call(None, part(inp), None, 'details'))[1]
    if kind=='summary_value': return summary_value(decode(inp))
    if kind=='trunc_str': return trunc_str(decode(inp['s']), **{k:v for k,v in inp.items() if k!='s'})
    if kind=='clean_cli_output': return screen_text(inp)
    if kind=='tool_text': return tool_text(decode(inp))
    if kind=='usage_fmt': return f'\n\n{mk_usage(**inp)}\n'
    if kind=='stream_format':
        items = [Part('thinking', i['thinking']) if 'thinking' in i else Part('text', i['text']) if 'type' not in i else part(i) for i in inp['items']]
        return ''.join(stream_fmt(items, **inp.get('kw', {})))
    if kind=='mk_msg': return plain(mk_msg(**decode(inp)))
    if kind=='mk_msgs': return plain(mk_msgs(**decode(inp)))
    if kind=='to_xml' and later: return msg2xml(message(inp['msg']), **inp.get('kw', {}))
    if kind=='to_xml': return message(inp).to_xml()
    if kind=='ai_output': return message(inp).ai_output
    if kind=='ai_res': return message(inp).ai_res
    if kind=='normalized_output': return message(inp).output
    if kind=='to_media': return message(inp['msg']).to_media(inp['aim_info'])
    if kind=='to_parts': return message(inp['msg']).to_parts(inp['aim_info'])
    if kind=='dlg2hist': return dlg2hist(messages(inp['msgs']), plain=not later or inp['kw'].get('plain', False))
    if kind=='dlg2chat': return plain(dlg2chat(messages(inp['msgs']), inp.get('aim_info')))
    if kind=='chat2dlg': return [dict(msg_type=m.msg_type, content=m.content, id=m.id if m.id=='abc' else '?', ai_res=m.ai_res) for m in chat2dlg([msg(m) for m in inp['msgs']], form=form)]
    if kind=='validate': return bool(Dialog('d', messages(inp)).validate())
    if kind=='preview' and later: return msg_row(message(inp['msg']), **{k:v for k,v in inp.items() if k!='msg'})
    if kind=='preview': return message(inp['msg']).preview()
    if kind=='header_info': return header_info(inp)
    if kind=='merge_content': return message(inp['msg']).merge_content(inp['mtype'])
    if kind=='local_time': return local_time(inp['time'], inp.get('tz'))
    if kind=='repr_markdown': return (msg if 'role' in inp else part)(inp)._repr_markdown_()
    if kind=='message_repr_markdown': return message(inp)._repr_markdown_()
    if kind=='view': return view_dlg(Dialog('d', messages(inp['msgs'])), **inp.get('kw', {}))
    if kind=='split':
        d = Dialog('d', [message(inp['msg'])])
        return [[m.content, m.meta] for m in d.split_msg(0, *inp['linenos'])]
    if kind=='move_msgs':
        d = Dialog('d', messages(inp['msgs']))
        try: d.move_msgs(inp['ids'], after=inp['after'])
        except (KeyError, LMCError) as e: return dict(error=type(e).__name__, left=[m.id for m in d])
    raise NotImplementedError(kind)
