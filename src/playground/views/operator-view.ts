// The operator's look at the whole gateway: sessions, calls, and the services that speak with the state of their keys. Read
// anew every two seconds while it is seen. Who may not look at all of it is shown the sessions that are one's own.

import type { GatewayOffer } from '../gateway-offer.ts';
import { type GatewayRest, statusOf } from '../gateway-rest.ts';
import { confirmFirst } from './confirm-dialog.ts';
import { createKeyedRows, type KeyedRows } from './keyed-rows.ts';
import {
  CALL_COLUMNS,
  healthText,
  KEY_COLUMNS,
  type RunningCall,
  type RunningService,
  type RunningSession,
  type ServiceKey,
  sessionColumns,
} from './operator-tables.ts';
import { madeElement, pageElement, setText } from './page-element.ts';

export type OperatorView = { enter(): void; leave(): void };

export type OperatorViewOptions = {
  readonly rest: GatewayRest;
  readonly offer: GatewayOffer;
  /** For a screen reader. */
  readonly tell: (text: string) => void;
  /** Id of the session of this page, while it has one. */
  readonly ownSession: () => string | undefined;
};

type Overview = {
  readonly sessions: readonly RunningSession[];
  readonly calls: readonly RunningCall[];
  readonly services: readonly RunningService[];
  readonly endingTakes: 'nothing' | 'admin-key' | 'setting';
};

const ASK_EVERY_MS = 2000;
const PATH = '/v1/operator';

const ENDING: Readonly<Record<Overview['endingTakes'], string>> = {
  nothing: '',
  'admin-key': 'Sessions can be ended here with the admin key of this gateway.',
  setting: 'Sessions cannot be ended here: the gateway has no admin key (VOXGATE_ADMIN_KEY).',
};

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;

