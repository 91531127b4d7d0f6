"The laws of the spine, on random and hostile input"
import copy, json, os
from hypothesis import assume, given, settings, strategies as st
from lmcsurgery.all import *
from strategies import arguments, conversations, ids, json_values, lmc_texts, names, replies, texts

law = settings(max_examples=int(os.environ.get('EXAMPLES', 150)), deadline=None)
def canon(val): return json.dumps(val, sort_keys=True)
def chat_value(msgs): return [(m.role, [(str(p.type), repr(p.text), repr(p.data)) for p in m.content]) for m in msgs]

@law
@given(replies | st.text())
def test_reading_is_a_fixed_point(s):
    once = fmt2hist(s)
    assert chat_value(fmt2hist(hist2fmt(once)))==chat_value(once)

@law
@given(replies | st.text())
def test_a_kept_reply_comes_back_to_the_byte(s): assert dlg2reply(reply2dlg(s, keep=True))==s

@law
@given(replies)
def test_a_canonical_reply_comes_back(s):
    canonical = dlg2reply(reply2dlg(s, strict=False))
    assert dlg2reply(reply2dlg(canonical, strict=False))==canonical

@law
@given(st.lists(st.tuples(names, arguments, json_values), min_size=1, max_size=3), st.sampled_from(['details','fence']))
def test_arguments_and_results_survive(calls, form):
    reply = '\n\n'.join(tool_block(n, a, r, f'call_{i}', form=form) for i,(n,a,r) in enumerate(calls))
    sub = reply2dlg(reply, strict=False)
    assert [(m.tool_call['name'], canon(m.tool_call['arguments'])) for m in sub]==[(n, canon(a)) for n,a,_ in calls]
    assert dlg2reply(sub)==reply

@law
@given(st.lists(st.tuples(names, arguments, json_values), min_size=1, max_size=4), st.data())
def test_one_edit_changes_one_argument(calls, data):
    blocks = [tool_block(n, a, r, f'call_{i}') for i,(n,a,r) in enumerate(calls)]
    i = data.draw(st.integers(0, len(calls)-1))
    arg,val = data.draw(st.sampled_from(['x', *calls[i][1]])), data.draw(json_values)
    sub = reply2dlg('Intro\n\n'+'\n\nThen:\n\n'.join(blocks), strict=False)
    sub.messages[1+2*i].set_args({arg:val})
    blocks[i] = tool_block(calls[i][0], calls[i][1]|{arg:val}, calls[i][2], f'call_{i}')
    assert dlg2reply(sub)=='Intro\n\n'+'\n\nThen:\n\n'.join(blocks)

@law
@given(conversations)
def test_a_conversation_comes_back(ms):
    before = canon(ms)
    dlg = lmc2dlg(ms)
    assert canon(dlg2lmc(dlg))==before==canon(ms)
    assert canon(lmc2dlg(ms).todict())==canon(dlg.todict())
    assert canon(dlg2lmc(Dialog.from_dict(json.loads(canon(dlg.todict())))))==before # also after storage

@law
@given(conversations, st.data())
def test_one_edit_changes_one_lmc_message(ms, data):
    dlg = lmc2dlg(ms)
    runs = [(m, i) for m in dlg if m.ai_res for i,s in enumerate(reply2dlg(m, keep=True)) if s.tool_call and s.tool_call['name']=='execute']
    assume(runs)
    prompt,i = data.draw(st.sampled_from(runs))
    sub = reply2dlg(prompt, keep=True)
    old = sub[i].tool_call['arguments']['code']
    sub[i].set_args(code=old+'#')
    prompt.output = dlg2reply(sub)
    after = dlg2lmc(dlg)
    assert len(after)==len(ms)
    changed = [(a,b) for a,b in zip(ms, after) if canon(a)!=canon(b)]
    assert len(changed)==1 and changed[0][0]|{'content':old+'#'}==changed[0][1]

@law
@given(conversations)
def test_each_call_is_followed_by_its_result(ms):
    assume(any(m.get('role')!='system' and m.get('recipient')!='user' for m in ms)) # else there is nothing for a model
    chat = lmc2chat(ms)
    for turn,after in zip(chat, [*chat[1:], None]):
        calls = [p.data['id'] for p in turn.content if p.type=='tool_use']
        if turn.role=='tool': assert len(turn.content)==1
        assert len(calls)<=1 or after is None or after.role!='tool' # calls without results may stand together
        if after and after.role=='tool': assert calls[-1:]==[after.content[0].data['id']]

messages = st.builds(lambda kind, content, out, skip, rec: Message(content, msg_type=kind, output=out if kind=='prompt' else [mk_code_output(out)] if kind=='code' else '',
    meta=({'skipped':True} if skip else {})|({'rec_kind':'x'} if rec and kind=='raw' else {})), st.sampled_from(smsg_types), lmc_texts, replies, st.booleans(), st.booleans())

@law
@given(st.lists(messages, max_size=5), replies)
def test_converters_are_pure_and_repeatable(ms, reply):
    dlg = Dialog('d', [*ms, Message('q', msg_type='prompt', output=reply)])
    before = canon(dlg.todict())
    runs = [dlg2hist, lambda d: chat_value(dlg2chat(d, rename=True)), dlg2lmc, view_dlg, summary_dlg, lambda d: [dlg2reply(reply2dlg(m, keep=True)) for m in d if m.msg_type=='prompt'], lambda d: repr(d.check())]
    for f in runs: assert f(dlg)==f(dlg)
    assert canon(dlg.todict())==before
    chat = dlg2chat(dlg, rename=True)
    kept = copy.deepcopy(list(chat))
    assert canon([m.content for m in chat2dlg(chat)])==canon([m.content for m in chat2dlg(chat)])
    hist2fmt([m for m in chat if m.role in ('assistant','tool')]); mk_msgs(list(chat), cache=True); conv_tools(reply); check_reply(reply)
    assert chat_value(chat)==chat_value(kept)

turns = st.lists(st.one_of(
    st.builds(lambda ps: Msg('assistant', ps), st.lists(st.builds(lambda t: Part('text', t), lmc_texts) | st.builds(lambda i,n,a: Part('tool_use', None, dict(id=i, name=n, arguments=a)), ids, names, arguments), min_size=1, max_size=3)),
    st.builds(lambda ps: Msg('tool', ps), st.lists(st.builds(lambda i,n,t: Part('tool_result', t, dict(id=i, name=n)), ids, names, lmc_texts), min_size=1, max_size=3))), max_size=5)

@law
@given(turns)
def test_writing_any_turns_loses_no_call_and_invents_none(msgs):
    back = fmt2hist(hist2fmt(msgs))
    def calls(ms, kind): return sorted(repr(p.data['id']) for m in ms for p in m.content if p.type==kind)
    orphans = len(calls(back, 'tool_use'))-len(calls(msgs, 'tool_use'))
    assert calls(msgs, 'tool_result')==calls(back, 'tool_result') and 0<=orphans<=len(calls(msgs, 'tool_result'))
    assert chat_value(fmt2hist(hist2fmt(back)))==chat_value(back)
