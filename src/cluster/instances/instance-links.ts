// How instances of one gateway reach each other: a request of a caller goes on to the instance that has the session, and what
// is to be known or done in all of them is asked of each. The listener takes what is signed and serves nothing else.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { request } from 'undici';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { LiveView } from '../../http/routes/live-view.ts';
import { watchedSession } from '../front-server.ts';
import { PEER_HEADER, type PeerNote, type ReadNote } from '../peer-note.ts';
import { type LegAnswer, type OpenRelay, openPrivateListener } from '../private-listener.ts';
import { createReverseProxy, type Neighbour, passUpgradeOn } from '../reverse-proxy.ts';
import type { Instance, InstanceDirectory } from './instance-directory.ts';
import type { SignedNotes } from './signed-notes.ts';

/** What an instance does for another one, by the name of the question. */
export type InstanceAnswers = {
  /** Its sessions, of one user or of all. */
  readonly sessions: (of: { readonly userId: string | null }) => Promise<readonly LiveView[]>;
  /** Whether it had such a session. */
  readonly endSession: (of: { readonly id: string }) => Promise<boolean>;
  /** Whose session it is; null: not one of this instance. */
  readonly userOf: (of: { readonly id: string }) => Promise<string | null>;
  readonly revokeToken: (of: { readonly id: string; readonly leftMs: number }) => Promise<null>;
};
type Name = keyof InstanceAnswers;
type Question<N extends Name> = Parameters<InstanceAnswers[N]>[0];
type Answer<N extends Name> = Awaited<ReturnType<InstanceAnswers[N]>>;

export type InstanceLinks = {
  /** The answers of all other instances; one that does not answer in time is left out. */
  askAll<N extends Name>(name: N, question: Question<N>): Promise<readonly Answer<N>[]>;
  /** Rejects with `busy` when it does not answer. */
  ask<N extends Name>(instance: Instance, name: N, question: Question<N>): Promise<Answer<N>>;
  forward(request: IncomingMessage, response: ServerResponse, to: Instance): void;
  /** Rejects when the instance is not there. */
  passOn(
    upgrade: { readonly request: IncomingMessage; readonly socket: Duplex; readonly head: Buffer },
    to: Instance,
  ): Promise<void>;
  /** It has come from another instance, and goes no further. */
  isPassedOn(request: IncomingMessage): boolean;
  close(): Promise<void>;
};

export type InstanceLinksOptions = {
  readonly directory: Pick<InstanceDirectory, 'others'>;
  readonly notes: SignedNotes;
  readonly listen: {
    readonly host: string;
    readonly port: number;
    readonly tls: { readonly cert: string; readonly key: string } | undefined;
  };
  readonly answers: InstanceAnswers;
  /** An onlooker of a session of this instance. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  /** A client of a session of this instance comes back. */
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** A session of another instance asks for a leg of this one, by its name in the directory. */
  readonly onLeg: (name: string, userId: string, open: OpenRelay) => Promise<LegAnswer>;
  readonly clock: Clock;
  readonly log: Log;
};

/** An instance that is alive answers at once. */
const ANSWER_MS = 2000;
const MAX_QUESTION_BYTES = 16 * 1024;
/** The sessions of one instance. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const QUESTIONS = '/peer/';
const OWN_REQUEST: PeerNote = { address: '', scheme: 'http', hosts: 'named' };

async function readAll(body: AsyncIterable<unknown>, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += (part as Buffer).length;
    if (bytes > most) throw new AppError('internal', 'Another instance sends more than it may.');
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

/** Another instance, as one that requests and calls go on to. */
export const neighbourOf = ({ id, url }: Instance, notes: Pick<SignedNotes, 'to'>): Neighbour => ({
  at: { origin: url },
  notes: notes.to(id),
});

const unansweredError = (cause: unknown) =>
  new AppError('busy', 'Another instance of the gateway does not answer; try again.', {
    cause,
    retryAfterMs: 1000,
  });

/** Which leg is asked for, and for whose session; behind LEG_PATH. */
export const legPath = (name: string, userId: string): string =>
  `${encodeURIComponent(name)}/${encodeURIComponent(userId)}`;

