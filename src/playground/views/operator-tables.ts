// What the operator's view says of a session, a call and a key of a speech service, as columns.

import type { PoolKey } from '../quota-left.ts';
import { type Column, textColumn } from './keyed-rows.ts';
import { madeElement, setText } from './page-element.ts';

export type RunningSession = {
  readonly id: string;
  readonly tenant: string;
  readonly dialect: string;
  readonly ageMs: number;
  readonly turnsUnheard: number;
  readonly turnsEnded: Readonly<Record<'complete' | 'cancelled' | 'truncated' | 'failed', number>>;
  readonly bufferedBytes: number;
  readonly format: string;
  readonly sampleRate?: number;
  readonly onlookers: number;
  readonly leg?: { readonly kind: string; readonly callSid?: string };
};

export type RunningCall = {
  readonly id: string;
  readonly kind: string;
  readonly callSid?: string;
  readonly tenant?: string;
  readonly session?: string;
  readonly ageMs: number;
};

export type ServiceKey = PoolKey & {
  readonly inFlight: number;
  readonly cap: number;
  readonly mode: string;
  readonly heldMs: number;
  readonly doubt?: { readonly reason: string; readonly restMs: number };
  readonly characters?: {
    readonly charactersPerMinute?: number;
    readonly charactersPerMonth?: number;
    readonly inMinute: number;
    readonly inMonth: number;
  };
};

export type RunningService = {
  readonly name: string;
  readonly kind: string;
  readonly address?: string;
  readonly keys: readonly ServiceKey[];
  readonly waiting: number;
  readonly health?: FoundHealth & { readonly processes?: readonly FoundHealth[] };
};
type FoundHealth = { readonly state: string; readonly forMs: number; readonly by?: string };

/** How it is, and at how many processes, where not all have found the same. Empty where there is one service. */
export function healthText({ health }: RunningService): string {
  if (health === undefined) return '';
  const { state, forMs, by, processes = [] } = health;
  const same = processes.filter((each) => each.state === state).length;
  const at = same === processes.length ? '' : ` at ${same} of ${processes.length} processes`;
  const since = state === 'healthy' ? '' : `, for ${timeText(forMs)}`;
  return `${state}${at}${since}${by === undefined ? '' : ', as others have found'}`;
}

function timeText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function turnsText({ turnsUnheard, turnsEnded }: RunningSession): string {
  const ended = Object.entries(turnsEnded)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`);
  const now = turnsUnheard === 0 ? [] : [`${turnsUnheard} to be heard`];
  return [...now, ...ended].join(', ') || 'none yet';
}

function soundText({ format, sampleRate, leg }: RunningSession): string {
  const sound = sampleRate === undefined ? format : `${format} ${sampleRate}`;
  return leg === undefined ? sound : `${sound}, to ${leg.kind}`;
}

/** `onEnd`: for a session whose button was pressed; `mayEnd`: whether there are buttons; `isOwn`: it is the one of this page. */
export const sessionColumns = (
  mayEnd: () => boolean,
  isOwn: (session: RunningSession) => boolean,
  onEnd: (session: RunningSession) => void,
): readonly Column<RunningSession>[] => [
  textColumn('Session', (session) => (isOwn(session) ? `${session.id} (this page)` : session.id)),
  textColumn('Tenant', ({ tenant }) => tenant),
  textColumn('Dialect', ({ dialect }) => dialect),
  textColumn('Sound', soundText),
  textColumn('Age', ({ ageMs }) => timeText(ageMs)),
  textColumn('Turns', turnsText),
  textColumn('Buffered', ({ bufferedBytes }) => `${(bufferedBytes / 1024).toFixed(1)} KiB`),
  textColumn('Onlookers', ({ onlookers }) => String(onlookers)),
  {
    label: 'Action',
    fill(cell, session) {
      const known = cell.querySelector('button');
      const own = isOwn(session) ? ', the one of this page' : '';
      const label = `End session ${session.id} of ${session.tenant}${own}`;
      if (!mayEnd()) {
        known?.remove();
        setText(cell, '–');
        return;
      }
      if (known !== null) {
        known.onclick = () => onEnd(session);
        known.setAttribute('aria-label', label);
        return;
      }
      const button = madeElement('button', { text: 'End' });
      button.type = 'button';
      button.setAttribute('aria-label', label);
      button.onclick = () => onEnd(session);
      cell.replaceChildren(button);
    },
  },
];

export const CALL_COLUMNS: readonly Column<RunningCall>[] = [
  textColumn('Call', ({ id, callSid }) => callSid ?? id),
  textColumn('Platform', ({ kind }) => kind),
  textColumn('Tenant', ({ tenant }) => tenant ?? 'not named yet'),
  textColumn('Session', ({ session }) => session ?? 'none'),
  textColumn('Age', ({ ageMs }) => timeText(ageMs)),
];

/** With the time that it rests, where it does. */
function stateText({ state, heldMs, doubt }: ServiceKey): string {
  const restMs = Math.max(heldMs, doubt?.restMs ?? 0);
  return restMs === 0 ? state : `${state}, for ${timeText(Math.ceil(restMs / 1000) * 1000)}`;
}

function fillUse(cell: HTMLTableCellElement, { used, limit }: ServiceKey): void {
  if (limit === undefined) return setText(cell, 'no limit');
  if (cell.querySelector('meter') === null) {
    const meter = madeElement('meter');
    meter.setAttribute('aria-label', 'Used of its limit');
    cell.replaceChildren(meter, madeElement('span'));
  }
  const meter = cell.querySelector('meter')!;
  meter.max = limit;
  meter.value = used;
  setText(cell.querySelector('span')!, `${used} of ${limit}`);
}

function charactersText({ characters }: ServiceKey): string {
  if (characters === undefined) return 'not counted';
  const { charactersPerMinute, charactersPerMonth, inMinute, inMonth } = characters;
  const parts = [
    charactersPerMinute === undefined ? '' : `${inMinute} of ${charactersPerMinute} this minute`,
    charactersPerMonth === undefined ? '' : `${inMonth} of ${charactersPerMonth} this month`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

export const KEY_COLUMNS: readonly Column<ServiceKey>[] = [
  textColumn('Key', ({ fingerprint }) => fingerprint),
  {
    label: 'State',
    fill(cell, key) {
      cell.dataset.state = key.state;
      setText(cell, stateText(key));
    },
  },
  { label: 'This minute', fill: fillUse },
  textColumn('Characters', charactersText),
  textColumn('In flight', ({ inFlight, cap }) => `${inFlight} of ${cap}`),
  textColumn('Counting', ({ mode }) => mode),
];