export function createOperatorView(options: OperatorViewOptions): OperatorView {
  const { rest, offer, tell, ownSession } = options;
  const element = (id: string) => pageElement(id, HTMLElement);
  const table = (id: string) => pageElement(id, HTMLTableElement);
  const notice = element('operator-notice');
  const form = pageElement('admin-form', HTMLFormElement);
  const key = pageElement('admin-key', HTMLInputElement);
  let phase: 'seen' | 'left' = 'left';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let mayEnd = false;
  let tried: 'none' | 'key' = 'none';

  const sessions = createKeyedRows<RunningSession>({
    table: table('sessions'),
    columns: sessionColumns(
      () => mayEnd,
      ({ id }) => id === ownSession(),
      (session) => void end(session),
    ),
    keyOf: ({ id }) => id,
    none: 'No session is open.',
    fallback: element('sessions-region'),
  });
  const calls = createKeyedRows<RunningCall>({
    table: table('calls'),
    columns: CALL_COLUMNS,
    keyOf: ({ id }) => id,
    none: 'No call is there.',
    fallback: element('calls-region'),
  });
  const services = new Map<string, { readonly about: HTMLElement; readonly keys: KeyedRows<ServiceKey> }>();

  function openService({ name, kind }: RunningService) {
    const title = madeElement('h3', { text: kind === 'engine' ? 'Embedded engine' : name });
    title.id = `service-${name}`;
    const about = madeElement('p', { className: 'hint' });
    const region = madeElement('section', { className: 'scroll' });
    region.tabIndex = 0;
    region.setAttribute('aria-labelledby', title.id);
    const keysTable = madeElement('table');
    region.append(keysTable);
    element('services').append(title, about, region);
    const keys = createKeyedRows<ServiceKey>({
      table: keysTable,
      columns: KEY_COLUMNS,
      keyOf: ({ fingerprint }) => fingerprint,
      none: 'It has no keys.',
      fallback: region,
    });
    const opened = { about, keys };
    services.set(name, opened);
    return opened;
  }

  function showService(service: RunningService): void {
    const { about, keys } = services.get(service.name) ?? openService(service);
    const wait =
      service.waiting === 0
        ? 'No request waits for a key.'
        : `${counted(service.waiting, 'request')} waiting for a key.`;
    const health = healthText(service);
    const parts = [service.address, health === '' ? undefined : `Health: ${health}`];
    setText(about, [...parts.flatMap((part) => (part === undefined ? [] : [`${part}. `])), wait].join(''));
    keys.show(service.keys);
  }

  /** `what`: why the form is there; undefined: it is not. */
  function askForKey(what: string | undefined): void {
    form.hidden = what === undefined;
    if (what === undefined) return;
    setText(element('admin-text'), tried === 'key' ? `That is not the admin key. ${what}` : what);
  }

  function showAll({ sessions: running, calls: there, services: all, endingTakes }: Overview): void {
    mayEnd = endingTakes === 'nothing';
    element('calls-part').hidden = false;
    element('services-part').hidden = false;
    setText(
      element('operator-sum'),
      `${counted(running.length, 'session')} and ${counted(there.length, 'call')} now, of all users.`,
    );
    sessions.show(running);
    calls.show(there);
    for (const service of all) showService(service);
    askForKey(endingTakes === 'admin-key' ? ENDING[endingTakes] : undefined);
    setText(notice, endingTakes === 'setting' ? ENDING[endingTakes] : '');
  }

  async function showOwn(refused: unknown): Promise<void> {
    mayEnd = false;
    element('calls-part').hidden = true;
    element('services-part').hidden = true;
    const needsKey = statusOf(refused) === 401;
    askForKey(needsKey ? 'Other users, calls and services are shown with the admin key.' : undefined);
    setText(notice, needsKey ? '' : messageOf(refused));
    const own = await rest.json<{ sessions: readonly RunningSession[] }>('/v1/sessions');
    setText(element('operator-sum'), `${counted(own.sessions.length, 'session')} of yours now.`);
    sessions.show(own.sessions);
  }

  async function look(): Promise<void> {
    clearTimeout(timer);
    try {
      const answer = await rest.askAsOperator(PATH);
      showAll((await answer.json()) as Overview);
    } catch (error) {
      const isRefused = statusOf(error) === 401 || statusOf(error) === 403;
      const silent = (failed: unknown) =>
        setText(notice, `The gateway does not tell what runs: ${messageOf(failed)}`);
      if (isRefused) await showOwn(error).catch(silent);
      else silent(error);
    }
    clearTimeout(timer);
    if (phase === 'seen') timer = setTimeout(() => void look(), ASK_EVERY_MS);
  }

  async function end({ id, tenant, turnsUnheard }: RunningSession): Promise<void> {
    const lost = turnsUnheard === 0 ? '' : ` ${counted(turnsUnheard, 'turn')} will not be heard to the end.`;
    const answer = await confirmFirst({
      title: 'End this session?',
      text:
        id === ownSession()
          ? `Session ${id} is the one of this page. Speaking opens a new one.${lost}`
          : `Session ${id} of ${tenant} is closed, and its client is told that an operator did it.${lost}`,
      action: 'End the session',
    });
    if (answer === 'left') return;
    try {
      await rest.askAsOperator(`${PATH}/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' });
      tell(`Session ${id} has been ended.`);
    } catch (error) {
      // One that has ended by itself meanwhile is what was wanted.
      if (statusOf(error) !== 404) setText(notice, messageOf(error));
    }
    await look();
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    tried = 'key';
    rest.useAdminKey(key.value);
    key.value = '';
    void look().then(() => {
      if (form.hidden) element('sessions-region').focus();
      else key.focus();
    });
  });

  return {
    enter() {
      phase = 'seen';
      if (offer.has('operator')) void look();
      else setText(notice, 'This gateway does not show here what runs on it.');
    },
    leave() {
      phase = 'left';
      clearTimeout(timer);
    },
  };
}
