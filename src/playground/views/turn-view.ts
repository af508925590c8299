// The account of a turn: its figures, and everything that happened to it by time.

import type { Quota } from '../quota-left.ts';
import type { Mark, MarkName, TurnTimeline } from '../turn-timeline.ts';
import { madeElement, pageElement } from './page-element.ts';

export type TurnView = {
  show(timeline: TurnTimeline | undefined): void;
  showQuota(quota: Quota | undefined): void;
};

const NAMES: Readonly<Record<MarkName, string>> = {
  named: 'Named',
  queued: 'Queued',
  'first-byte': 'First byte',
  'first-audio': 'First audio here',
  audible: 'Audible',
  underrun: 'Underrun',
  paused: 'Paused',
  resumed: 'Resumed',
  sought: 'Sought',
  error: 'Error',
  interrupted: 'Interrupted',
  ended: 'Ended',
  heard: 'Heard',
};

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const milliseconds = (ms: number) => `${whole.format(ms)} ms`;

function listItem({ name, atMs, detail }: Mark): HTMLLIElement {
  const item = madeElement('li');
  item.dataset.mark = name;
  const mark = madeElement('span', { className: 'mark', text: NAMES[name] });
  if (detail !== '') mark.append(madeElement('small', { text: detail }));
  item.append(
    madeElement('time', { text: milliseconds(atMs) }),
    madeElement('span', { className: 'rail' }),
    mark,
  );
  return item;
}

/** A number with its unit, the unit small. */
function showFigure(id: string, figure: string | undefined, unit = ''): void {
  const element = pageElement(id, HTMLElement);
  element.textContent = figure ?? '–';
  if (figure !== undefined && unit !== '') element.append(madeElement('small', { text: ` ${unit}` }));
}

export function createTurnView(): TurnView {
  const list = pageElement('timeline', HTMLOListElement);
  const part = pageElement('quota', HTMLElement);
  let shown: TurnTimeline | undefined;
  list.append(madeElement('li', { className: 'none', text: 'Nothing has been spoken yet.' }));
  return {
    show(timeline) {
      if (timeline === undefined || timeline === shown) return;
      shown = timeline;
      const { firstAudioMs, underruns, requests, marks } = timeline;
      showFigure('figure-first', firstAudioMs === undefined ? undefined : whole.format(firstAudioMs), 'ms');
      showFigure('figure-underruns', String(underruns));
      showFigure('figure-requests', requests === undefined ? undefined : String(requests));
      list.replaceChildren(...marks.map(listItem));
    },
    showQuota(quota) {
      part.hidden = quota === undefined;
      if (quota !== undefined) showFigure('figure-quota', String(quota.left), `of ${quota.limit}`);
    },
  };
}
