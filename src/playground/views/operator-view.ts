// The operator's look at the gateway: who speaks now, and what the keys of the pool may still send.

import type { GatewayOffer } from '../gateway-offer.ts';
import { type GatewayRest, statusOf } from '../gateway-rest.ts';
import type { PoolKey } from '../quota-left.ts';
import { madeElement, pageElement } from './page-element.ts';

export type OperatorView = { enter(): void; leave(): void };

type RunningSession = {
  readonly id: string;
  readonly ageMs: number;
  readonly turnsUnheard: number;
  readonly bufferedBytes: number;
  readonly format?: string;
  readonly sampleRate?: number;
  readonly onlookers?: number;
  readonly leg?: { readonly kind?: string } | string;
};
type Pool = {
  readonly keys: readonly (PoolKey & { readonly inFlight: number; readonly mode: string })[];
  readonly waiting: number;
};

const ASK_EVERY_MS = 2000;
const NO_ENTRANCE = new Set([401, 403, 404]);

function age(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function row(...cells: readonly (string | Node)[]): HTMLTableRowElement {
  const made = madeElement('tr');
  for (const content of cells) {
    const cell = madeElement('td');
    cell.append(content);
    made.append(cell);
  }
  return made;
}

/** In place of rows when there are none. */
function noRows(text: string, columns: number): HTMLTableRowElement {
  const made = row(text);
  made.cells[0]!.colSpan = columns;
  made.cells[0]!.className = 'none';
  return made;
}

function soundOf({ format, sampleRate, leg }: RunningSession): string {
  const kind = typeof leg === 'string' ? leg : leg?.kind;
  const sound = [format, sampleRate].filter((part) => part !== undefined).join(' ');
  return [sound, kind === undefined ? '' : `to ${kind}`].filter((part) => part !== '').join(', ');
}

function useOf({ used, limit }: PoolKey): Node {
  const cell = madeElement('span');
  if (limit === undefined) {
    cell.textContent = 'no limit';
    return cell;
  }
  const meter = madeElement('meter');
  meter.max = limit;
  meter.value = used;
  meter.setAttribute('aria-label', 'Used');
  cell.append(meter, `${used} of ${limit}`);
  return cell;
}

export function createOperatorView(rest: GatewayRest, offer: GatewayOffer): OperatorView {
  const notice = pageElement('operator-notice', HTMLElement);
  let phase: 'seen' | 'left' = 'left';
  let timer: ReturnType<typeof setTimeout> | undefined;

  const parts = {
    sessions: {
      part: pageElement('sessions-part', HTMLElement),
      async read() {
        const { sessions } = await rest.json<{ sessions: readonly RunningSession[] }>('/v1/sessions');
        const rows = sessions.map((session) =>
          row(
            session.id,
            soundOf(session),
            age(session.ageMs),
            String(session.turnsUnheard),
            `${(session.bufferedBytes / 1024).toFixed(1)} KiB`,
            String(session.onlookers ?? 0),
          ),
        );
        const body = pageElement('sessions', HTMLTableSectionElement);
        body.replaceChildren(...(rows.length > 0 ? rows : [noRows('Nobody is connected.', 6)]));
      },
    },
    pool: {
      part: pageElement('pool-part', HTMLElement),
      async read() {
        const { keys } = await rest.json<Pool>('/v1/pool');
        const rows = keys.map((key) =>
          row(key.fingerprint, key.state, useOf(key), String(key.inFlight), key.mode),
        );
        pageElement('pool', HTMLTableSectionElement).replaceChildren(...rows);
      },
    },
  };
  const closed = new Set<string>();
  for (const name of ['sessions', 'pool'] as const) if (!offer.has(name)) closed.add(name);

  async function look(): Promise<void> {
    for (const [name, reader] of Object.entries(parts)) {
      if (!closed.has(name))
        try {
          await reader.read();
        } catch (error) {
          // Who may not look in need not be asked again; anything else may pass.
          if (NO_ENTRANCE.has(statusOf(error) ?? 0)) closed.add(name);
        }
      reader.part.hidden = closed.has(name);
    }
    notice.textContent = closed.size === 2 ? 'This gateway does not show its sessions and keys here.' : '';
    if (phase === 'seen' && closed.size < 2) timer = setTimeout(() => void look(), ASK_EVERY_MS);
  }

  return {
    enter() {
      phase = 'seen';
      clearTimeout(timer);
      void look();
    },
    leave() {
      phase = 'left';
      clearTimeout(timer);
    },
  };
}
