/** One challenge, as seen through its link. */

import { api } from '../api.js';
import { fill, h } from '../dom.js';
import { differences } from '../editor/differences.js';
import { Draft } from '../editor/draft.js';
import { moment } from '../format.js';
import { t } from '../i18n/index.js';
import { reporting } from '../report.js';
import { go, share, visit } from '../router.js';
import { me } from '../session.js';
import { onEvent } from '../stream.js';
import { cardOf } from '../titles.js';
import { action, labelled, link, playerLink, termsText, nationChoice } from '../ui.js';
import { doors } from './sign-in.js';

/** @param {Schema<'Challenge'>} challenge @param {import('../titles.js').Card} card */
function accepting(challenge, card) {
  const taken = challenge.seats.map((seat) => seat.nation).filter(Boolean);
  const free = card.nation_titles.filter(({ nation }) => !taken.includes(nation));
  const choice = nationChoice(free);
  const accept = async () => {
    const body = { ...(choice.value && { nation: choice.value }) };
    const answer = await api.post(`/v1/challenges/${challenge.id}/accept`, body);
    if (answer.match_id) go(`/match/${answer.match_id}`, true);
    else visit();
  };
  return h(
    'div',
    {},
    card.nations.length > 0 && labelled(t('nation'), choice),
    action(t('accept'), accept, { class: 'primary large' }),
  );
}

/** The reader's possible actions. @param {Schema<'Challenge'>} challenge @param {import('../titles.js').Card} card */
function doing(challenge, card) {
  const name = me()?.username;
  if (challenge.match_id) return link(`/match/${challenge.match_id}`, t('to-match'), 'button primary');
  if (challenge.status !== 'open') return h('p', { class: 'muted' }, t('offer-closed'));
  if (!name) return h('div', {}, h('p', {}, t('sign-in-to-accept')), doors(`/challenge/${challenge.id}`));
  const seated = challenge.seats.some((seat) => seat.player?.username === name);
  const leave = async () => {
    if (challenge.creator.username === name) await api.delete(`/v1/challenges/${challenge.id}`);
    else await api.post(`/v1/challenges/${challenge.id}/decline`);
    go('/lobby', true);
  };
  if (seated) {
    const address = share(`/challenge/${challenge.id}`);
    const field = h('input', {
      readonly: true,
      value: address,
      'aria-label': t('link'),
      on: { focus: () => field.select() },
    });
    const copy = async () => {
      await navigator.clipboard?.writeText(address);
      field.select();
    };
    return h(
      'div',
      {},
      h('p', {}, t('waiting-for-others')),
      h('p', { class: 'line' }, field, action(t('copy-link'), copy)),
      action(t('withdraw'), leave),
    );
  }
  const asked = [challenge.opponent, ...challenge.invited].some((player) => player?.username === name);
  return h('div', {}, accepting(challenge, card), asked && action(t('decline'), leave));
}

/** @type {import('../router.js').Maker} */
export async function challengePage({ params, signal }) {
  const challenge = await api.get(`/v1/challenges/${params.id}`, {}, signal);
  const card = await cardOf(challenge);
  const about = 'description' in card ? card.description : '';
  const box = h('div', { class: 'doing' });
  fill(box, doing(challenge, card));
  onEvent(async (event) => {
    if (event.challenge_id !== challenge.id && event.type !== 'connected') return;
    const now = await api.get(`/v1/challenges/${challenge.id}`, {}, signal).catch(() => challenge);
    if (now.match_id) go(`/match/${now.match_id}`, true);
    else if (JSON.stringify(now.seats) !== JSON.stringify(challenge.seats) || now.status !== challenge.status) visit();
  }, signal);
  const seats = challenge.seats.map((seat) =>
    h('li', {}, seat.player ? playerLink(seat.player) : t('free'), seat.nation && ` (${seat.nation})`),
  );
  const title = card.title ?? challenge.variant;
  const published = challenge.named_rule_set ? `/edit?rules=${challenge.named_rule_set}` : '';
  const draft = 'id' in card && new Draft(card, '', challenge.rule_set);
  const changes = draft ? differences(draft).map(({ text }) => h('li', {}, text)) : [];
  return {
    title: t('invites', { name: challenge.creator.username, game: title }),
    body: h(
      'article',
      { class: 'challenge' },
      h('h1', {}, t('invites', { name: challenge.creator.username, game: title })),
      about && h('p', {}, about),
      changes.length > 0 && [h('b', {}, t('differs-from', { game: title })), h('ul', {}, changes)],
      challenge.message && h('blockquote', {}, challenge.message),
      h('p', { class: 'meta' }, `${termsText(challenge)} · ${t('until', { time: moment(challenge.expires_at) })}`),
      h('ol', { class: 'seat-list' }, seats),
      box,
      reporting('challenge', challenge.id, challenge.creator.username),
      h('p', {}, link(`/variants/${challenge.variant}${published}`, t('read-rules'), 'button')),
    ),
  };
}
