/** Chat and notes of a match. */

import { Problem, api } from '../api.js';
import { fill, h } from '../dom.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { me } from '../session.js';
import { onEvent } from '../stream.js';
import { problemBox } from '../ui.js';

/** The chat of a match, in the viewer's room. @param {Schema<'Match'>} view @param {AbortSignal} signal */
export function chat(view, signal) {
  /** @type {string} */
  const room = view.viewer.seat === null ? 'spectators' : 'players';
  const path = /** @type {const} */ (`/v1/matches/${view.id}/chat/${room}`);
  const list = h('ol', { class: 'messages', 'aria-label': t('chat') });
  const box = h('div');
  const load = async () => {
    try {
      const page = await api.get(path, { limit: 50 }, signal);
      fill(list, page.items.reverse().map(message));
      list.scrollTop = list.scrollHeight;
    } catch (failure) {
      if (!signal.aborted)
        fill(list, h('li', { class: 'muted' }, failure instanceof Problem ? failure.message : t('not-reached')));
    }
  };
  const input = h('input', {
    name: 'text',
    maxlength: 500,
    required: true,
    autocomplete: 'off',
    'aria-label': t('message'),
  });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await api.post(path, { text: input.value });
      input.value = '';
      fill(box);
      await load();
    } catch (failure) {
      fill(box, problemBox(failure));
    }
  };
  onEvent((event) => {
    if (event.type === 'chat' && event.match_id === view.id) void load();
  }, signal);
  void load();
  const form = h('form', { class: 'line', on: { submit } }, input, h('button', { type: 'submit' }, t('say')));
  return h('div', {}, list, box, me() && !me()?.guest ? form : null);
}

/** @param {Schema<'ChatMessage'>} message */
function message({ author, text, at }) {
  return h(
    'li',
    {},
    h('b', {}, author?.username ?? t('nobody')),
    ' ',
    h('span', { title: moment(at) }, text ?? t('message-deleted')),
  );
}

/** The viewer's notes on a match. @param {string} id @param {AbortSignal} signal */
export function notes(id, signal) {
  const path = /** @type {const} */ (`/v1/matches/${id}/notes`);
  const area = h('textarea', { rows: 4, maxlength: 10_000, 'aria-label': t('notes') });
  const said = h('p', { class: 'muted', role: 'status' });
  /** @type {Schema<'MatchNotes'> | null} */
  let kept = null;
  const load = async () => {
    kept = await api.get(path, {}, signal).catch(() => null);
    if (kept) area.value = kept.text;
  };
  const save = async () => {
    try {
      const marks = kept?.marks ?? [];
      kept = await api.put(path, { revision: kept?.revision ?? 0, text: area.value, marks });
      said.textContent = t('saved');
    } catch (failure) {
      said.textContent = failure instanceof Error ? failure.message : t('not-reached');
    }
  };
  const sheet = h('div', {}, area, h('button', { type: 'button', on: { click: save } }, t('save')), said);
  sheet.addEventListener('shown', () => void load(), { once: true });
  return sheet;
}