/** Listens when it resolves; rejects when the port cannot be had. */
export async function openInstanceLinks(options: InstanceLinksOptions): Promise<InstanceLinks> {
  const { directory, notes, clock, log } = options;
  const answers = new Map(Object.entries(options.answers as Record<string, (of: never) => Promise<unknown>>));
  const proxy = createReverseProxy({ clock, log });
  const passedOn = new WeakSet<IncomingMessage>();
  /** Sockets of clients that were passed on, and those to the instances that have their sessions. */
  const passing = new Set<Duplex>();

  const answer = async (asked: IncomingMessage, response: ServerResponse, note: ReadNote): Promise<void> => {
    const give = answers.get((asked.url ?? '').slice(QUESTIONS.length));
    const body = await readAll(asked, MAX_QUESTION_BYTES);
    const question = parseJson(body.toString('utf8'))?.value;
    if (give === undefined || !note.isBody(body) || !isJsonObject(question))
      return void asked.socket.destroy();
    const told = Buffer.from(JSON.stringify(await give(question as never)));
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': told.length });
    response.end(told);
  };
  const isBare = (asked: IncomingMessage, note: ReadNote) =>
    Number(asked.headers['content-length'] ?? 0) === 0 &&
    asked.headers['transfer-encoding'] === undefined &&
    note.isBody(new Uint8Array());
  const listener = await openPrivateListener({
    clock,
    listen: options.listen,
    notes,
    onRefused: (address) => log.warn('instance_note_refused', { address }),
    onRequest(asked, response, note) {
      const path = asked.url ?? '';
      if (asked.method === 'POST' && path.startsWith(QUESTIONS))
        return void answer(asked, response, note).catch((fault: unknown) => {
          log.warn('instance_question_failed', {
            cause: fault instanceof AppError ? fault.code : String(fault),
          });
          asked.socket.destroy();
        });
      if (watchedSession(path) === undefined || !isBare(asked, note)) return void asked.socket.destroy();
      passedOn.add(asked);
      options.onRequest(asked, response);
    },
    onUpgrade(asked, socket, head) {
      passedOn.add(asked);
      options.onUpgrade(asked, socket, head);
    },
    // Signed, so it is what `legPath` has made.
    async onLeg(which, open) {
      const [name = '', userId = ''] = which.split('/', 2).map(decodeURIComponent);
      return options.onLeg(name, userId, open);
    },
  });

  const ask: InstanceLinks['ask'] = async (instance, name, question) => {
    const body = Buffer.from(JSON.stringify(question));
    const path = `${QUESTIONS}${name}`;
    const note = notes.to(instance.id).stamp(OWN_REQUEST, { method: 'POST', path }, body);
    try {
      const reply = await request(new URL(path, instance.url), {
        method: 'POST',
        headers: { [PEER_HEADER]: note, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const told = await readAll(reply.body, MAX_ANSWER_BYTES);
      if (reply.statusCode !== 200) throw new AppError('internal', `status ${reply.statusCode}`);
      return parseJson(told.toString('utf8'))?.value as never;
    } catch (cause) {
      log.warn('instance_not_answering', { instance: instance.id, name });
      throw unansweredError(cause);
    }
  };

  return {
    ask,
    async askAll(name, question) {
      const told = await Promise.allSettled(directory.others().map((each) => ask(each, name, question)));
      return told.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    },
    forward: (asked, response, to) => proxy.forward(asked, response, neighbourOf(to, notes)),
    async passOn(upgrade, to) {
      const relay = await passUpgradeOn(upgrade, neighbourOf(to, notes)).catch((cause: unknown) => {
        log.warn('instance_not_answering', { instance: to.id, name: 'upgrade' });
        throw unansweredError(cause);
      });
      for (const socket of [upgrade.socket, relay]) {
        passing.add(socket);
        socket.once('close', () => passing.delete(socket));
      }
    },
    isPassedOn: (asked) => passedOn.has(asked),
    async close() {
      for (const socket of passing) socket.destroy();
      await Promise.all([listener.settle(), proxy.settle()]);
      await listener.close();
      await proxy.close();
    },
  };
}
